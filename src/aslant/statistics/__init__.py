"""Statistics: arrays in, numbers out. Permutation p-values, intervals, false discovery rates, seeds.

Nothing here knows about words, vectors or results; the measures pass in scores and get numbers back. Every name is
listed in __init__.pyi.
"""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
