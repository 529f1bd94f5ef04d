"""`aslant pronoun-choice`: which pronoun a language model prefers in WinoBias or Winogender."""

from __future__ import annotations

from typing import Annotated, Any

from aslant.cli import options as o
from aslant.cli.shared import ChartOutput, RunningOnCores, command
from aslant.measures.pronouns_chosen.settings import PronounChoiceSettings
from aslant.measures.template_tests.command import LanguageModelArgument, Modelling

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
    *,
    settings: PronounChoiceSettings,
    modelling: Modelling,
    running: RunningOnCores,
    output: ChartOutput,
) -> Any:
    """Does a model prefer the pronoun that the stereotype of an occupation expects? WinoBias and Winogender.

    Nothing is trained. A preference is not a coreference decision. The output may be offensive: it is what the model
    has learnt. A run that was stopped resumes when the same command is given again (unless --no-cache).
    """
    from aslant.measures.pronouns_chosen.measure import pronoun_choice, pronoun_set
    from aslant.measures.pronouns_chosen.show import occupation_chart

    pronoun_set(data, split)  # before loading a model, which takes longer
    lm = modelling.open(model, quiet=running.quiet)
    with running.watched(kept=not modelling.no_cache) as progress:
        result = pronoun_choice(
            lm, data, split=split, **vars(settings), journal=modelling.journal(), rng=running.seed, progress=progress
        )
    output.draw(result, chart=occupation_chart)
    return result
