"""Use cases common to every record; the only openers of a transaction."""
