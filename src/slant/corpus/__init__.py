"""Text to draw sentences from: read piece by piece, never held as a whole."""

from slant.corpus.contexts import Context, Contexts, ContextSample, Query

__all__ = ["Context", "ContextSample", "Contexts", "Query"]
