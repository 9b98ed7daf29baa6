"""Composition root: settings, clock, ids, the kind registry, wiring."""
