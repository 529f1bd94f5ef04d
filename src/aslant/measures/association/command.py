"""`aslant weat`, `aslant multi-weat` and `aslant wefat`: association tests on word vectors."""

from __future__ import annotations

from typing import Annotated, Any

from aslant.cli import options as o
from aslant.cli.encoders import Tests
from aslant.cli.shared import Output, Reading, Running, command
from aslant.measures.association.settings import GroupsSettings, WeatSuiteSettings, WefatSettings

EXAMPLES = {
    "weat": """
aslant weat                                       every WEAT on the bundled sample
aslant weat cc.de.300.vec --language de           tests in German (see: aslant data licence weathub-de)
aslant weat glove.6B.100d.txt --test weat-6       one test on your embedding
aslant weat glove.6B.zip/glove.6B.50d.txt         a file inside an archive
aslant weat vectors.bin --words my-test.csv       your own word lists: CSV, Excel, text, JSON or TOML
aslant weat --targets "old: elderly,aged" --targets "young: youth,teenage" --attributes calm,slow --attributes wild,fast
aslant weat glove-840b-34k --vocabulary all-minilm-l6-v2 --equalise    only words that BERT has as one piece
aslant weat vectors.bin --json result.json --latex table.tex
""",
    "multi-weat": """
aslant multi-weat --groups weat-6 --attributes weat-6     a WEAT as g: the same p-value
aslant multi-weat glove.txt --groups religions-four --attributes mine.toml
aslant multi-weat glove.txt --groups ages.toml --attributes places.toml --json g.json
Files have a list for each group: TOML (see: aslant words show religions-four), CSV, Excel, JSON or text.
""",
    "wefat": """
aslant wefat                                         occupations between male and female terms, on the sample
aslant wefat glove.6B.100d.txt --words professions --figure stereotypical
aslant wefat vectors.bin --words my-list.toml --attributes weat-1 --csv scores.csv
aslant wefat --words nurse,engineer --attributes "men: he,man" --attributes "women: she,woman"
""",
}


@command
def weat_command(
    model: o.ModelArgument = None,
    *,
    tests: Tests,
    settings: WeatSuiteSettings,
    reading: Reading,
    running: Running,
    output: Output,
) -> Any:
    """Word Embedding Association Tests (Caliskan et al. 2017), with exact p-values.

    Without --test, --words or --targets, the ten tests of the paper are run (or all in --language) and q-values
    control the false-discovery rate.
    """
    from aslant.cli.encoders import measured
    from aslant.measures.association.measure import weat, weat_suite

    chosen = tests.sets()
    vectors = reading.open(model, quiet=running.quiet)
    return measured(weat, weat_suite, chosen, vectors, **vars(settings), rng=running.seed)


@command
def multi_weat_command(
    groups: Annotated[str, o.option("Groups of words: a class set, or a WEAT's targets.", "SET|FILE")],
    attributes: Annotated[str, o.option("As many attribute sets: a class set, or a WEAT's attributes.", "SET|FILE")],
    model: o.ModelArgument = None,
    *,
    settings: GroupsSettings,
    reading: Reading,
    running: Running,
    output: Output,
) -> Any:
    """WEAT for any number of groups (Swinger et al. 2019, §2.1): the statistic g, and its permutation p-value."""
    from aslant.measures.association.multi_group import generalised_weat

    vectors = reading.open(model, quiet=running.quiet)
    return generalised_weat(vectors, groups, attributes, **vars(settings), rng=running.seed)


@command
def wefat_command(
    model: o.ModelArgument = None,
    words: Annotated[
        str, o.option("A word set, a file of your own, or words separated by commas.", "SET|FILE|a,b,…")
    ] = "occupations-share-of-women",
    attributes: Annotated[
        list[str] | None,
        o.option(
            "A WEAT whose attributes are used (default: weat-7), a file with two lists, or two lists.",
            "TEST|FILE|a,b,…",
        ),
    ] = None,
    figure: Annotated[str | None, o.option("Column of the word set to correlate with.", "COLUMN")] = None,
    *,
    settings: WefatSettings,
    reading: Reading,
    running: Running,
    output: Output,
) -> Any:
    """Single-category association (WEFAT, SC-WEAT): how words lean, and how that correlates with a figure."""
    from aslant.measures.association.single_words import wefat
    from aslant.measures.polarities.command import set_or_words

    vectors, pair = reading.open(model, quiet=running.quiet), attributes or ["weat-7"]
    given: Any = pair if len(pair) > 1 else pair[0]
    return wefat(vectors, set_or_words(words), attributes=given, figure=figure, **vars(settings), rng=running.seed)
