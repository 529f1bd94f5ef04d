"""The numbers of docs/tour.md: an audit of GloVe 6B and the second looks that the page takes.

    python docs/examples/tour_glove.py glove-6b-50d [--second sample] [--write]

Prints the page's tables as Markdown, or (`--write`) puts them between its marks and draws its picture. `--second` is
the same text in other dimensions. About half a minute of processor time on 400,000 words of 50 dimensions.
"""

from __future__ import annotations

import argparse
import re
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import aslant
from aslant.report.figures import save_figures
from aslant.report.tables import number, plain, pvalue, small
from aslant.statistics import unit_rows
from aslant.stimuli import PairSet, load_set

DOCS = Path(__file__).resolve().parents[1]
PAGE, PICTURE = DOCS / "tour.md", DOCS / "images" / "tour-weat.svg"
OWN = "most-and-fewest-women.toml"
SPOILED = ("gal", "guy")
#: Two ways to say "women" and "men": one word each, as in Lu et al., and four words in everyday use.
CLASSES = {
    "*female* – *male*": "gender-binary",
    "*she, her, woman, girl* – *he, his, man, boy*": {
        "female": ["she", "her", "woman", "girl"],
        "male": ["he", "his", "man", "boy"],
    },
}
ENDS, CELLS, NEAREST = 6, 10, 8


def table(head: Sequence[str], rows: Iterable[Sequence[str]], numbers: int = 0) -> str:
    """Return a Markdown table whose last `numbers` columns stand to the right."""
    rule = ["---"] * (len(head) - numbers) + ["---:"] * numbers
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, rule, *rows))


def own_set(folder: str) -> Path:
    """Return the word set that docs/extending.md shows, as a file."""
    text = (DOCS / "extending.md").read_text(encoding="utf-8")
    found = re.search(rf"```toml\n# {re.escape(OWN)}\n(.*?)```", text, re.DOTALL)
    if found is None:
        raise SystemExit(f"docs/extending.md no longer shows {OWN}.")
    path = Path(folder) / OWN
    path.write_text(found[1], encoding="utf-8")
    return path


def glance(audit: aslant.AuditResult) -> str:
    """Return every line of the audit."""
    rows = [
        (line.measure, line.stimuli, line.category, line.effect_name, line.evidence, small(line.effect),
         f"{small(line.chance.low)} to {small(line.chance.high)}" if line.chance else "–", pvalue(line.qvalue),
         pvalue(line.chance_qvalue))
        for line in audit.glance
    ]  # fmt: skip
    head = ("measure", "stimuli", "about", "effect is", "evidence", "effect", "chance", "q", "q of chance")
    return table(head, rows, numbers=4)


def how_sure(audit: aslant.AuditResult, second: Any, own: Path) -> str:
    """Return the association tests, and the own one, with what they depend on."""
    tests = [*zip(audit.weat.results, audit.weat.qvalues, strict=True)] if audit.weat else []
    for own_tests in audit.results_of("own words", "weat-suite"):
        tests += zip(own_tests.results, own_tests.qvalues, strict=True)
    other: dict[str, str] = {}
    if second is not None:
        for result in (*aslant.weat_suite(second).results, aslant.weat(second, own)):
            other[result.test] = f"{number(result.effect_size)} ({_between(result)})"
    rows = [
        (r.test, number(r.effect_size), _between(r), f"{number(r.leave_one_out.low)} (*{r.leave_one_out.low_without}*)",
         pvalue(q), pvalue(r.chance.pvalue if r.chance else None), other.get(r.test, "–"))
        for r, q in tests
    ]  # fmt: skip
    head = (
        "test",
        "d",
        "interval",
        "d without one word, at least",
        "q",
        "random words, p",
        "d in the second embedding",
    )
    return table(head, rows, numbers=6)


def _between(result: aslant.WeatResult) -> str:
    return f"{number(result.interval.low)} to {number(result.interval.high)}"


def direction(v: aslant.WordVectors) -> str:
    """Return the gender direction with and without one pair, and the professions at its ends."""
    pairs = [tuple(pair) for pair in load_set("definitional-pairs", PairSet).pairs]
    kept = [pair for pair in pairs if set(pair) != set(SPOILED)]
    if len(kept) != len(pairs) - 1:
        raise SystemExit(f"definitional-pairs no longer has the pair {SPOILED}.")
    rows = []
    for label, chosen in (("all ten", pairs), ("without *gal – guy*", kept)):
        space, bias = aslant.gender_subspace(v, chosen), aslant.direct_bias(v, direction=chosen)
        ranked = sorted(bias.by_word, key=lambda w: w.projection)
        male, female = ([plain(w.word) for w in end] for end in (ranked[:ENDS], ranked[: -ENDS - 1 : -1]))
        shares = [f"{share:.0%}" for share in space.explained[:2]]
        rows.append((label, *shares, small(bias.value), ", ".join(female), ", ".join(male)))
    return table(("pairs", "first component", "second", "direct bias", "most female", "most male"), rows)


