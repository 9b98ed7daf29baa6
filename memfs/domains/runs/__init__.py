"""What agents did: runs with their lineage, and the issues that they left open."""
