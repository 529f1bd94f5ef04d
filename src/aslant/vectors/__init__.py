"""Static embeddings: words, one vector each, from any file format that people use."""

from __future__ import annotations

from aslant.vectors.loading import load
from aslant.vectors.word_vectors import Lookup, LookupPolicy, WordVectors

__all__ = ["Lookup", "LookupPolicy", "WordVectors", "load"]
