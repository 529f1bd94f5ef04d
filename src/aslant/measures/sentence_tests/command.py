"""`aslant seat` and `aslant ceat`: association tests on words in sentences, of templates or of a corpus."""

from __future__ import annotations

from typing import Annotated, Any

from aslant.cli import options as o
from aslant.cli.encoders import (
    CorpusOption,
    EncoderArgument,
    Encoding,
    KeptEncoding,
    Tests,
    Text,
)
from aslant.cli.shared import ChartOutput, RunningOnCores, command
from aslant.measures.sentence_tests.settings import CeatSuiteSettings, SeatSuiteSettings

EXAMPLES = {
    "seat": """
aslant seat                                                  every WEAT set in the sentences of May et al.
aslant seat bert-base-uncased --test weat-6 --pooling first  one test, sentences by their first token
aslant seat ./my-encoder --words my-test.toml --templates my-sentences.toml
aslant seat ./my-encoder --templates "I met {word}." --templates "We saw {word}." --test weat-6
aslant seat ./my-encoder --words seat/sent-religion1.jsonl    a test of SEAT itself, by data name
aslant seat ./my-encoder --language de                       tests in German, each word alone
aslant seat ./my-encoder --unit sentence --json as-published.json --chart seat.svg
""",
    "ceat": """
aslant ceat --corpus comments.txt                            every WEAT set in contexts of a corpus
aslant ceat bert-base-uncased --corpus comments.txt --test weat-6 --contexts 200 --chart weat-6.svg
aslant ceat ./my-encoder --corpus comments.csv.gz --column body --case any --json result.json
""",
}


@command
def seat_command(
    model: EncoderArgument = None,
    templates: Annotated[
        list[str] | None,
        o.option(
            "Sentences by kind of word (a set or a TOML file), or a sentence with {word}, which can be repeated; "
            "default: those of May et al.",
            "SET|FILE|TEXT",
        ),
    ] = None,
    *,
    tests: Tests,
    settings: SeatSuiteSettings,
    encoding: Encoding,
    running: RunningOnCores,
    output: ChartOutput,
) -> Any:
    """Sentence Encoder Association Tests (May et al. 2019): WEAT on words in sentences, for any encoder.

    Without --test, --words or --targets, the ten WEAT sets are run (or all in --language) and q-values control the
    false-discovery rate.
    """
    from aslant.cli.encoders import measured
    from aslant.measures.sentence_tests.sentences import seat, seat_suite
    from aslant.measures.sentence_tests.show import seat_chart

    chosen = tests.sets()
    sentences = templates[0] if templates and len(templates) == 1 else templates or None
    how = {**vars(settings), "templates": sentences, "rng": running.seed}
    encoder = encoding.open(model, quiet=running.quiet)
    with running.watched() as progress:
        result = measured(seat, seat_suite, chosen, encoder, **how, progress=progress)
    output.draw(result, chart=seat_chart)
    return result


@command
def ceat_command(
    model: EncoderArgument = None,
    corpus: CorpusOption = None,
    *,
    tests: Tests,
    settings: CeatSuiteSettings,
    text: Text,
    encoding: KeptEncoding,
    running: RunningOnCores,
    output: ChartOutput,
) -> Any:
    """Contextualised Embedding Association Tests (Guo & Caliskan 2021): WEAT over contexts of a corpus, any encoder.

    Without --test, --words or --targets, the ten WEAT sets are run and q-values control the false-discovery rate. A run
    that was stopped resumes when the same command is given again (unless --no-cache).
    """
    from aslant.cli.encoders import measured
    from aslant.measures.sentence_tests.contexts import ceat, ceat_suite
    from aslant.measures.sentence_tests.show import ceat_chart

    chosen = tests.sets()
    how = {**vars(settings), "store": encoding.store(), "rng": running.seed}
    sentences = text.open(corpus)
    encoder = encoding.open(model, quiet=running.quiet)
    with running.watched(kept=not encoding.no_cache) as progress:
        result = measured(ceat, ceat_suite, chosen, encoder, sentences, **how, progress=progress)
    output.draw(result, chart=ceat_chart)
    return result
