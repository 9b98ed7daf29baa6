"""Decisions: pure functions of state, request, settings and an instant; no I/O, clock or model."""
