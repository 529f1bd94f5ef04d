"""Data that aslant keeps or downloads: the cache folder, and external data by name."""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
