"""How well cosines agree with people's ratings of similarity."""
