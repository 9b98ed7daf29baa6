"""Intentions: what a person wants to be asked about later; nothing here ever acts."""
