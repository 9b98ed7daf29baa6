"""The terminal: translates words to services and results to text; never decides."""
