"""Scores of word sets: the measures of static vectors that other tools have, on one engine and side by side."""
