"""Association tests on word vectors: WEAT, its multi-group form, and WEFAT."""
