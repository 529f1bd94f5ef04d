"""Linear projection: a subspace is removed from every word (Dev & Phillips 2019, section 4.1)."""

from __future__ import annotations

from aslant.debias.linear import mapped, without_subspace
from aslant.debias.words import Sets, check_vectors, concept_basis, find_sets
from aslant.vectors import WordVectors
from aslant.vectors.debiasing_record import Treatment

METHOD = "projection"


def project_out(vectors: WordVectors, *, pairs: Sets = "definitional-pairs", components: int = 1) -> WordVectors:
    """Remove from every word, without exception, the subspace of the first `components` of `pairs`.

    Nothing else changes: what is orthogonal to the subspace stays as it is, lengths included.

    >>> import aslant
    >>> v = aslant.load(top=20_000)
    >>> w = aslant.project_out(v, pairs=[("she", "he")])
    >>> she, he = v.lookup(["she", "he"]).vectors
    >>> g = she / (she @ she) ** 0.5 - he / (he @ he) ** 0.5
    >>> bool(abs(w.matrix @ g).max() < 1e-5)
    True
    """
    check_vectors(vectors)
    defining = find_sets(vectors, pairs, "pairs")
    basis = concept_basis(vectors, defining, components)
    matrix = mapped(vectors.matrix, lambda block, _: without_subspace(block, basis), vectors.words)
    return vectors.treated(matrix, Treatment(METHOD, {"components": components}, (defining.taken,), None))
