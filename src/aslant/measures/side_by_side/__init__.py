"""The measures of two embeddings side by side."""
