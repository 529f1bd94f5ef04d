"""`aslant seat`: association tests on words in bleached sentences."""

from __future__ import annotations

from typing import Annotated, Any

from aslant.cli import options as o
from aslant.cli.encoders import EncoderArgument, Encoding, OwnWordsOption, TestOption, chosen_sets
from aslant.cli.shared import ChartOutput, RunningOnCores, command
from aslant.measures.sentence_tests.settings import SeatSuiteSettings

EXAMPLES = """
aslant seat                                                  every WEAT set in the sentences of May et al.
aslant seat bert-base-uncased --test weat-6 --pooling first  one test, sentences by their first token
aslant seat ./my-encoder --words my-test.toml --templates my-sentences.toml
aslant seat ./my-encoder --templates "I met {word}." --templates "We saw {word}." --test weat-6
aslant seat ./my-encoder --unit sentence --json as-published.json --chart seat.svg
"""


@command
def seat_command(
    model: EncoderArgument = None,
    test: TestOption = None,
    words: OwnWordsOption = None,
    templates: Annotated[
        list[str] | None,
        o.option(
            "Sentences by kind of word (a set or a TOML file), or a sentence with {word}, which can be repeated; "
            "default: those of May et al.",
            "SET|FILE|TEXT",
        ),
    ] = None,
    *,
    settings: SeatSuiteSettings,
    encoding: Encoding,
    running: RunningOnCores,
    output: ChartOutput,
) -> None:
    """Sentence Encoder Association Tests (May et al. 2019): WEAT on words in sentences, for any encoder.

    Without --test or --words, every WEAT set that ships is run and q-values control the false-discovery rate.
    """
    from aslant.cli.printing import deliver, need_results, write_chart
    from aslant.cli.progress import bar
    from aslant.measures.sentence_tests.sentences import seat, seat_suite

    chosen = chosen_sets(test, words)
    sentences = templates[0] if templates and len(templates) == 1 else templates or None
    given: dict[str, Any] = {**vars(settings), "templates": sentences, "rng": running.seed}
    encoder = encoding.open(model, quiet=running.quiet)
    with bar(quiet=running.quiet) as progress:
        if len(chosen) == 1:
            result: Any = seat(encoder, chosen[0], **given, progress=progress)
        else:
            result = seat_suite(encoder, chosen or None, **given, progress=progress)
            need_results(result)
    if output.chart is not None:
        from aslant.measures.sentence_tests.charts import seat_chart

        write_chart(seat_chart(result), output.chart)
    deliver(result, output, quiet=running.quiet)
