"""`aslant contextual`: bias in an encoder's vectors of words in sentences of a corpus."""

from __future__ import annotations

from typing import Annotated, Any

from aslant.cli import options as o
from aslant.cli.encoders import CorpusOption, EncoderArgument, KeptEncoding, Text
from aslant.cli.shared import ChartOutput, Reading, RunningOnCores, command
from aslant.measures.in_context.settings import WORDS, ContextualSettings

EXAMPLES = """
aslant contextual --corpus news.en.gz                        all-MiniLM-L6-v2, biased words from the bundled sample
aslant contextual elmo-original --corpus news.en.gz --compare --chart elmo.svg
aslant contextual bert-base-uncased --corpus gap --corpus bold --original googlenews-26k --json bert.json
aslant contextual ./my-bert --corpus texts.csv --column body --layer mean --repeats 3 --top 200 --classified 1000
"""


@command
def contextual_command(
    model: EncoderArgument = None,
    corpus: CorpusOption = None,
    original: Annotated[
        str | None, o.option("Static embedding to choose biased words in; default: the sample.", "MODEL")
    ] = None,
    pairs: Annotated[str, o.option("The pairs that are swapped.", "SET|FILE", panel=WORDS)] = "definitional-pairs",
    words: Annotated[str, o.option("The professions.", "SET|FILE|a,b,…", panel=WORDS)] = "professions",
    drop_specific: Annotated[
        bool, o.option("Direct bias without professions gendered by definition.", panel=WORDS)
    ] = False,
    specific: Annotated[
        str, o.option("Words that have the concept by definition.", "SET|FILE|a,b,…", panel=WORDS)
    ] = "gender-specific-words",
    poles: Annotated[str, o.option("Biased words lean to a or b.", "a,b", panel=WORDS)] = "he,she",
    gamma: Annotated[str, o.option("Width of the classifier's kernel.", "scale|auto|X")] = "scale",
    compare: Annotated[bool, o.option("Also measure the static embedding, as it is and debiased (hard).")] = False,
    *,
    settings: ContextualSettings,
    text: Text,
    encoding: KeptEncoding,
    running: RunningOnCores,
    output: ChartOutput,
) -> Any:
    """Gender bias of contextual vectors (Basta et al. 2019): subspace, direct bias, clusters, classifier, neighbours.

    Every repeat uses different sentences; mean and range are shown, with what chance gives. A run that was stopped
    resumes when the same command is given again (unless --no-cache).
    """
    from aslant.debias import hard_debias
    from aslant.measures.geometry.command import read_gamma, read_poles
    from aslant.measures.in_context.measure import contextual_bias
    from aslant.measures.in_context.show import contextual_chart
    from aslant.measures.polarities.command import set_or_words

    sides, sentences = read_poles(poles), text.open(corpus)
    static = Reading(no_cache=encoding.no_cache).open(original, quiet=running.quiet)
    encoder = encoding.open(model, quiet=running.quiet)
    with running.watched(kept=not encoding.no_cache) as progress:
        result = contextual_bias(
            encoder, sentences, original=static, pairs=pairs, professions=set_or_words(words), poles=sides,
            specific=set_or_words(specific), keep_specific=not drop_specific, gamma=read_gamma(gamma), **vars(settings),
            compare={"static": static, "debiased": hard_debias(static)} if compare else None,
            store=encoding.store(), progress=progress, rng=running.seed,
        )  # fmt: skip
    output.draw(result, chart=contextual_chart)
    return result
