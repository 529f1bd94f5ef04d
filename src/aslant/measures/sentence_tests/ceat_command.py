"""`aslant ceat`: association tests on words in sentences of a corpus."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from aslant.cli import options as o
from aslant.cli.encoders import (
    CorpusOption,
    EncoderArgument,
    KeptEncoding,
    MinFoundOption,
    OwnWordsOption,
    TestOption,
    Text,
    chosen_sets,
)
from aslant.cli.shared import ChartOutput, RunningOnCores, command

EXAMPLES = """
[bold]Examples[/bold]

aslant ceat --corpus comments.txt                            every WEAT set in contexts of a corpus

aslant ceat bert-base-uncased --corpus comments.txt --test weat-6 --contexts 200 --chart weat-6.svg

aslant ceat ./my-encoder --corpus comments.csv.gz --column body --case any --json result.json
"""


@command
def ceat_command(
    model: EncoderArgument = None,
    corpus: CorpusOption = None,
    test: TestOption = None,
    words: OwnWordsOption = None,
    samples: Annotated[
        int, typer.Option("--samples", metavar="N", min=1, help="Draws of one context for each word.")
    ] = 10_000,
    contexts: Annotated[
        int, typer.Option("--contexts", metavar="N", min=1, help="The most sentences for each word.")
    ] = 1_000,
    case: Annotated[
        str, typer.Option("--case", help="Words count 'as written' (Bill, not bill) or in any case: any.")
    ] = "as written",
    alternative: o.AlternativeOption = "two-sided",
    method: o.MethodOption = "auto",
    n_resamples: o.ResamplesOption = 100_000,
    min_found: MinFoundOption = 0.5,
    *,
    text: Text,
    encoding: KeptEncoding,
    running: RunningOnCores,
    output: ChartOutput,
) -> None:
    """Contextualised Embedding Association Tests (Guo & Caliskan 2021): WEAT over contexts of a corpus, any encoder.

    Without --test or --words, every WEAT set that ships is run and q-values control the false-discovery rate. A run
    that was stopped resumes when the same command is given again (unless --no-cache).
    """
    from aslant.cli.printing import deliver, need_results, write_chart
    from aslant.cli.progress import bar, noted, resumable
    from aslant.measures.sentence_tests.contexts import ceat, ceat_suite

    chosen = chosen_sets(test, words)
    settings: dict[str, Any] = {
        "samples": samples, "contexts_per_word": contexts, "case": case, "alternative": alternative, "method": method,
        "n_resamples": n_resamples, "min_found": min_found, "rng": running.seed,
        "store": encoding.store(),
    }  # fmt: skip
    sentences = text.open(corpus)
    encoder = encoding.open(model, quiet=running.quiet)
    with resumable(kept=not encoding.no_cache), noted(quiet=running.quiet), bar(quiet=running.quiet) as progress:
        if len(chosen) == 1:
            result: Any = ceat(encoder, sentences, chosen[0], **settings, progress=progress)
        else:
            result = ceat_suite(encoder, sentences, chosen or None, **settings, progress=progress)
            need_results(result)
    if output.chart is not None:
        from aslant.measures.sentence_tests.charts import ceat_chart

        write_chart(ceat_chart(result), output.chart)
    deliver(result, output, quiet=running.quiet)
