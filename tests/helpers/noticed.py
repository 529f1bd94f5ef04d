"""Something large that leaves a file each time it is unpacked."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import numpy as np


class Noticed:
    """An array, and the folder in which its unpacking is noted."""

    def __init__(self, folder: str) -> None:
        self.folder, self.array = folder, np.arange(50_000.0)

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        Path(self.folder, f"{os.getpid()}-{time.monotonic_ns()}").touch()
