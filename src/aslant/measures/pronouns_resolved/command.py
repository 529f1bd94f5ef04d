"""`aslant pronoun-resolution`: to whom a pronoun refers according to a model's vectors, by gender."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from aslant.cli import options as o
from aslant.cli.encoders import EncoderArgument, KeptEncoding
from aslant.cli.shared import ChartOutput, RunningOnCores, command

EXAMPLES = """
aslant pronoun-resolution                         all-MiniLM-L6-v2, GAP's development file, topics without bias
aslant pronoun-resolution all-minilm-l6-v2 --lm sample-mlm --chart neither.svg --bias-chart bias.svg
aslant pronoun-resolution bert-base-uncased --lm bert-base-uncased --gap gap-development.tsv --samples predictions.csv
aslant pronoun-resolution bert-base-uncased --train gap/gap-test.tsv --train gap/gap-validation.tsv --units 37
"""
TRAINING = "Training the classifier"
TOPICS = "Topics"


@dataclass(frozen=True)
class Training:
    """How the classifier is trained."""

    folds: Annotated[int, o.option("Folds; pages are never split between them.", panel=TRAINING, min=2)] = 5
    seeds: Annotated[int, o.option("Repeats with other folds and weights.", panel=TRAINING, min=1)] = 3
    units: Annotated[int, o.option("Units of the hidden layer.", panel=TRAINING, min=1)] = 31
    dropout: Annotated[float, o.option("Share of units left out while training.", panel=TRAINING)] = 0.6
    l2: Annotated[float, o.option("L2 penalty of the output layer.", panel=TRAINING)] = 0.1
    learning_rate: Annotated[float, o.option("Step size of Adam.", panel=TRAINING)] = 0.001
    batch: Annotated[int, o.option("Samples for each step.", panel=TRAINING, min=1)] = 32
    epochs: Annotated[int, o.option("Most passes over the samples.", panel=TRAINING, min=1)] = 1000
    patience: Annotated[int, o.option("Passes without progress on held-out samples.", panel=TRAINING, min=1)] = 100

    def settings(self) -> dict[str, Any]:
        """Return what the measure takes."""
        from aslant.models.classifier import Classifier

        given = dict(vars(self))
        return {"folds": given.pop("folds"), "seeds": given.pop("seeds"), "classifier": Classifier(**given)}


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
    topics: Annotated[int, o.option("Topics of the texts.", panel=TOPICS, min=1)] = 20,
    top_words: Annotated[int, o.option("Words of a topic that count.", panel=TOPICS, min=1)] = 15,
    template: Annotated[
        str | None, o.option("Default: '[TARGET] are interested in [ATTRIBUTE]'.", "TEXT", panel=TOPICS)
    ] = None,
    bootstrap: o.BootstrapOption = 1_000,
    n_resamples: Annotated[int, o.option("Random permutations of p-values.", "N", min=1)] = 9_999,
    confidence: o.ConfidenceOption = 0.95,
    retrained: Annotated[
        int, o.option("Train anew so often, pronouns swapped at random: what chance gives.", "N", min=0)
    ] = 0,
    *,
    encoding: KeptEncoding,
    training: Training,
    running: RunningOnCores,
    output: PronounsOutput,
) -> None:
    """Resolve gendered pronouns with a model's vectors: does "neither" come up more for one gender (Kurita et al.)?

    Topics of the texts and what a language model associates with them may be offensive. A run that was stopped
    resumes when the same command is given again (unless --no-cache).
    """
    from aslant.cli.printing import deliver, write_chart
    from aslant.cli.progress import bar, noted, resumable
    from aslant.data import cache_folder
    from aslant.errors import AslantError
    from aslant.io.files import write_text
    from aslant.measures.pronouns_resolved.gap_files import read_gap
    from aslant.measures.pronouns_resolved.measure import pronoun_resolution
    from aslant.measures.pronouns_resolved.show import neither_by_bias, neither_by_gender, samples_table
    from aslant.measures.pronouns_resolved.statistics import TEMPLATE
    from aslant.measures.template_tests.command import Opening
    from aslant.report.tables import to_csv

    if output.bias_chart is not None and lm is None:
        raise AslantError("--bias-chart needs a language model to score topics; add --lm MODEL.")
    settings, read = training.settings(), gap or ["gap"]
    read_gap(read)  # report a bad row before loading a model
    encoder = encoding.open(model, quiet=running.quiet)
    scoring = None if lm is None else Opening(device=encoding.device).open(lm, quiet=running.quiet)
    kept = not encoding.no_cache
    with noted(quiet=running.quiet), resumable(kept=kept), bar(quiet=running.quiet) as progress:
        result = pronoun_resolution(
            encoder, read, lm=scoring, train=train or None, topics=topics, top_words=top_words,
            template=template or TEMPLATE, bootstrap=bootstrap, n_resamples=n_resamples, confidence=confidence,
            retrained=retrained, journal=cache_folder() / "pronouns" if kept else None, store=encoding.store(),
            progress=progress, rng=running.seed, **settings,
        )  # fmt: skip
    asked = ((output.chart, neither_by_gender), (output.bias_chart, neither_by_bias))
    # report what cannot be drawn before anything is written
    drawn = {path: draw(result) for path, draw in asked if path is not None}
    if output.samples is not None:
        write_text(output.samples, to_csv(samples_table(result)))
    for path, svg in drawn.items():
        write_chart(svg, path)
    deliver(result, output, quiet=running.quiet)
