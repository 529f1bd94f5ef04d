"""Where teams work: trackers of experiments, and pytest. Each is imported when it is used."""
