"""The worked example of docs/contextual.md: all-MiniLM-L6-v2 on the text of GAP and BOLD, static spaces beside it.

    python docs/examples/contextual_minilm.py --picture docs/images/contextual.png  # fetches gap, bold and the encoder
    python docs/examples/contextual_minilm.py GAP-FOLDER BOLD-WIKIPEDIA-FOLDER --encoder FOLDER

Of BOLD it takes the sentences of Wikipedia, of which the prompts are the beginnings. Prints the tables in Markdown,
and how long each part took; without --store nothing is taken from an earlier run, so that the time is whole.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import aslant
from aslant.data import fetch
from aslant.measures.in_context.show import contextual_chart
from aslant.report import render
from aslant.report.charts import as_file

ENCODER = "all-minilm-l6-v2"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="*")
    parser.add_argument("--encoder", default=ENCODER)
    parser.add_argument("--picture", type=Path, help="draw it (.svg, .png or .html)")
    parser.add_argument("--json", type=Path, help="write the whole result")
    parser.add_argument("--store", type=Path, help="folder that keeps vectors, for a run that is stopped")
    parser.add_argument("--repeats", type=int, default=10)
    given = parser.parse_args()
    started, worked = time.perf_counter(), time.process_time()
    static = aslant.load()
    corpus = aslant.load_corpus(given.corpora or [fetch("gap"), fetch("bold") / "wikipedia"])
    encoder = aslant.load_encoder(given.encoder)
    columns = {"static": static, "debiased": aslant.hard_debias(static)}
    loaded = time.perf_counter()
    result = aslant.contextual_bias(
        encoder,
        corpus,
        original=static,
        compare=columns,
        repeats=given.repeats,
        random_as="words",
        store=given.store,
    )
    measured = time.perf_counter()
    print(render(result, ".md"))
    busy = time.process_time() - worked
    print(
        f"loaded in {loaded - started:.0f} s, measured in {measured - loaded:.0f} s on {os.cpu_count()} cores "
        f"({busy:.0f} s of processor time)"
    )
    if given.json:
        result.save(given.json)
    if given.picture:
        given.picture.write_bytes(as_file(contextual_chart(result), given.picture.suffix))


if __name__ == "__main__":
    main()
