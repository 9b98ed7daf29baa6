"""What several test rooms share: builders, processes, transcripts."""
