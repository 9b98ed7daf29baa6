"""Transcripts of coding agents: one module a client; each streams and never writes."""
