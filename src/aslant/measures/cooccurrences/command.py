"""`aslant pmi`: which words a text puts near one set of words rather than another."""

from __future__ import annotations

from typing import Annotated, Any

from aslant.cli import options as o
from aslant.cli.encoders import CorpusOption, Text
from aslant.cli.shared import Output, Running, command
from aslant.measures.cooccurrences.settings import PmiSettings

EXAMPLES = """
aslant pmi --corpus news.txt                                       occupations near male or female terms
aslant pmi --corpus gap --corpus bold --csv words.csv              texts by data name
aslant pmi --corpus news.csv --column body --test weat-6           names near career or family words
aslant pmi --corpus news.txt --words nurse,clerk,pilot --contexts weat-8 --window 5
aslant pmi --corpus news.txt --words nurse,clerk --contexts "men: he, man" --contexts "women: she, woman"
"""


@command
def pmi_command(
    corpus: CorpusOption = None,
    words: Annotated[
        str, o.option("A word set, a file of your own, or words separated by commas.", "SET|FILE|a,b,…")
    ] = "occupations-share-of-women",
    contexts: Annotated[
        list[str] | None,
        o.option(
            "A WEAT whose two attribute sets are the contexts, two classes or lists, or given twice, a list each "
            "('men: he, man'); default: weat-7.",
            "TEST|FILE|a,b,…",
        ),
    ] = None,
    test: Annotated[
        str | None, o.option("A WEAT: its attributes are the words, its targets the contexts.", "TEST|FILE")
    ] = None,
    figure: Annotated[str | None, o.option("Column of the word set to correlate with.", "COLUMN")] = None,
    *,
    settings: PmiSettings,
    text: Text,
    running: Running,
    output: Output,
) -> Any:
    """Bias of a text by co-occurrence (Valentini et al. 2023): log odds ratios with intervals; nothing is trained.

    Each word is compared with words of the text of about the same frequency.
    """
    from aslant.measures.cooccurrences.measure import pmi_bias
    from aslant.measures.polarities.command import set_or_words

    sentences = text.open(corpus)
    sides = contexts if contexts and len(contexts) > 1 else (contexts or ["weat-7"])[0]
    how = {**vars(settings), "contexts": sides, "test": test, "figure": figure, "rng": running.seed}
    with running.watched() as progress:
        return pmi_bias(sentences, set_or_words(words), **how, progress=progress)
