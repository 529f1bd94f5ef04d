"""`aslant scores`, and a command for each score of word sets, all made alike."""

from __future__ import annotations

from typing import Annotated, Any

from aslant.cli import options as o
from aslant.cli.encoders import Tests
from aslant.cli.shared import Output, Reading, Running, command
from aslant.measures.set_scores.settings import ScoresSettings

ABOUT = {
    "relative-norm": "Relative norm distance (Garg et al. 2018): how much nearer attributes are to one group.",
    "ripa": "RIPA (Ethayarajh et al. 2019): inner products of attributes with the differences of word pairs.",
    "mac": "MAC (Manzini et al. 2019): the mean cosine distance of targets to attribute sets.",
    "ect": "ECT (Dev & Phillips 2019): do two groups rank attributes in the same order?",
    "rnsb": "RNSB (Sweeney & Najafian 2019): is negative sentiment spread evenly over target words?",
    "same": "SAME (Schröder et al. 2022): how far target words lean to either attribute set.",
    "ml-eat": "ML-EAT (Wolfe et al. 2024): WEAT's d, and the levels that it is made of.",
}
MORE = """

Every score stands beside what random attributes of the same frequency give, and has an interval over the choice of
words. Without --test or --words, the ten word sets of WEAT (Caliskan et al. 2017) are scored, or all in --language.
"""
EXAMPLES = {
    name: f"""
aslant {name}                                     the ten word sets of WEAT, on the bundled sample
aslant {name} glove.6B.100d.txt --test weat-6     one word set on your embedding
aslant {name} vectors.bin --words my-test.csv     your own word lists: CSV, Excel, text, JSON or TOML
"""
    for name in ABOUT
} | {
    "scores": """
aslant scores                                       every score of the ten word sets of WEAT, on the bundled sample
aslant scores glove.6B.100d.txt --test weat-6       all scores of one word set
aslant scores before.bin after.bin --score rnsb,same
aslant scores vectors.bin --csv scores.csv          one row for each score of each word set
""",
}


@command
def scores_command(
    model: Annotated[
        list[str] | None,
        o.argument("Embeddings: file, folder, archive or data name; default: the bundled sample.", "MODEL…"),
    ] = None,
    score: Annotated[
        str | None, o.option(f"Scores, separated by commas ({', '.join(ABOUT)}); default: all.", "NAME,…")
    ] = None,
    *,
    tests: Tests,
    settings: ScoresSettings,
    reading: Reading,
    running: Running,
    output: Output,
) -> Any:
    """Seven published scores of the same word sets side by side, against chance, and how far they agree."""
    from aslant.measures.set_scores.side_by_side import word_set_scores

    chosen, names = tests.sets() or None, score and [name.strip() for name in score.split(",")]
    given: list[Any] = list(model or ()) or [None]
    opened = [reading.open(name, quiet=running.quiet) for name in given]
    return _suite(word_set_scores(opened, chosen, scores=names, **vars(settings), rng=running.seed))


def _suite(suite: Any) -> Any:
    from aslant.cli.printing import need_results

    need_results(suite)
    return suite


def _command(name: str) -> Any:
    """Make the command of one score."""

    def run(
        model: o.ModelArgument = None,
        *,
        tests: Tests,
        settings: ScoresSettings,
        reading: Reading,
        running: Running,
        output: Output,
    ) -> Any:
        from aslant.measures.set_scores import measure, side_by_side

        own = tests.lists()
        chosen = None if own else tests.sets() or None
        vectors = reading.open(model, quiet=running.quiet)
        how = {**vars(settings), "rng": running.seed}
        score = getattr(measure, name.replace("-", "_"))
        if own:  # as many sets as the score takes, not always two and two
            return score(vectors, **own, **how)
        if chosen and len(chosen) == 1:
            return score(vectors, chosen[0], **how)
        return _suite(side_by_side.word_set_scores(vectors, chosen, scores=[name], **how))

    run.__doc__ = ABOUT[name] + MORE
    return command(run)


relative_norm_command, ripa_command, mac_command, ect_command, rnsb_command, same_command, ml_eat_command = map(
    _command, ABOUT
)
