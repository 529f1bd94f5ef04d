"""`slant contextual`: bias in the vectors that an encoder gives words in sentences of a corpus."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from slant.cli import options as o
from slant.cli.progress import note
from slant.cli.shared import Output, Reading, Running, command

if TYPE_CHECKING:
    from slant.vectors import WordVectors

EXAMPLES = """
[bold]Examples[/bold]

slant contextual --corpus news.en.gz                        all-MiniLM-L6-v2, biased words from the bundled sample

slant contextual elmo-original --corpus news.en.gz --compare --chart elmo.svg

slant contextual bert-base-uncased --corpus gap --corpus bold --original googlenews-26k --json bert.json

slant contextual ./my-bert --corpus texts.csv --column body --layer mean --repeats 3 --top 200 --classified 1000
"""
MODEL_PANEL, TEXT_PANEL, WORDS_PANEL = "Asking the encoder", "Reading the corpus", "Choosing words"


def _option(*names: str, shown: str, panel: str, metavar: str | None = None, **more: Any) -> Any:
    return typer.Option(*names, metavar=metavar, help=shown, rich_help_panel=panel, **more)


@dataclass(frozen=True)
class Text:
    """How a corpus is read."""

    column: Annotated[
        str | None,
        _option("--column", metavar="NAME", shown="The column of a table that holds the text.", panel=TEXT_PANEL),
    ] = None
    split: Annotated[
        str, _option("--split", shown="auto, lines, sentences or paragraphs: how text is cut.", panel=TEXT_PANEL)
    ] = "auto"

    def open(self, corpus: list[str] | None) -> Any:
        """Open a corpus."""
        from slant.corpus import load_corpus
        from slant.errors import SlantError

        if not corpus:
            raise SlantError("no corpus was given; name a file, a folder or data with --corpus.")
        return load_corpus(corpus[0] if len(corpus) == 1 else corpus, column=self.column, split=self.split)


@dataclass(frozen=True)
class Encoding:
    """How an encoder is loaded and asked."""

    layer: Annotated[
        str | None,
        _option(
            "--layer", metavar="N", shown="last, mean of all, or a number; default: last (ELMo: mean).",
            panel=MODEL_PANEL,
        ),
    ] = None  # fmt: skip
    pieces: Annotated[
        str, _option("--pieces", shown="A word of several pieces: mean of their vectors, or first.", panel=MODEL_PANEL)
    ] = "mean"
    device: Annotated[
        str | None,
        _option("--device", metavar="NAME", shown="cpu, cuda or mps; default: the best there is.", panel=MODEL_PANEL),
    ] = None
    dtype: Annotated[str, _option("--dtype", shown="Precision of the weights.", panel=MODEL_PANEL)] = "float32"
    no_cache: Annotated[bool, _option("--no-cache", shown="Keep nothing for a later run.", panel=MODEL_PANEL)] = False

    def open(self, model: str | None, *, quiet: bool) -> Any:
        """Open an encoder; what it has to say while loading goes to standard error."""
        from slant.models.encoder_loading import load_encoder

        settings: dict[str, Any] = {"layer": read_layer(self.layer), "pieces": self.pieces, "dtype": self.dtype}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            encoder = load_encoder(model, device=self.device, **settings)
        if not quiet:
            for warning in caught:
                note(warning.message)
        return encoder

    def store(self) -> Path | None:
        """Return the folder that keeps vectors; a run that is stopped finds there what it had."""
        from slant.data import cache_folder

        return None if self.no_cache else cache_folder() / "encoders"


@dataclass(frozen=True)
class Choosing:
    """Which words are looked at."""

    pairs: Annotated[
        str, _option("--pairs", metavar="SET|FILE", shown="The pairs that are swapped.", panel=WORDS_PANEL)
    ] = "definitional-pairs"
    words: Annotated[str, _option("--words", metavar="SET|FILE|a,b,…", shown="The professions.", panel=WORDS_PANEL)] = (
        "professions"
    )
    drop_specific: Annotated[
        bool,
        _option("--drop-specific", shown="Direct bias without professions gendered by definition.", panel=WORDS_PANEL),
    ] = False
    specific: Annotated[
        str,
        _option(
            "--specific",
            metavar="SET|FILE|a,b,…",
            panel=WORDS_PANEL,
            shown="Words that hold the concept by definition.",
        ),
    ] = "gender-specific-words"
    poles: Annotated[
        str, _option("--poles", metavar="a,b", shown="Biased words lean to a or b.", panel=WORDS_PANEL)
    ] = "he,she"
    top: Annotated[
        int, _option("--top", "--most-biased", metavar="N", min=25, shown="Words a side to cluster.", panel=WORDS_PANEL)
    ] = 500
    classified: Annotated[
        int, _option("--classified", metavar="N", min=25, shown="Words a side to classify.", panel=WORDS_PANEL)
    ] = 2_500
    k: Annotated[
        int,
        _option("--k", "--neighbours", metavar="N", min=1, shown="Neighbours of a profession.", panel=WORDS_PANEL),
    ] = 100

    def settings(self) -> dict[str, Any]:
        """Return what the measure takes."""
        from slant.cli.geometry import read_poles
        from slant.cli.polarity import set_or_words

        return {
            "poles": read_poles(self.poles), "specific": set_or_words(self.specific),
            "pairs": self.pairs, "professions": set_or_words(self.words), "keep_specific": not self.drop_specific,
            "top": self.top, "classified": self.classified, "k": self.k,
        }  # fmt: skip


@dataclass(frozen=True)
class ContextualOutput(Output):
    """Where the result is written: also as a picture."""

    PICTURES = ("chart",)

    chart: Annotated[
        Path | None,
        typer.Option("--chart", metavar="FILE", help="Draw it (.svg, .png or .html).", rich_help_panel=o.OUT),
    ] = None


@command
def contextual_command(
    model: Annotated[
        str | None,
        typer.Argument(metavar="MODEL", help="An encoder: hub name, folder or data name; nothing: all-MiniLM-L6-v2."),
    ] = None,
    corpus: Annotated[
        list[str] | None,
        typer.Option(
            "--corpus", metavar="PATH|NAME", help="Text, table or JSON file, folder or data name; can be repeated."
        ),
    ] = None,
    original: Annotated[
        str | None,
        typer.Option(
            "--original", metavar="MODEL", help="Static embedding to choose biased words in; nothing: the sample."
        ),
    ] = None,
    repeats: Annotated[
        int, typer.Option("--repeats", metavar="N", min=1, help="Repeats, each with other sentences.")
    ] = 10,
    swaps: Annotated[
        int, typer.Option("--swaps", metavar="N", min=1, help="Swapped sentences for each pair and repeat.")
    ] = 20,
    gamma: Annotated[
        str, typer.Option("--gamma", metavar="scale|auto|X", help="Width of the classifier's kernel.")
    ] = "scale",
    random_pairs: Annotated[
        int, typer.Option("--random-pairs", metavar="N", min=0, help="Draws of random pairs; 0: none.")
    ] = 1_000,
    compare: Annotated[
        bool, typer.Option("--compare", help="Beside it the static embedding, as it is and debiased (hard).")
    ] = False,
    picture: Annotated[
        str, typer.Option("--picture", help="How words are laid out: auto, umap, pca, or none.")
    ] = "auto",
    *,
    text: Text,
    encoding: Encoding,
    choosing: Choosing,
    running: Running,
    output: ContextualOutput,
) -> None:
    """Gender bias of contextual vectors (Basta et al. 2019): subspace, direct bias, clusters, classifier, neighbours.

    Every repeat takes other sentences; mean and range are shown, with what chance gives. A run that is stopped goes on
    where it was when the same command is given again (unless --no-cache).
    """
    from slant.cli.geometry import read_gamma
    from slant.cli.loading import open_vectors
    from slant.cli.printing import deliver, write_chart
    from slant.cli.progress import bar, noted, resumable
    from slant.measures import contextual_bias
    from slant.measures.residual_clustering import check_picture

    check_picture(picture)
    sentences = text.open(corpus)
    static = open_vectors(original, Reading(no_cache=encoding.no_cache), quiet=running.quiet)
    encoder = encoding.open(model, quiet=running.quiet)
    kept = not encoding.no_cache
    with resumable(kept=kept), noted(quiet=running.quiet), bar(quiet=running.quiet) as progress:
        result = contextual_bias(
            encoder, sentences, original=static, repeats=repeats, swaps=swaps, gamma=read_gamma(gamma),
            random_pairs=random_pairs, picture=picture, compare=static_columns(static) if compare else None,
            store=encoding.store(), progress=progress, rng=running.seed, **choosing.settings(),
        )  # fmt: skip
    deliver(result, output, quiet=running.quiet)
    if output.chart is not None:
        from slant.report.contextual_charts import contextual_chart

        write_chart(contextual_chart(result), output.chart)


def read_layer(text: str | None) -> str | int | None:
    """Read a layer: a number, or a word as it is.

    >>> read_layer("-1"), read_layer("mean"), read_layer(None)
    (-1, 'mean', None)
    """
    return int(text) if text is not None and text.removeprefix("-").isdecimal() else text


def static_columns(original: WordVectors) -> dict[str, WordVectors]:
    """Return the columns that stand beside the contextual one."""
    from slant.debias import hard_debias

    return {"static": original, "debiased": hard_debias(original)}
