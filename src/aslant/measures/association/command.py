"""`aslant weat`: one association test, or all that ship."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from aslant.cli import options as o
from aslant.cli.shared import Output, Reading, Running, command
from aslant.measures.association.settings import WeatSuiteSettings

EXAMPLES = """
aslant weat                                       every WEAT on the bundled sample
aslant weat glove.6B.100d.txt --test weat-6       one test on your embedding
aslant weat glove.6B.zip/glove.6B.50d.txt         a file inside an archive
aslant weat vectors.bin --words my-test.toml      your own word lists (see: aslant words show weat-6)
aslant weat glove-840b-34k --vocabulary all-minilm-l6-v2 --equalise    only words that BERT has as one piece
aslant weat vectors.bin --json result.json --latex table.tex
"""


@command
def weat_command(
    model: o.ModelArgument = None,
    test: Annotated[list[str] | None, o.option("A test that ships; can be repeated.", "NAME")] = None,
    words: Annotated[list[Path] | None, o.option("Your own test, a TOML file; can be repeated.", "FILE")] = None,
    *,
    settings: WeatSuiteSettings,
    reading: Reading,
    running: Running,
    output: Output,
) -> None:
    """Word Embedding Association Tests (Caliskan et al. 2017), with exact p-values.

    Without --test or --words, every test that ships is run and q-values control the false-discovery rate.
    """
    from aslant.cli.loading import open_vectors
    from aslant.cli.printing import deliver, need_results
    from aslant.errors import StimuliError
    from aslant.measures.association.measure import weat, weat_suite
    from aslant.stimuli import WeatSet, load_set, read_set

    chosen = [load_set(name, WeatSet) for name in test or ()]
    for path in words or ():
        own = read_set(path)
        if not isinstance(own, WeatSet):
            raise StimuliError(f"'{path}' is not of kind 'weat'; see 'aslant words show weat-6' for an example.")
        chosen.append(own)
    vectors = open_vectors(model, reading, quiet=running.quiet)
    if len(chosen) == 1:
        deliver(weat(vectors, chosen[0], **vars(settings), rng=running.seed), output, quiet=running.quiet)
        return
    suite = weat_suite(vectors, chosen or None, **vars(settings), rng=running.seed)
    need_results(suite)
    deliver(suite, output, quiet=running.quiet)
