"""Small sets in the form of WinoBias and Winogender, and models that prefer pronouns in a known way."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from aslant.models.protocols import CausalScore, MaskedScore, Sentence
from aslant.stimuli.pronoun_sets import GENDERS
from fake_lm import uniform

MEN = ("carpenter", "mechanic", "driver", "sheriff", "mover", "farmer", "guard", "lawyer", "cook")
WOMEN = ("nurse", "secretary", "cleaner", "librarian", "teacher", "clerk", "cashier", "baker", "tailor")
SWAPPED = {"he": "she", "him": "her", "his": "her", "she": "he"}


def winobias_lines() -> dict[str, list[str]]:
    """Two sentences of type 1 and one of type 2 for each pair of occupations; 'pro' lines and 'anti' lines."""
    lines: dict[str, list[str]] = {"pro 1": [], "anti 1": [], "pro 2": [], "anti 2": []}
    for man, woman in zip(MEN, WOMEN, strict=True):
        for side, (his, hers) in {"pro": ("he", "she"), "anti": ("she", "he")}.items():
            lines[f"{side} 1"] += [
                f"[The {man}] met the {woman} because [{his}] was late.",
                f"The {man} met [the {woman}] because [{hers}] was ill.",
            ]
            him = {"he": "him", "she": "her"}
            lines[f"{side} 2"] += [
                f"The {man} met [the {woman}] and thanked [{him[hers]}].",
                f"The {woman} met [the {man}] and thanked [{him[his]}].",
            ]
    return lines


def write_winobias(folder: Path, lines: Mapping[str, Sequence[str]] | None = None, split: str = "dev") -> Path:
    folder.mkdir(exist_ok=True)
    for key, sentences in (lines or winobias_lines()).items():
        side, kind = key.split()
        text = "".join(f"{place} {sentence}\r\n" for place, sentence in enumerate(sentences, start=1))
        (folder / f"{side}_stereotyped_type{kind}.txt.{split}").write_text(text, encoding="utf-8", newline="")
    return folder


def write_pairs(folder: Path) -> Path:
    """Write pairs of sentences as CrowS-Pairs has them: two contrasts, two categories, both directions."""
    rows = ["sent_more,sent_less,bias_type,stereo_antistereo"]
    for place, occupation in enumerate((*MEN, *WOMEN)):
        rows.append(f"He is a {occupation}.,She is a {occupation}.,gender,{('stereo', 'antistereo')[place % 2]}")
        rows.append(f"The old {occupation} slept.,The young {occupation} slept.,age,stereo")
    path = folder / "pairs.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def write_winogender(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    rows = ["sentid\tsentence"]
    for occupation in (*MEN, *WOMEN):
        for other in ("visitor", "someone"):
            who = other if other == "someone" else f"the {other}"
            for answer, verb in (("0", "could"), ("1", "was")):
                for gender, pronoun in (("male", "he"), ("female", "she"), ("neutral", "they")):
                    said = "were" if (verb, gender) == ("was", "neutral") else verb
                    sentence = f"The {occupation} told {who} that {pronoun} {said} help."
                    rows.append(f"{occupation}.{other}.{answer}.{gender}.txt\t{sentence}")
    (folder / "all_sentences.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    shares = [f"{name}\t{5 + 3 * place}\t2015" for place, name in enumerate(MEN)]
    shares += [f"{name}\t{98 - 6 * place}\t2015" for place, name in enumerate(WOMEN)]
    head = "occupation\tbls_pct_female\tbls_year"
    (folder / "occupations-stats.tsv").write_text("\n".join([head, *shares]) + "\n", encoding="utf-8")
    return folder


def write_sets(folder: Path) -> tuple[Path, Path]:
    """Write both sets; in Winogender the share of women among tailors is 50, so that they have no stereotype."""
    folder.mkdir(exist_ok=True)
    return write_winobias(folder / "winobias"), write_winogender(folder / "winogender")


class PronounLM:
    """Log-odds of a female pronoun: `planted` for occupations of women, minus that for those of men, plus `general`.

    With the occupation masked, `general` alone is left.
    """

    def __init__(self, planted: float = 0.0, general: float = 0.0, noise: float = 0.0, salt: int = 0) -> None:
        self.planted, self.general, self.noise, self.salt = planted, general, noise, salt
        self.asked: list[Sentence] = []
        self.journals: list[Any] = []

    name = "fake masked pronouns"

    def record(self) -> dict[str, Any]:
        return {
            "name": self.name, "fingerprint": "0123456789ab", "format": "planted", "words": 10, "dimensions": 8,
            "note": "made for tests",
        }  # fmt: skip

    def log_probability(self, sentence: Sentence, *, hidden: bool) -> float:
        side = 0 if hidden else (sentence.attribute in WOMEN) - (sentence.attribute in MEN)
        odds = self.general + self.planted * side
        if not hidden:
            odds += self.noise * (uniform(self.salt, sentence.template, sentence.attribute) - 0.5)
        sign = {"female": 0.5, "male": -0.5}.get(GENDERS.get(sentence.target, ""), -2.0)
        return -3.0 + sign * odds


class MaskedPronounLM(PronounLM):
    def masked_scores(
        self, sentences: Sequence[Sentence], *, target_pieces: str = "chain", single_mask: bool = False,
        prior_place: str = "target", journal: Any = None, progress: Any = None,
    ) -> list[MaskedScore]:  # fmt: skip
        self.asked += sentences
        self.journals.append(journal)
        if progress:
            progress("sentences", len(sentences), len(sentences))
        return [
            MaskedScore(
                self.log_probability(s, hidden=False), self.log_probability(s, hidden=True), (s.target,), (s.attribute,)
            )
            for s in sentences
        ]

    def word_vectors_in_place(self, sentences: Any, word: Any, *, progress: Any = None) -> Any:
        raise NotImplementedError

    def in_vocabulary(self, word: str, template: str = "", role: str = "target") -> bool:
        return True


class CausalPronounLM(PronounLM):
    name = "fake causal pronouns"

    def causal_scores(
        self, sentences: Sequence[Sentence], *, journal: Any = None, progress: Any = None
    ) -> list[CausalScore]:
        self.asked += sentences
        return [
            CausalScore(None, math.log(0.001) + self.log_probability(s, hidden=False), (s.target,), (s.attribute,))
            for s in sentences
        ]
