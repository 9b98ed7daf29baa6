"""Coding agents: the contract of each one's hooks, and its installer."""
