"""Faults made on purpose, and what aslant makes of them; `scripts/faults.py` runs them all, tests run a few of each."""
