"""Questions about people that a text does or does not answer: BBQ (Parrish et al. 2022)."""
