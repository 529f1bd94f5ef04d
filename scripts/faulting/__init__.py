"""Faults made on purpose, and what slant makes of them; `scripts/faults.py` runs them all, tests run a few of each."""
