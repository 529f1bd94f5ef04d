"""Bias of words in context (Basta et al. 2019)."""
