"""Log-probability bias score and tests (Kurita et al. 2019), and WEAT on words in templates."""
