"""Tests of memfs, laid out like the package."""
