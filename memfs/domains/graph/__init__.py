"""What relates to what: entities, edges, and the ways between them."""
