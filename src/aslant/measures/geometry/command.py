"""`aslant geometry`: subspace, direct bias and residual bias, of one embedding or before and after debiasing."""

from __future__ import annotations

from typing import Annotated, Any

from aslant.cli import options as o
from aslant.cli.shared import ChartOutput, Reading, Running, command

EXAMPLES = """
aslant geometry                                              the bundled sample
aslant geometry googlenews-26k --against debiased.bin        before and after debiasing
aslant geometry vectors.bin --seeds 3 --chart geometry.svg   three seeds, with a chart (.svg, .png or .html)
"""


@command
def geometry_command(
    model: o.ModelArgument = None,
    against: Annotated[str | None, o.option("The same embedding after debiasing.", "MODEL")] = None,
    pairs: Annotated[str, o.option("The pairs that define the direction.", "SET|FILE")] = "definitional-pairs",
    words: o.PolarityWordsOption = "professions",
    drop_specific: Annotated[bool, o.option("Direct bias without words that are gendered by definition.")] = False,
    specific: Annotated[
        str, o.option("Words that have the concept by definition.", "SET|FILE|a,b,…")
    ] = "gender-specific-words",
    poles: Annotated[str | None, o.option("Biased words lean to a or b; needed with your own --pairs.", "a,b")] = None,
    most_biased: Annotated[int, o.option("Words per side to cluster.", "N", min=25)] = 500,
    classified: Annotated[int, o.option("Words per side to classify.", "N", min=25)] = 2_500,
    seeds: Annotated[int, o.option("Repeats of each random test.", "N", min=1)] = 10,
    neighbours: Annotated[int, o.option("Neighbours of a word.", "N", min=1)] = 100,
    gamma: Annotated[str, o.option("Width of the classifier's kernel.", "scale|auto|X")] = "scale",
    random_pairs: Annotated[int, o.option("Draws of random pairs, and poles.", "N", min=0)] = 1_000,
    *,
    reading: Reading,
    running: Running,
    output: ChartOutput,
) -> Any:
    """Gender subspace and direct bias (Bolukbasi et al.), and what debiasing leaves behind (Gonen & Goldberg)."""
    from aslant.measures.geometry.measure import geometry
    from aslant.measures.geometry.show import geometry_chart
    from aslant.measures.polarities.command import set_or_words

    vectors = reading.open(model, quiet=running.quiet)
    other = None if against is None else reading.open(against, quiet=running.quiet)
    result = geometry(
        vectors, other, pairs=pairs, words=set_or_words(words), keep_specific=not drop_specific,
        specific=set_or_words(specific), poles=read_poles(poles), top=most_biased, classified=classified, seeds=seeds,
        k=neighbours, gamma=read_gamma(gamma), random_pairs=random_pairs,
        picture="none" if output.chart is None else "auto", rng=running.seed,
    )  # fmt: skip
    output.draw(result, chart=geometry_chart)
    return result


def read_poles(text: str | None) -> tuple[str, str] | None:
    """Read "a,b" as two words."""
    from aslant.errors import AslantError

    if text is None:
        return None
    words = tuple(word.strip() for word in text.split(",") if word.strip())
    if len(words) != 2:
        raise AslantError(f"--poles {text} is not two words, such as --poles he,she.")
    return words[0], words[1]


def read_gamma(text: str) -> Any:
    """Read a number where there is one; the measure reports what is wrong with anything else."""
    try:
        return float(text)
    except ValueError:
        return text
