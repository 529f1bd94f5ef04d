"""`aslant contextual`: bias in an encoder's vectors of words in sentences of a corpus."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from aslant.cli import options as o
from aslant.cli.encoders import CorpusOption, EncoderArgument, KeptEncoding, Text
from aslant.cli.shared import ChartOutput, Reading, RunningOnCores, command

if TYPE_CHECKING:
    from aslant.vectors import WordVectors

EXAMPLES = """
aslant contextual --corpus news.en.gz                        all-MiniLM-L6-v2, biased words from the bundled sample
aslant contextual elmo-original --corpus news.en.gz --compare --chart elmo.svg
aslant contextual bert-base-uncased --corpus gap --corpus bold --original googlenews-26k --json bert.json
aslant contextual ./my-bert --corpus texts.csv --column body --layer mean --repeats 3 --top 200 --classified 1000
"""


@dataclass(frozen=True)
class Choosing:
    """Which words are measured."""

    PANEL: ClassVar[str] = "Choosing words"

    pairs: Annotated[str, o.option("The pairs that are swapped.", "SET|FILE")] = "definitional-pairs"
    words: Annotated[str, o.option("The professions.", "SET|FILE|a,b,…")] = "professions"
    drop_specific: Annotated[bool, o.option("Direct bias without professions gendered by definition.")] = False
    specific: Annotated[str, o.option("Words that have the concept by definition.", "SET|FILE|a,b,…")] = (
        "gender-specific-words"
    )
    poles: Annotated[str, o.option("Biased words lean to a or b.", "a,b")] = "he,she"
    top: Annotated[int, o.option("Words to cluster per side.", "N", "--top", "--most-biased", min=25)] = 500
    classified: Annotated[int, o.option("Words to classify per side.", "N", min=25)] = 2_500
    k: Annotated[int, o.option("Neighbours of a profession.", "N", "--k", "--neighbours", min=1)] = 100

    def settings(self) -> dict[str, Any]:
        """Return what the measure takes."""
        from aslant.measures.geometry.command import read_poles
        from aslant.measures.polarities.command import set_or_words

        return {
            "poles": read_poles(self.poles), "specific": set_or_words(self.specific),
            "pairs": self.pairs, "professions": set_or_words(self.words), "keep_specific": not self.drop_specific,
            "top": self.top, "classified": self.classified, "k": self.k,
        }  # fmt: skip


@command
def contextual_command(
    model: EncoderArgument = None,
    corpus: CorpusOption = None,
    original: Annotated[
        str | None, o.option("Static embedding to choose biased words in; nothing: the sample.", "MODEL")
    ] = None,
    repeats: Annotated[int, o.option("Repeats, each with different sentences.", "N", min=1)] = 10,
    swaps: Annotated[int, o.option("Swapped sentences for each pair and repeat.", "N", min=1)] = 20,
    gamma: Annotated[str, o.option("Width of the classifier's kernel.", "scale|auto|X")] = "scale",
    random_pairs: Annotated[int, o.option("Draws of random pairs; 0 for none.", "N", min=0)] = 1_000,
    random_as: Annotated[
        str, o.option("Random words to compare with: differences (swapped), or also as words (Figure 1).")
    ] = "differences",
    compare: Annotated[bool, o.option("Also measure the static embedding, as it is and debiased (hard).")] = False,
    picture: Annotated[str, o.option("How words are laid out: auto, umap, pca, or none.")] = "auto",
    *,
    text: Text,
    encoding: KeptEncoding,
    choosing: Choosing,
    running: RunningOnCores,
    output: ChartOutput,
) -> None:
    """Gender bias of contextual vectors (Basta et al. 2019): subspace, direct bias, clusters, classifier, neighbours.

    Every repeat uses different sentences; mean and range are shown, with what chance gives. A run that was stopped
    resumes when the same command is given again (unless --no-cache).
    """
    from aslant.cli.loading import open_vectors
    from aslant.cli.printing import deliver, write_chart
    from aslant.cli.progress import bar, noted, resumable
    from aslant.measures.geometry.command import read_gamma
    from aslant.measures.in_context.measure import check_random_as, contextual_bias
    from aslant.measures.residuals.separation import check_picture

    check_picture(picture)
    check_random_as(random_as)
    sentences = text.open(corpus)
    static = open_vectors(original, Reading(no_cache=encoding.no_cache), quiet=running.quiet)
    encoder = encoding.open(model, quiet=running.quiet)
    kept = not encoding.no_cache
    with resumable(kept=kept), noted(quiet=running.quiet), bar(quiet=running.quiet) as progress:
        result = contextual_bias(
            encoder, sentences, original=static, repeats=repeats, swaps=swaps, gamma=read_gamma(gamma),
            random_pairs=random_pairs, random_as=random_as, picture=picture,
            compare=static_columns(static) if compare else None, store=encoding.store(), progress=progress,
            rng=running.seed, **choosing.settings(),
        )  # fmt: skip
    deliver(result, output, quiet=running.quiet)
    if output.chart is not None:
        from aslant.measures.in_context.show import contextual_chart

        write_chart(contextual_chart(result), output.chart)


def static_columns(original: WordVectors) -> dict[str, WordVectors]:
    """Return the columns next to the contextual one."""
    from aslant.debias import hard_debias

    return {"static": original, "debiased": hard_debias(original)}
