"""Faults made on purpose, and what aslant makes of them; `tools/faults.py` runs them all, tests run a few of each."""
