"""What several memories of a role come to, how fresh that is, and when it gives way to them."""
