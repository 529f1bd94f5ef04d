"""Pairs of a more and a less stereotyping sentence: which of the two a language model finds more probable."""
