"""Text to draw sentences from: read piece by piece, never held as a whole."""

from slant.corpus.contexts import Context, Contexts, ContextSample, Query
from slant.corpus.sampling import sample_contexts

__all__ = ["Context", "ContextSample", "Contexts", "Query", "sample_contexts"]
