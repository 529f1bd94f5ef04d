"""Relative norm distance: a whole measure in one folder, for the test that adds it."""
