"""Texts, such as those that a language model writes: which class they lean to, by group (Dhamala et al. 2021)."""
