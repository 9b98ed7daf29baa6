"""Tests of execution state."""
