"""What the files of a project show, read for a role without running any of it."""
