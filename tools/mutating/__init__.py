"""The parts of `tools/mutation.py`."""
