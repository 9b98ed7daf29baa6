"""Role memory: what a role remembers of its own, changed by typed operations alone."""
