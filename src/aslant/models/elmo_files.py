"""The two files of an ELMo as AllenNLP publishes them: options.json, and weights in hdf5, read with distrust.

What the options say decides which arrays there must be, and of which shape; nothing is read before all of that fits,
and the file is large enough to hold it. Links to other files are not followed.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aslant.errors import DataError
from aslant.models.model_loading import first_sentence, need_extra

#: Numbers in all: eleven times the original ELMo.
LARGEST = 10**9
#: No file of weights is packed tighter than this.
TIGHTEST = 20
#: Bytes of an options file; the published ones have a few hundred.
LONGEST = 10**6
#: Rows of the table of characters: 256 bytes and five marks; AllenNLP counts padding of sentences as one more.
CHARACTERS = 261
#: Names of the files, by preference; `*` is what both have in common.
OPTIONS, WEIGHTS = ("options.json", "*_options.json"), ("lm_weights.hdf5", "weights.hdf5", "*weights.hdf5", "*.hdf5")


@dataclass(frozen=True)
class ElmoOptions:
    """What an ELMo is built like. `characters`: dimensions of a character; `width`: characters of a word."""

    characters: int
    width: int
    filters: tuple[tuple[int, int], ...]
    highways: int
    activation: str
    cells: int
    projection: int
    layers: int
    skip_connections: bool
    cell_clip: float | None
    projection_clip: float | None

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the name and the shape of every array of weights."""
        total = sum(n for _, n in self.filters)
        found: dict[str, tuple[int, ...]] = {"char_embed": (CHARACTERS, self.characters)}
        for i, (width, n) in enumerate(self.filters):
            found |= {f"CNN/W_cnn_{i}": (1, width, self.characters, n), f"CNN/b_cnn_{i}": (n,)}
        for i in range(self.highways):
            for part in ("carry", "transform"):
                found |= {f"CNN_high_{i}/W_{part}": (total, total), f"CNN_high_{i}/b_{part}": (total,)}
        found |= {"CNN_proj/W_proj": (total, self.projection), "CNN_proj/b_proj": (self.projection,)}
        for direction in (0, 1):
            for layer in range(self.layers):
                cell = f"RNN_{direction}/RNN/MultiRNNCell/Cell{layer}/LSTMCell"
                found[f"{cell}/W_0"] = (2 * self.projection, 4 * self.cells)
                found |= {f"{cell}/B": (4 * self.cells,), f"{cell}/W_P_0": (self.cells, self.projection)}
        return found


def elmo_files(place: Path) -> tuple[Path, Path] | None:
    """Return the options and the weights in a folder, or beside an options file; None where there are no options.

    >>> elmo_files(Path("no-such-folder")) is None
    True
    """
    if place.is_file():
        options, folder = [place] if place.name.endswith("options.json") else [], place.parent
    else:
        options, folder = _first(place, OPTIONS), place
    if not options:
        return None
    if len(options) > 1:
        raise DataError(f"'{place}' has several options files, such as '{options[1].name}'; give the path of one.")
    stem = options[0].name.removesuffix("options.json")
    own = folder / f"{stem}weights.hdf5"
    weights = [own] if stem and own.is_file() else _first(folder, WEIGHTS)
    if len(weights) != 1:
        found = "several files" if weights else "no file"
        raise DataError(f"'{folder}' has {found} of weights (.hdf5) beside '{options[0].name}'; there must be one.")
    return options[0], weights[0]


def _first(folder: Path, patterns: tuple[str, ...]) -> list[Path]:
    found = (sorted(path for path in folder.glob(pattern) if path.is_file()) for pattern in patterns)
    return next(filter(None, found), [])


