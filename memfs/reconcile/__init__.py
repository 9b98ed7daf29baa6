"""The watcher, drift between working tree and ledger, and projections."""
