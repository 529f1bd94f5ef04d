"""Text to draw sentences from: read piece by piece, never held as a whole."""

from aslant.corpus.corpus import Corpus
from aslant.corpus.loading import load_corpus
from aslant.corpus.sampling import Context, Contexts, ContextSample, Query, sample_contexts

__all__ = ["Context", "ContextSample", "Contexts", "Corpus", "Query", "load_corpus", "sample_contexts"]
