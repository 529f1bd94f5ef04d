"""`aslant pairs`: which of two sentences, a more and a less stereotyping one, a model finds more probable."""

from __future__ import annotations

from typing import Annotated, Any

from aslant.cli import options as o
from aslant.cli.shared import ChartOutput, RunningOnCores, command
from aslant.measures.paired_sentences.settings import SentencePairsSettings
from aslant.measures.template_tests.command import LanguageModelArgument, Modelling

EXAMPLES = """
aslant pairs bert-base-uncased                                CrowS-Pairs, within-word pseudo-log-likelihoods
aslant pairs bert-base-uncased --score crows --twins 0        as Nangia et al. score them
aslant pairs --set stereoset --sample 500 --csv pairs.csv     a causal model (SmolLM2), 500 pairs
aslant pairs dbmdz/bert-base-german-cased --set bec-pro --language de --chart groups.svg
aslant pairs ./my-bert --set mine.csv --against bert-base-uncased
"""


@command
def pairs_command(
    model: LanguageModelArgument = None,
    set_: Annotated[
        str,
        o.option(
            "crows-pairs, crows-pairs-revised, stereoset, bec-pro, or a table with the columns sent_more, sent_less, "
            "bias_type.",
            "NAME|FILE",
            "--set",
        ),
    ] = "crows-pairs",
    language: Annotated[str, o.option("Language of BEC-Pro: en or de.")] = "en",
    against: Annotated[
        str | None, o.option("Compare with this model on the same pairs (McNemar's test).", "MODEL")
    ] = None,
    *,
    settings: SentencePairsSettings,
    modelling: Modelling,
    running: RunningOnCores,
    output: ChartOutput,
) -> Any:
    """Does a model find stereotyping sentences more probable? CrowS-Pairs, StereoSet, BEC-Pro, or pairs of your own.

    The sentences and the output contain offensive stereotypes. A run that was stopped resumes when the same command is
    given again (unless --no-cache).
    """
    from aslant.measures.paired_sentences.comparison import compare_pairs
    from aslant.measures.paired_sentences.measure import pair_set, sentence_pairs
    from aslant.measures.paired_sentences.show import groups_chart

    pair_set(set_, language)  # before loading a model, which takes longer
    found = []
    for name in (model, *([against] if against is not None else [])):
        lm = modelling.open(name, quiet=running.quiet)
        with running.watched(kept=not modelling.no_cache) as progress:
            found.append(sentence_pairs(
                lm, set_, language=language, **vars(settings), journal=modelling.journal(), rng=running.seed,
                progress=progress,
            ))  # fmt: skip
    output.draw(found[0], chart=groups_chart)
    return found[0] if against is None else compare_pairs(*found)
