"""The kinds that people and agents state: preferences, facts, decisions and their like."""
