"""Governance: grants, conflict sets, polluted namespaces and publications."""
