"""Which pronoun a language model prefers (WinoBias, Winogender)."""
