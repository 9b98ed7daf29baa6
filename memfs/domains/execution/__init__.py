"""Execution state: tasks with one head each, and the steps that were taken in them."""
