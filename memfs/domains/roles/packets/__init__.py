"""What of a role is told to whom: packets, how it stands, and all of it in one look."""
