"""What a text itself says: how often words stand near others, without training anything (docs/definitions.md §10)."""
