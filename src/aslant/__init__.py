"""aslant finds, measures and explains social bias in word embeddings and language models.

Every public name is listed in __init__.pyi; modules load when first used, so that importing aslant costs nothing.
"""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
