"""How roles rest: minds that propose, the course of a rest, its account, and when it is due."""
