"""Embeddings from texts of one's own: word2vec, fastText, GloVe and GN-GloVe, by period, several times each."""
