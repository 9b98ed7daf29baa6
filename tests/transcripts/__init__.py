"""Shell transcripts: what the docs show is what the commands print."""
