"""Transforms that remove a concept from an embedding: new vectors with a record of each.

None of them makes an embedding unbiased: see docs/debiasing.md, and measure what is left.
"""

from __future__ import annotations

from collections.abc import Callable

from aslant.debias.encoders import debias_encoder
from aslant.debias.hard import double_hard_debias, hard_debias, multiclass_hard_debias
from aslant.debias.learned import leace_debias, nullspace_debias
from aslant.debias.linear import half_sibling_debias, multiclass_soft_debias, project_out
from aslant.vectors import WordVectors

#: The methods by their names on the command line.
METHODS: dict[str, Callable[..., WordVectors]] = {
    "hard": hard_debias,
    "projection": project_out,
    "multiclass-hard": multiclass_hard_debias,
    "multiclass-soft": multiclass_soft_debias,
    "double-hard": double_hard_debias,
    "half-sibling": half_sibling_debias,
    "nullspace": nullspace_debias,
    "leace": leace_debias,
}
__all__ = [
    "METHODS", "debias_encoder", "double_hard_debias", "half_sibling_debias", "hard_debias", "leace_debias",
    "multiclass_hard_debias", "multiclass_soft_debias", "nullspace_debias", "project_out",
]  # fmt: skip
