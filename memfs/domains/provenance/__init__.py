"""Evidence envelopes and receipts: what claims rest on and what operations did."""
