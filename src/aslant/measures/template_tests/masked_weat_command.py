"""`aslant masked-weat`: association tests on words in sentences of which one is masked."""

from __future__ import annotations

from typing import Annotated, Any

from aslant.cli import options as o
from aslant.cli.encoders import EncoderArgument, Encoding, OwnWordsOption, TestOption, chosen_sets
from aslant.cli.shared import Output, RunningOnCores, command
from aslant.measures.template_tests.settings import MaskedWeatSettings

EXAMPLES = """
aslant masked-weat bert-base-uncased                         WEAT 1, 3, 6, 7 and 8, as in Table 3 of Kurita et al.
aslant masked-weat                                           the same on all-MiniLM-L6-v2
aslant masked-weat ./my-bert --test weat-6 --seed 1 --json weat-6.json
aslant masked-weat ./my-bert --test weat-9 --template "[TARGET] is [ATTRIBUTE]."
"""


@command
def masked_weat_command(
    model: EncoderArgument = None,
    test: TestOption = None,
    words: OwnWordsOption = None,
    template: Annotated[
        list[str] | None,
        o.option(
            "A sentence with [TARGET] and [ATTRIBUTE] (can be repeated), or a set of kind weat-templates; "
            "default: Table 1 of Kurita et al.",
            "TEXT|SET|FILE",
        ),
    ] = None,
    *,
    settings: MaskedWeatSettings,
    encoding: Encoding,
    running: RunningOnCores,
    output: Output,
) -> None:
    """WEAT on a masked language model, or an encoder with a mask token (Kurita et al. 2019, §3.1).

    Targets are read while the attribute is masked, attributes while the target is. Words that are not one piece of the
    vocabulary are left out and listed.
    """
    from aslant.cli.printing import deliver, need_results
    from aslant.cli.progress import bar
    from aslant.measures.template_tests.masked_words import masked_weat, masked_weat_suite

    chosen = chosen_sets(test, words)
    sentences = template[0] if template and len(template) == 1 else template or None
    given: dict[str, Any] = {**vars(settings), "templates": sentences, "rng": running.seed}
    encoder: Any = encoding.open(model, quiet=running.quiet)
    with bar(quiet=running.quiet) as progress:
        if len(chosen) == 1:
            result: Any = masked_weat(encoder, chosen[0], **given, progress=progress)
        else:
            result = masked_weat_suite(encoder, chosen or None, **given, progress=progress)
            need_results(result)
    deliver(result, output, quiet=running.quiet)
