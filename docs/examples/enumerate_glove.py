"""Write the worked example of docs/enumeration.md: what enumeration finds in two full-vocabulary GloVe embeddings.

    python docs/examples/enumerate_glove.py glove-6b-50d glove.6B.100d.txt

Arguments are data names or files. The text between the markers in docs/enumeration.md is replaced; run it again after
any change to the measure, and read what it writes.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import aslant
from aslant.measures.enumeration.result import EnumerationResult

PAGE = Path(__file__).resolve().parents[1] / "enumeration.md"
BEGIN, END = "<!-- begin: docs/examples/enumerate_glove.py -->", "<!-- end -->"
#: Tests to show of each embedding: the first in order.
SHOWN = 3


def measured(source: str) -> tuple[str, EnumerationResult, EnumerationResult, float]:
    vectors = aslant.load(source)
    start = time.perf_counter()
    full = aslant.enumerate_biases(vectors, chance=0)
    took = time.perf_counter() - start
    return (
        f"GloVe 6B, {vectors.dimensions} dimensions",
        full,
        aslant.enumerate_biases(vectors, precision=0.001, chance=0),
        took,
    )


def summary(name: str, full: EnumerationResult, early: EnumerationResult) -> str:
    share = full.indirect_bias.share or 0.0
    same = [c.significant for c in full.cells] == [c.significant for c in early.cells]
    used = sum(group.size for group in full.groups)
    return (
        f"| {name} | {full.provenance.representation.words:,} | {used:,} / {len(full.left_out_names):,} / "
        f"{len(full.missing):,} | {len(full.significant)} of {len(full.cells)} | {len(full.not_tested)} | "
        f"{full.indirect_bias.tuples:,}, {100 * share:.1f} % | {100 * (1 - early.rotations.work):.0f} % | "
        f"{'yes' if same else 'NO'} |"
    )


def tests(result: EnumerationResult) -> list[str]:
    lines = []
    for rank, category in enumerate(result.ordering[:SHOWN], 1):
        lines += [f"\n**Test {rank}** (words around *{', '.join(result.categories[category].centre_words)}*)\n"]
        lines += ["| names | female | mean year of birth | words | score | q |", "|---|---:|---:|---|---:|---:|"]
        for cell in result.of_category(category):
            group = result.groups[cell.group]
            if cell.significant and (known := group.demographics):
                lines.append(
                    f"| {', '.join(group.illustrative[:3])} | {100 * (known.share_female or 0):.0f} % | "
                    f"{known.mean_birth_year or 0:.0f} | {', '.join(cell.words)} | {cell.score:.3f} | "
                    f"{cell.qvalue:.4f} |"
                )
    return lines


def main() -> None:
    runs = [measured(source) for source in sys.argv[1:]]
    lines = [
        "| embedding | words | names used / left out / without a vector | significant | no test | 4-tuples, aligned | "
        "work saved at risk 0.001 | same verdicts |",
        "|---|---:|---:|---:|---:|---:|---:|---|",
        *(summary(name, full, early) for name, full, early, _ in runs),
    ]
    for name, full, _, _ in runs:
        lines += [f"\n### {name}", *tests(full)]
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    after = rest.split(END)[1]
    PAGE.write_text(f"{before}{BEGIN}\n" + "\n".join(lines) + f"\n{END}{after}", encoding="utf-8")
    for name, _, _, took in runs:
        print(f"{name}: {took:.1f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
