"""The tools of other memory servers over memfs, so that a user can switch by one line."""
