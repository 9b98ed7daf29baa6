"""The pages of memfs, and the program that writes the generated ones."""
