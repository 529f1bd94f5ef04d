"""Text to draw sentences from: read piece by piece, never held as a whole."""

from slant.corpus.contexts import Context, Contexts, ContextSample, Query
from slant.corpus.corpus import Corpus
from slant.corpus.loading import load_corpus
from slant.corpus.sampling import sample_contexts

__all__ = ["Context", "ContextSample", "Contexts", "Corpus", "Query", "load_corpus", "sample_contexts"]
