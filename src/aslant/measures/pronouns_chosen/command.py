"""`aslant pronoun-choice`: which pronoun a language model prefers in WinoBias or Winogender."""

from __future__ import annotations

from typing import Annotated

from aslant.cli import options as o
from aslant.cli.shared import ChartOutput, RunningOnCores, command
from aslant.measures.template_tests.command import LanguageModelArgument, Opening

EXAMPLES = """
aslant pronoun-choice bert-base-uncased                            WinoBias, type 1 and type 2
aslant pronoun-choice bert-base-uncased --data winogender --chart occupations.svg
aslant pronoun-choice ./my-bert --data winobias --split test --csv occupations.csv --json all.json
aslant pronoun-choice --data ./WinoBias/data                       a causal model (SmolLM2), files of your own
"""


@command
def pronoun_choice_command(
    model: LanguageModelArgument = None,
    data: Annotated[
        str, o.option("winobias, winogender, a folder with their files, or one file.", "NAME|PATH")
    ] = "winobias",
    split: Annotated[str | None, o.option("dev or test of WinoBias; default: both.")] = None,
    bootstrap: o.BootstrapOption = 2_000,
    confidence: o.ConfidenceOption = 0.95,
    n_resamples: Annotated[int, o.option("Random draws for each p-value that is not exact.", "N", min=1)] = 9_999,
    *,
    opening: Opening,
    running: RunningOnCores,
    output: ChartOutput,
) -> None:
    """Does a model prefer the pronoun that the stereotype of an occupation expects? WinoBias and Winogender.

    Nothing is trained. A preference is not a coreference decision. The output may be offensive: it is what the model
    has learnt. A run that was stopped resumes when the same command is given again (unless --no-cache).
    """
    from aslant.cli.printing import deliver, write_chart
    from aslant.cli.progress import bar, noted, resumable
    from aslant.measures.pronouns_chosen.measure import pronoun_choice, pronoun_set

    pronoun_set(data, split)  # before loading a model, which takes longer
    lm = opening.open(model, quiet=running.quiet)
    with resumable(kept=not opening.no_cache), noted(quiet=running.quiet), bar(quiet=running.quiet) as progress:
        result = pronoun_choice(
            lm, data, split=split, bootstrap=bootstrap, confidence=confidence, n_resamples=n_resamples,
            journal=opening.journal(), rng=running.seed, progress=progress,
        )  # fmt: skip
    if output.chart is not None:
        from aslant.measures.pronouns_chosen.show import occupation_chart

        write_chart(occupation_chart(result), output.chart)
    deliver(result, output, quiet=running.quiet)
