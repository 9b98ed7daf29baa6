"""Git and files: the only writer. Knows nothing of policy."""
