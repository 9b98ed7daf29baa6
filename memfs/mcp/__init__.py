"""The protocol server: translates calls of agents to the one interface, and decides nothing."""
