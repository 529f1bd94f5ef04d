"""Samples like those of GAP, and an encoder that knows their answers: what is planted must be found.

In "anny met evex and she enjoyed ballet", the name that ends in y is the one meant, and the encoder has a direction for
it; where neither does, the answer is "neither". How often that is can be planted by gender.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from aslant.measures.pronouns_resolved.gap_files import COLUMNS, GapSample
from fake_encoder import FakeEncoder

PRONOUNS = {"male": "he", "female": "she"}
#: Topics of three words each; in the table below men go with the first, women with the second, both with the third.
TOPICS = (("football", "goals", "league"), ("ballet", "dance", "stage"), ("garden", "flowers", "trees"))
SHARES = ((0.08, 0.02), (0.02, 0.08), (0.05, 0.05))
NAMES = ("ann", "bea", "cid", "dan", "eve", "fay", "gus", "hal")
LEANINGS = {f"{name}{end}": 2.0 if end == "y" else -2.0 for name in NAMES for end in "xy"}
TABLE = {
    (target, word): p
    for topic, shares in zip(TOPICS, SHARES, strict=True)
    for word in topic
    for target, p in zip(("men", "women"), shares, strict=True)
}


def gap_like(
    n: int = 200,
    neither: Mapping[str, float] | None = None,
    *,
    by_topic: Mapping[str, Sequence[float]] | None = None,
    seed: int = 0,
    prefix: str = "s",
) -> list[GapSample]:
    """Return about `n` samples; `neither` is its share by gender, `by_topic` by gender and topic instead.

    Shares are met as nearly as whole samples allow, so that what was not planted is not there by chance.
    """
    random = np.random.default_rng(seed)
    each = n // (len(PRONOUNS) * len(TOPICS))
    made = []
    for gender in PRONOUNS:
        for topic in range(len(TOPICS)):
            share = by_topic[gender][topic] if by_topic else (neither or {"male": 0.3, "female": 0.3})[gender]
            labels = ["neither"] * round(each * share)
            labels += ["AB"[k % 2] for k in range(each - len(labels))]
            made += [(gender, label, topic) for label in labels]
    order = random.permutation(len(made))
    return [sample(f"{prefix}{number}", *made[place], random) for number, place in enumerate(order)]  # type: ignore[call-arg]


def sample(id_: str, gender: str, label: str, topic: int, random: np.random.Generator) -> GapSample:
    first, second = random.choice(NAMES, 2, replace=False)
    a, b = (f"{name}{'y' if label == side else 'x'}" for name, side in ((first, "A"), (second, "B")))
    words = " ".join(random.permutation(TOPICS[topic]))
    text = f"{a} met {b} and {PRONOUNS[gender]} enjoyed {words} at visit {id_}"
    start = len(a) + len(b) + 10
    spans = (start, start + len(PRONOUNS[gender])), (0, len(a)), (len(a) + 5, len(a) + 5 + len(b))
    made = GapSample(id_, text, *spans, gender, label)
    assert made.passage.words == (PRONOUNS[gender], a, b)
    return made


def encoder(noise: float = 0.3) -> FakeEncoder:
    return FakeEncoder(16, LEANINGS, noise=noise)


def as_tsv(samples: list[GapSample]) -> str:
    """Write samples as a GAP file."""
    lines = ["\t".join(COLUMNS)]
    for s in samples:
        pronoun, a, b = s.passage.words
        cells = (
            s.id, s.text, pronoun, s.pronoun[0], a, s.a[0], str(s.label == "A").upper(), b, s.b[0],
            str(s.label == "B").upper(), s.page,
        )  # fmt: skip
        lines.append("\t".join(map(str, cells)))
    return "\n".join(lines) + "\n"
