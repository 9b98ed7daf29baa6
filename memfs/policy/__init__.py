"""Decisions: pure functions of state, request, settings and an instant. No I/O, no clock, no model."""
