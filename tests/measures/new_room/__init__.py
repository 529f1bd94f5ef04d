"""Distance to groups: a whole measure in one folder, for the test that adds it."""
