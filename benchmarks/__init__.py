"""What is fast and how it grows, each figure beside its floor or peer in the same run."""
