"""The sessions of coding agents: one record each, their turns in a repository apart."""
