"""Whether a model fits: what its weights need, what is available, and what would fit instead."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from aslant.errors import DataError

#: Bytes of one weight.
BYTES = {"float32": 4.0, "bfloat16": 2.0, "float16": 2.0, "8bit": 1.0, "4bit": 0.5}
#: What to try where a model does not fit, in this order.
SMALLER = ("bfloat16", "8bit", "4bit")
GROUP = Path("/sys/fs/cgroup")
ENDINGS = (".safetensors", ".bin", ".pt", ".pth")


def check_room(name: str, weights: int, dtype: str, device: str) -> None:
    """Refuse a model whose weights alone need more memory than there is.

    >>> check_room("large", 10**15, "float32", "cpu")
    Traceback (most recent call last):
    aslant.errors.DataError: 'large' needs about 4,000,000.0 GB of memory in float32 (1,000,000,000 million ...
    """
    room = available(device)
    if room is not None and weights * BYTES[dtype] > room:
        raise DataError(too_large(name, weights, dtype, room))


def too_large(name: str, weights: int, dtype: str, room: int | None) -> str:
    """Say what a model needs, what there is, and what would fit.

    >>> too_large("m", 3 * 10**9, "float32", 8 * 10**9)[:91]
    "'m' needs about 12.0 GB of memory in float32 (3,000 million weights), and 8.0 GB are availa"
    """
    there = "which is more than is available" if room is None else f"and {_gb(room)} are available"
    fits = [kind for kind in SMALLER if BYTES[kind] < BYTES[dtype] and (room is None or weights * BYTES[kind] < room)]
    what = "use a smaller model"
    if fits:
        would = "might" if room is None else "would"
        what = f"dtype {fits[0]} needs {_gb(weights * BYTES[fits[0]])} and {would} fit; or {what}"
    need = f"needs about {_gb(weights * BYTES[dtype])} of memory in {dtype} ({weights / 1e6:,.0f} million weights)"
    return f"'{name}' {need}, {there}; {what}."


def weights_in(folder: Path) -> int:
    """Return how many weights the files of a folder have: counted in safetensors, else by four bytes each."""
    from safetensors import SafetensorError, safe_open

    files = [path for path in folder.iterdir() if path.suffix in ENDINGS and path.is_file()]
    exact = [path for path in files if path.suffix == ".safetensors"]
    count = 0
    for path in exact:
        with suppress(SafetensorError, OSError), safe_open(path, framework="np") as opened:
            for key in opened.keys():  # noqa: SIM118 (it is not a dict)
                size = 1
                for length in opened.get_slice(key).get_shape():
                    size *= length
                count += size
    return count if exact else sum(path.stat().st_size for path in files) // 4


def available(device: str) -> int | None:
    """Return the bytes of memory that are free on a device, or None where that is not known.

    >>> (available("cpu") or 1) > 0
    True
    """
    if device.startswith("cuda"):
        import torch

        return int(torch.cuda.mem_get_info(device)[0])
    if device != "cpu":
        return None
    found = []
    with suppress(ImportError):
        import psutil

        found.append(int(psutil.virtual_memory().available))
        import resource  # not on Windows

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit != resource.RLIM_INFINITY:
            found.append(max(0, limit - int(psutil.Process().memory_info().vms)))
    with suppress(OSError, ValueError, KeyError):  # what a container may use; "max" is a ValueError
        lines = (GROUP / "memory.stat").read_text().splitlines()
        stat = {key: int(value) for key, _, value in (line.partition(" ") for line in lines)}
        used = int((GROUP / "memory.current").read_text()) - stat["active_file"] - stat["inactive_file"]
        found.append(max(0, int((GROUP / "memory.max").read_text()) - used))
    return min(found, default=None)


@contextmanager
def memory_suffices_for(name: str, folder: Path | None, dtype: str, device: str) -> Iterator[None]:
    """Check that the weights in a folder fit, and turn running out of memory all the same into one clear error."""
    from aslant.models.plan import out_of_memory

    weights = 0 if folder is None else weights_in(folder)
    if weights:
        check_room(name, weights, dtype, device)
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        if not out_of_memory(error):
            raise
        if weights:
            room = available(device)
            less = room if room is not None and room < weights * BYTES[dtype] else None
            raise DataError(too_large(name, weights, dtype, less)) from None
        raise DataError(f"there is not enough memory to load '{name}' in {dtype}; use a smaller model.") from None


def _gb(size: float) -> str:
    return f"{size / 1e9:,.1f} GB"
