"""Six ways to hand over the history of a task, and questions whose answers are known."""
