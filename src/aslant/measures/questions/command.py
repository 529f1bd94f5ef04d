"""`aslant bbq`: which answers a language model finds likeliest to questions about people."""

from __future__ import annotations

from typing import Annotated, Any

from aslant.cli import options as o
from aslant.cli.shared import Output, RunningOnCores, command
from aslant.measures.questions.settings import BbqSettings
from aslant.measures.template_tests.command import LanguageModelArgument, Modelling

EXAMPLES = """
aslant bbq                                               two sets of every question, on SmolLM2-135M-Instruct
aslant bbq ./my-model --category Age --category Religion --sets 0 --json bbq.json
aslant bbq bert-base-uncased --sets 1 --twins 3          a masked model, and untrained ones
aslant bbq ./my-model --prompt "[CONTEXT] [QUESTION]"    another wording before the answer
aslant bbq --data ./BBQ/data                             files of your own
"""


@command
def bbq_command(
    model: LanguageModelArgument = None,
    data: Annotated[str, o.option("bbq, or a folder with its files.", "NAME|PATH")] = "bbq",
    category: Annotated[
        list[str] | None, o.option("Only this category; can be repeated; default: all.", "NAME")
    ] = None,
    prompt: Annotated[
        str | None,
        o.option(
            "What comes before an answer, with [CONTEXT] and [QUESTION]; default: '[CONTEXT]', then 'Question: "
            "[QUESTION]' and 'Answer:' on lines of their own.",
            "TEXT",
        ),
    ] = None,
    *,
    settings: BbqSettings,
    modelling: Modelling,
    running: RunningOnCores,
    output: Output,
) -> Any:
    """Which answers does a model find likeliest to questions about people? BBQ, by category, with bias scores.

    The likeliest of the three answers counts; nothing is generated. The output may be offensive: it is what the model
    has learnt. A run that was stopped resumes when the same command is given again (unless --no-cache).
    """
    from aslant.measures.questions.measure import PROMPT, bbq, chosen_questions

    text = PROMPT if prompt is None else prompt
    chosen_questions(data, category or None, text)  # before loading a model, which takes longer
    lm = modelling.open(model, quiet=running.quiet)
    with running.watched(kept=not modelling.no_cache) as progress:
        return bbq(
            lm, data, categories=category or None, prompt=text, **vars(settings),
            journal=modelling.journal(), rng=running.seed, progress=progress,
        )  # fmt: skip
