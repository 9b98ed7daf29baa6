"""Frozen types and enums: one idea a module, standard library only, no I/O, no clock."""
