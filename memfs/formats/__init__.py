"""Bytes to types and back; pure, no I/O."""
