"""The gender direction, and direct and indirect bias along it (Bolukbasi et al. 2016)."""