def pair_lengths(v: aslant.WordVectors) -> str:
    """Return how far apart the words of each pair are."""
    rows = []
    for pair in load_set("definitional-pairs", PairSet).pairs:
        vectors = v.lookup(list(pair)).vectors.astype(float)
        first, second = (vector / (vector @ vector) ** 0.5 for vector in vectors)
        rows.append((" – ".join(pair), float((first - second) @ (first - second))))
    ranked = sorted(rows, key=lambda row: -row[1])
    return table(("pair", "squared distance"), [(name, number(length)) for name, length in ranked], numbers=1)


def senses(v: aslant.WordVectors) -> str:
    """Return the nearest words of some that the page is about."""
    matrix = unit_rows(v.matrix)
    rows = []
    for word in ("gal", "guy", "hooker"):
        near = np.argsort(-(matrix @ matrix[v.words.index(word)]))[1 : 1 + NEAREST]
        rows.append((word, ", ".join(plain(v.words[i]) for i in near)))
    return table(("word", "nearest words"), rows)


def angle(v: aslant.WordVectors) -> str:
    """Return how far the step from one class word to the other is the step from "he" to "she"."""
    female, male, she, he = unit_rows(v.lookup(["female", "male", "she", "he"]).vectors)
    one, other = unit_rows(np.array([female - male, she - he]))
    return (
        f"The cosine of *female* and *male* is {number(float(female @ male))}; that of the steps *female* − *male* and "
        f"*she* − *he* is {small(float(one @ other))}."
    )


def leanings(v: aslant.WordVectors) -> str:
    """Return the professions at the ends of polarity, for each choice of class words."""
    rows = []
    for label, classes in CLASSES.items():
        result = aslant.polarity(v, classes)
        ranked = sorted(result.by_word, key=lambda w: w.score)
        male, female = ([plain(w.word) for w in end] for end in (ranked[:ENDS], ranked[: -ENDS - 1 : -1]))
        rows.append((label, small(result.score), ", ".join(female), ", ".join(male)))
    return table(("classes", "polarity", "lean most to female", "lean most to male"), rows)


def enumerated(audit: aslant.AuditResult) -> str:
    """Return the strongest cells of the enumeration."""
    found = audit.enumeration
    if found is None:
        raise SystemExit("the audit has no enumeration.")
    rows = []
    for cell in sorted(found.significant, key=lambda cell: -cell.score)[:CELLS]:
        group = found.groups[cell.group]
        names = ", ".join(plain(name) for name in group.illustrative[:3])
        people = group.demographics
        said = f"{people.share_female:.0%} female, born {people.mean_birth_year:.0f}"
        rows.append((f"{names} …", said, ", ".join(plain(word) for word in cell.words), small(cell.score)))
    return table(("names", "who bears them", "words that go with them", "score"), rows, numbers=1)


def checked(audit: aslant.AuditResult) -> str:
    """Return the verdict of the policy that ships."""
    verdict = aslant.check_policy(audit)
    return f"`aslant check` with the policy that ships: {len(verdict.failures)} of {len(verdict.lines)} lines fail."


def pieces(path: str, second: str | None) -> tuple[dict[str, str], aslant.AuditResult]:
    """Return the page's tables by their names, and the audit."""
    v = aslant.load(path)
    w = aslant.load(second if second != "sample" else None) if second else None
    with tempfile.TemporaryDirectory() as folder:
        own = own_set(folder)
        audit = aslant.audit(v, words=[own])
        sure = how_sure(audit, w, own)
    made = {
        "glance": glance(audit), "sure": sure, "pairs": pair_lengths(v), "senses": senses(v),
        "direction": direction(v), "polarity": leanings(v), "angle": angle(v),
        "enumeration": enumerated(audit), "check": checked(audit),
    }  # fmt: skip
    return made, audit


def write(made: dict[str, str], audit: aslant.AuditResult) -> None:
    """Put the tables between the marks of the page, and draw its picture."""
    text = PAGE.read_text(encoding="utf-8")
    for name, content in made.items():
        marked = re.compile(rf"(<!-- tour: {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        text, count = marked.subn(lambda m, c=content: f"{m[1]}\n{c}\n\n{m[2]}", text)
        if count != 1:
            raise SystemExit(f"docs/tour.md has {count} places for '{name}'; one is needed.")
    PAGE.write_text(text, encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        pictures = save_figures(audit, folder)
        drawn = next(p for p in pictures if p.suffix == ".svg" and p.name.startswith("weat"))
        PICTURE.write_bytes(drawn.read_bytes())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path")
    parser.add_argument("--second", help="the same text in other dimensions")
    parser.add_argument("--write", action="store_true", help="into docs/tour.md and docs/images")
    asked = parser.parse_args()
    began = time.process_time()
    made, audit = pieces(asked.path, asked.second)
    if asked.write:
        write(made, audit)
    else:
        print("\n\n".join(f"## {name}\n\n{content}" for name, content in made.items()))
    print(f"\n{time.process_time() - began:.0f} s of processor time")


if __name__ == "__main__":
    main()
