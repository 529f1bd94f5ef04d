"""`aslant pronoun-resolution`: to whom a pronoun refers according to a model's vectors, by gender."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from aslant.cli import options as o
from aslant.cli.encoders import EncoderArgument, KeptEncoding
from aslant.cli.shared import ChartOutput, RunningOnCores, command
from aslant.measures.pronouns_resolved.settings import TOPICS, TRAINING, PronounSettings

EXAMPLES = """
aslant pronoun-resolution                         all-MiniLM-L6-v2, GAP's development file, topics without bias
aslant pronoun-resolution all-minilm-l6-v2 --lm sample-mlm --chart neither.svg --bias-chart bias.svg
aslant pronoun-resolution bert-base-uncased --lm bert-base-uncased --gap gap-development.tsv --samples predictions.csv
aslant pronoun-resolution bert-base-uncased --train gap/gap-test.tsv --train gap/gap-validation.tsv --units 37
"""


@dataclass(frozen=True)
class Training:
    """How the classifier is trained."""

    units: Annotated[int, o.option("Units of the hidden layer.", "N", panel=TRAINING, min=1)] = 31
    dropout: Annotated[float, o.option("Share of units left out while training.", "X", panel=TRAINING)] = 0.6
    l2: Annotated[float, o.option("L2 penalty of the output layer.", "X", panel=TRAINING)] = 0.1
    learning_rate: Annotated[float, o.option("Step size of Adam.", "X", panel=TRAINING)] = 0.001
    batch: Annotated[int, o.option("Samples per step.", "N", panel=TRAINING, min=1)] = 32
    epochs: Annotated[int, o.option("Maximum number of passes over the samples.", "N", panel=TRAINING, min=1)] = 1000
    patience: Annotated[int, o.option("Passes without progress on held-out samples.", "N", panel=TRAINING, min=1)] = 100


@dataclass(frozen=True)
class PronounsOutput(ChartOutput):
    """Where results are written: also every sample, and pictures."""

    PICTURES = ("chart", "bias_chart")

    samples: Annotated[Path | None, o.option("Write every sample as CSV.", "FILE")] = None
    bias_chart: Annotated[Path | None, o.option("Draw “neither” against topics' bias (.svg, .png, .html).", "FILE")] = (
        None
    )


@command
def pronouns_command(
    model: EncoderArgument = None,
    gap: Annotated[
        list[str] | None, o.option("GAP file, its folder, or data name; can be repeated.", "FILE|NAME")
    ] = None,
    train: Annotated[
        list[str] | None, o.option("Train on these instead of folds; can be repeated.", "FILE|NAME")
    ] = None,
    lm: Annotated[str | None, o.option("A language model that scores topics' words.", "MODEL", panel=TOPICS)] = None,
    *,
    settings: PronounSettings,
    encoding: KeptEncoding,
    training: Training,
    running: RunningOnCores,
    output: PronounsOutput,
) -> Any:
    """Resolve gendered pronouns with a model's vectors: does "neither" come up more for one gender (Kurita et al.)?

    Topics of the texts and what a language model associates with them may be offensive. A run that was stopped
    resumes when the same command is given again (unless --no-cache).
    """
    from aslant.data import cache_folder
    from aslant.errors import AslantError
    from aslant.io.files import write_text
    from aslant.measures.pronouns_resolved.gap_files import read_gap
    from aslant.measures.pronouns_resolved.measure import pronoun_resolution
    from aslant.measures.pronouns_resolved.show import neither_by_bias, neither_by_gender, samples_table
    from aslant.measures.template_tests.command import Modelling
    from aslant.models.classifier import Classifier
    from aslant.report.tables import to_csv

    if output.bias_chart is not None and lm is None:
        raise AslantError("--bias-chart needs a language model to score topics; add --lm MODEL.")
    classifier, read = Classifier(**vars(training)), gap or ["gap"]
    read_gap(read)  # report a bad row before loading a model
    encoder = encoding.open(model, quiet=running.quiet)
    scoring = None if lm is None else Modelling(device=encoding.device).open(lm, quiet=running.quiet)
    kept = not encoding.no_cache
    with running.watched(kept=kept) as progress:
        result = pronoun_resolution(
            encoder, read, lm=scoring, train=train or None, classifier=classifier, **vars(settings),
            journal=cache_folder() / "pronouns" if kept else None, store=encoding.store(), progress=progress,
            rng=running.seed,
        )  # fmt: skip
    output.draw(result, chart=neither_by_gender, bias_chart=neither_by_bias)  # what cannot be drawn is reported first
    if output.samples is not None:
        write_text(output.samples, to_csv(samples_table(result)))
    return result
