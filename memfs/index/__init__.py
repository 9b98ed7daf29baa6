"""Disposable lookup, rebuilt from records that services hand in; never reaches the store."""