def read_options(path: Path) -> ElmoOptions:
    """Return what an options file says; anything missing, or out of all proportion, is one clear error."""
    try:
        return _options(path)
    except KeyError as error:
        raise DataError(f"the ELMo options '{path}' lack {error}; get the file again.") from None
    except (OSError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise DataError(f"the ELMo options '{path}' cannot be used: {first_sentence(error)}.") from None


def _options(path: Path) -> ElmoOptions:
    if (there := path.stat().st_size) > LONGEST:
        raise ValueError(f"it has {there:,} bytes, too many for options")
    content = json.loads(path.read_text("utf-8"))
    cnn, lstm = content["char_cnn"], content["lstm"]
    options = ElmoOptions(
        characters=_whole(cnn["embedding"]["dim"], "embedding.dim", 10_000),
        width=_whole(cnn.get("max_characters_per_token", 50), "max_characters_per_token", 1000, 3),
        filters=tuple((_whole(w, "filters", 1000), _whole(n, "filters", 100_000)) for w, n in cnn["filters"]),
        highways=_whole(cnn["n_highway"], "n_highway", 100, 0),
        activation=str(cnn["activation"]),
        cells=_whole(lstm["dim"], "lstm.dim", 100_000),
        projection=_whole(lstm["projection_dim"], "projection_dim", 100_000),
        layers=_whole(lstm["n_layers"], "n_layers", 100),
        skip_connections=bool(lstm.get("use_skip_connections", False)),
        cell_clip=_limit(lstm.get("cell_clip"), "cell_clip"),
        projection_clip=_limit(lstm.get("proj_clip"), "proj_clip"),
    )
    if options.activation not in ("relu", "tanh"):
        raise ValueError(f"activation is {options.activation!r}; it must be relu or tanh")
    if not options.filters or max(width for width, _ in options.filters) > options.width:
        raise ValueError(f"filters are {cnn['filters']!r}; there must be some, none wider than a word")
    if cnn.get("n_characters", CHARACTERS) not in (CHARACTERS, CHARACTERS + 1):
        raise ValueError(f"n_characters is {cnn['n_characters']!r}; it must be {CHARACTERS} or {CHARACTERS + 1}")
    if (total := sum(map(prod, options.shapes().values()))) > LARGEST:
        raise ValueError(f"they require {total:,} weights; at most {LARGEST:,} are allowed")
    return options


def _whole(value: Any, name: str, most: int, least: int = 1) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ValueError(f"{name} is {value!r}; it must be a whole number from {least} to {most:,}")
    return value


def _limit(value: Any, name: str) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e300:
        raise ValueError(f"{name} is {value!r}; it must be a number from 0 up, or null")
    return float(value)


def read_weights(path: Path, options: ElmoOptions) -> dict[str, NDArray[np.float32]]:
    """Return the arrays of weights that the options require, in float32."""
    need_extra("ELMo's weights", "h5py")
    try:
        return _weights(path, options.shapes())
    except (OSError, KeyError, ValueError, TypeError, RuntimeError, MemoryError) as error:
        raise DataError(f"the ELMo weights '{path}' cannot be used: {first_sentence(error)}.") from None


def _weights(path: Path, shapes: dict[str, tuple[int, ...]]) -> dict[str, NDArray[np.float32]]:
    """Read every array, once the shapes of all are what they must be."""
    import h5py

    there = path.stat().st_size
    if 2 * sum(map(prod, shapes.values())) > TIGHTEST * there:  # too small even for numbers in half precision
        raise ValueError(f"it has {there:,} bytes, too few for the weights that the options require")
    found: dict[str, Any] = {}
    # What is too large for float32 becomes infinite, and is refused with NaN of every kind.
    with h5py.File(path, "r") as file, np.errstate(over="ignore", invalid="ignore"):
        for name, shape in shapes.items():
            place = file
            for part in name.split("/"):
                if not isinstance(place, h5py.Group) or part not in place:
                    raise ValueError(f"'{name}' is missing")
                if not isinstance(place.get(part, getlink=True), h5py.HardLink):
                    raise ValueError(f"'{name}' is a link")  # noqa: TRY004 (perhaps to another file)
                place = place[part]
            if not isinstance(place, h5py.Dataset) or place.dtype.kind != "f" or place.is_virtual or place.external:
                raise ValueError(f"'{name}' is not an array of numbers kept in this file")
            if place.shape != shape:
                raise ValueError(f"'{name}' is {place.shape}, where the options require {shape}")
            found[name] = place
        for name, dataset in found.items():
            found[name] = dataset[...].astype(np.float32)
            if not np.isfinite(found[name]).all():
                raise ValueError(f"'{name}' holds values that are not numbers")
    return found
