"""What several measures share: word look-up, provenance, directions, correlations."""
