"""The house rules as tests: layers, sizes, names, imports per command, honest docs."""
