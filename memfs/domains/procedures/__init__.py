"""Procedures: steps that worked, proved by episodes, moved by outcomes and people."""
