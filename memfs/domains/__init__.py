"""Sets of kinds with their rules, views and use cases, over the one record substrate."""
