"""What `tools/fuzz.py` is made of: targets (one for each reader of outside bytes), mutation, and two engines."""
