"""The requirement rows and the tests that show them."""
