"""Tests of what measures: a yardstick that always says yes is none."""
