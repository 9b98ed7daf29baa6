"""From what was said and done to what is worth knowing."""
