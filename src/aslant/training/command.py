"""`aslant train`: vectors from texts of one's own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from aslant.cli import options as o
from aslant.cli.encoders import Text
from aslant.cli.shared import Output, RunningOnCores, command
from aslant.errors import AslantError, plural
from aslant.training.settings import TrainingSettings

EXAMPLES = """
aslant train news.txt -o news.safetensors                        word2vec; settings by the amount of text
aslant train texts/ -o glove.safetensors --method glove          GloVe, which needs no extra
aslant train speeches.csv --column body --by year -o by-year     one embedding for each year
aslant train texts/ --by decade --bootstrap 10 -o by-decade      years in file names; how sure is it?
aslant train news.txt --runs 5 -o runs                           five seeds: what one training is worth
zcat news.gz | aslant train - -o news.safetensors                from standard input, a document in each line
"""


@dataclass(frozen=True)
class TrainingOutput(Output):
    """Where vectors are written, besides the table."""

    output: Annotated[
        Path | None,
        o.option(
            "A .safetensors file (or .bin, .txt, .vec, .npz) for one training; a folder for several.", "FILE|FOLDER",
            "--output", "-o",
        ),
    ] = None  # fmt: skip

    def check(self, inputs: Iterable[str] = ()) -> None:
        """Refuse before any work what could not be written after it."""
        if self.output is None:
            raise AslantError("name what to write with -o, such as -o vectors.safetensors.")
        super().check(inputs)


@command
def train_command(
    texts: Annotated[
        list[str], o.argument("Text, table or JSON files, folders or data names; '-': standard input.", "TEXTS…")
    ],
    by: Annotated[
        str | None, o.option("One embedding for each: year, decade, or the value of a column.", "year|decade|COLUMN")
    ] = None,
    pairs: Annotated[str | None, o.option("GN-GloVe: pairs of words to separate.", "SET|FILE")] = None,
    *,
    settings: TrainingSettings,
    text: Text,
    running: RunningOnCores,
    files: TrainingOutput,
) -> Any:
    """Train word vectors on texts of your own; one training is one draw, so repeat it with --runs or --bootstrap.

    Settings that you leave out depend on the amount of text, and are shown and recorded. Vectors are written as soon
    as they are finished; stopped by Ctrl-C, the same command resumes. Results do not depend on the number of workers.
    """
    from aslant.training.train import RECORD, train

    corpus = text.open(texts)
    with running.watched(kept=files.output is not None) as progress:
        made = train(
            corpus, **vars(settings), by=by, pairs=pairs, output=files.output, rng=running.seed, progress=progress
        )
    if not running.quiet:
        count = sum(map(len, made.by_period.values()))
        what = f"{plural(count, 'training')} and {RECORD}" if count > 1 else f"{len(made.vectors):,} words"
        print(f"written: {files.output} ({what})", file=files.spare())
    return made.result
