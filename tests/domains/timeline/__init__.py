"""Tests of what happened when."""
