"""One module a command, each with an attribute ``command``; found through the catalogue."""
