"""Open an encoder for a command, and the tests that are asked of it."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from slant.cli import options as o
from slant.cli.progress import note
from slant.cli.shared import Output

if TYPE_CHECKING:
    from slant.models.protocols import Encoder
    from slant.stimuli import WeatSet

PANEL = "Asking the model"

EncoderArgument = Annotated[
    str | None,
    typer.Argument(metavar="MODEL", help="An encoder: hub name, folder or data name; nothing: all-MiniLM-L6-v2."),
]
TestOption = Annotated[
    list[str] | None, typer.Option("--test", metavar="NAME", help="A WEAT set that ships; can be repeated.")
]
OwnWordsOption = Annotated[
    list[Path] | None,
    typer.Option("--words", metavar="FILE", help="Your own WEAT set, a TOML file; can be repeated."),
]
MinFoundOption = Annotated[
    float, typer.Option("--min-found", help="Do not run a test if a smaller share of any word set is there.")
]


def _option(name: str, *, shown: str, metavar: str | None = None) -> Any:
    return typer.Option(name, metavar=metavar, help=shown, rich_help_panel=PANEL)


def _layer(text: str | None) -> str | int | None:
    """Read a layer: a number, or a word as it is.

    >>> _layer("-1"), _layer("mean"), _layer(None)
    (-1, 'mean', None)
    """
    return int(text) if text is not None and text.removeprefix("-").isdecimal() else text


@dataclass(frozen=True)
class Encoding:
    """How an encoder is loaded."""

    layer: Annotated[
        str | None,
        _option("--layer", metavar="N", shown="last, mean of all, or a number (0: embeddings); ELMo's default: mean."),
    ] = None
    pieces: Annotated[
        str, _option("--pieces", shown="A word of several pieces: mean of their vectors, or the first.")
    ] = "mean"
    device: Annotated[
        str | None, _option("--device", metavar="NAME", shown="cpu, cuda or mps; default: the best there is.")
    ] = None
    dtype: Annotated[str, _option("--dtype", shown="Precision of the weights.")] = "float32"

    def open(self, model: str | None, *, quiet: bool) -> Encoder:
        """Open an encoder; what it has to say while loading goes to standard error."""
        from slant.models.encoder_loading import load_encoder

        settings: dict[str, Any] = {"layer": _layer(self.layer), "pieces": self.pieces, "dtype": self.dtype}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            encoder = load_encoder(model, device=self.device, **settings)
        if not quiet:
            for warning in caught:
                note(warning.message)
        return encoder


@dataclass(frozen=True)
class ChartOutput(Output):
    """Where the result of tests is written: also as a picture."""

    PICTURES = ("chart",)

    chart: Annotated[
        Path | None,
        typer.Option(
            "--chart", metavar="FILE", help="Draw the effect sizes (.svg, .png, .html).", rich_help_panel=o.OUT
        ),
    ] = None


def chosen_sets(tests: list[str] | None, words: list[Path] | None) -> list[WeatSet]:
    """Return the tests that were named, and those in files."""
    from slant.stimuli import WeatSet, load_set

    return [load_set(source, WeatSet) for source in (*(tests or ()), *(words or ()))]
