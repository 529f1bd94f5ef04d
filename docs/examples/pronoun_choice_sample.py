"""The numbers of docs/pronoun-choice.md: WinoBias and Winogender on the models that come with aslant.

    python docs/examples/pronoun_choice_sample.py                          # sample-mlm (a minute)
    python docs/examples/pronoun_choice_sample.py smollm2-135m --picture   # ten minutes; resumes from the cache folder

Prints one row per group of sentences; `--picture` draws docs/images/pronoun-choice.svg from Winogender.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import aslant
from aslant.data import cache_folder
from aslant.measures.pronouns_chosen.result import PronounChoiceResult
from aslant.measures.pronouns_chosen.show import group_row, occupation_chart
from aslant.report.tables import number, pvalue, small

TARGET = Path(__file__).resolve().parents[1] / "images" / "pronoun-choice.svg"
SETS = ("winobias", "winogender")


def lines(result: PronounChoiceResult) -> list[str]:
    """Return the groups of a result as rows of a Markdown table."""
    found = []
    for row in map(group_row, result.groups):
        cells = [
            result.provenance.representation.name, row["group"], str(row["n"]), row["share"], small(row["gap"]),
            row["gap_interval"], pvalue(row["gap_pvalue"]), small(row["corrected"]), pvalue(row["corrected_pvalue"]),
            small(row["contrast"]), pvalue(row["contrast_pvalue"]), number(row["r"]), pvalue(row["r_pvalue"]),
            number(row["p_male"]), number(row["p_neutral"]),
        ]  # fmt: skip
        found.append("| " + " | ".join(cells) + " |")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", default=["sample-mlm"])
    parser.add_argument("--data", default=None, help="a folder that has the folders winobias and winogender")
    parser.add_argument("--picture", action="store_true")
    given = parser.parse_args()
    for name in given.models:
        lm = aslant.load_lm(name)
        for chosen in SETS:
            source = Path(given.data) / chosen if given.data else chosen
            result = aslant.pronoun_choice(lm, source, journal=cache_folder() / "language-models")
            print(*lines(result), sep="\n")
            ranked = result.ranked
            print("most:", ", ".join(f"{o.occupation} {small(o.gap)}" for o in ranked[:5]))
            print("least:", ", ".join(f"{o.occupation} {small(o.gap)}" for o in ranked[-5:]))
            print("left out:", len(result.left_out), "with a remark:", len(result.odd), flush=True)
            if given.picture and chosen == "winogender":
                TARGET.write_text(occupation_chart(result), encoding="utf-8")
                print(f"{TARGET.name}: {TARGET.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
