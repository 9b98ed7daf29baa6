"""Installers: put memfs into the configuration of a coding agent, and take it out exactly.

What decides what a file becomes is pure (text in, text out); one module reads and writes. A
file that cannot be read as what it should be is refused and never overwritten, and everything
in it that is not memfs's own stays byte for byte.
"""
