"""`aslant holistic`: how likely a language model finds descriptors of people."""

from __future__ import annotations

from typing import Annotated, Any

from aslant.cli import options as o
from aslant.cli.shared import Output, RunningOnCores, command
from aslant.measures.descriptors.settings import HolisticBiasSettings
from aslant.measures.template_tests.command import LanguageModelArgument, Modelling

EXAMPLES = """
aslant holistic                                      every axis of HolisticBias, on SmolLM2-135M-Instruct
aslant holistic bert-base-uncased --axis religion --axis ability --csv descriptors.csv
aslant holistic ./my-model --descriptors 12 --twins 3      twelve descriptors of each axis, untrained models too
aslant holistic ./my-model --nouns 32 --json all.json      every noun in every template, and the published share
aslant holistic --data ./holistic_bias/dataset/v1.1        files of your own
"""


@command
def holistic_command(
    model: LanguageModelArgument = None,
    data: Annotated[str, o.option("holisticbias, or a folder with its files.", "NAME|PATH")] = "holisticbias",
    axis: Annotated[list[str] | None, o.option("Only this axis; can be repeated; default: all.", "NAME")] = None,
    *,
    settings: HolisticBiasSettings,
    modelling: Modelling,
    running: RunningOnCores,
    output: Output,
) -> Any:
    """How likely does a model find descriptors of people in the same sentences? HolisticBias, 13 axes.

    The output contains terms that may offend. A run that was stopped resumes when the same command is given again
    (unless --no-cache).
    """
    from aslant.measures.descriptors.measure import chosen_descriptors, holistic_bias

    chosen_descriptors(data, axis or None)  # before loading a model, which takes longer
    lm = modelling.open(model, quiet=running.quiet)
    with running.watched(kept=not modelling.no_cache) as progress:
        return holistic_bias(
            lm, data, axes=axis or None, **vars(settings), journal=modelling.journal(), rng=running.seed,
            progress=progress,
        )  # fmt: skip
