"""`aslant ceat`: association tests on words in sentences of a corpus."""

from __future__ import annotations

from typing import Any

from aslant.cli.encoders import (
    CorpusOption,
    EncoderArgument,
    KeptEncoding,
    OwnWordsOption,
    TestOption,
    Text,
    chosen_sets,
)
from aslant.cli.shared import ChartOutput, RunningOnCores, command
from aslant.measures.sentence_tests.settings import CeatSuiteSettings

EXAMPLES = """
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
    *,
    settings: CeatSuiteSettings,
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
    given: dict[str, Any] = {**vars(settings), "store": encoding.store(), "rng": running.seed}
    sentences = text.open(corpus)
    encoder = encoding.open(model, quiet=running.quiet)
    with resumable(kept=not encoding.no_cache), noted(quiet=running.quiet), bar(quiet=running.quiet) as progress:
        if len(chosen) == 1:
            result: Any = ceat(encoder, sentences, chosen[0], **given, progress=progress)
        else:
            result = ceat_suite(encoder, sentences, chosen or None, **given, progress=progress)
            need_results(result)
    if output.chart is not None:
        from aslant.measures.sentence_tests.charts import ceat_chart

        write_chart(ceat_chart(result), output.chart)
    deliver(result, output, quiet=running.quiet)
