"""The subcommands of ``memfs role``: one module each, with an attribute ``command``."""
