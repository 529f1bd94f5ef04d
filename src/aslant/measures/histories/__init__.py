"""Any measure of vectors over the years: scores of each period, trainings, chance, and a test for trend."""
