"""Polarity of words between classes, and its history over decades (Lu et al.)."""
