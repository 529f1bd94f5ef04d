"""Static embeddings: words, one vector each, from any file format that people use."""

from __future__ import annotations

from slant.vectors.loading import load
from slant.vectors.policy import LookupPolicy
from slant.vectors.word_vectors import Lookup, WordVectors

__all__ = ["Lookup", "LookupPolicy", "WordVectors", "load"]
