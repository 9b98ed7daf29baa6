"""Faults: killed processes, refused effects, several writers, a person with Git beside them."""
