"""Whom a pronoun refers to (GAP), after Kurita et al. 2019."""
