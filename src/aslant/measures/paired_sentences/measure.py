"""Which of two sentences a language model finds more probable: CrowS-Pairs, StereoSet, BEC-Pro, pairs of one's own.

Each pair has a more and a less stereotyping sentence (docs/definitions.md §11). Pairs that contrast the same words, or
are about the same term or profession, are not independent: they are the unit of intervals and p-values.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from aslant.data import given_path
from aslant.errors import MeasureError, StimuliError, plural
from aslant.io.journal import Journal
from aslant.measures.paired_sentences.result import PairScore, SentencePairsResult, UntrainedPairs
from aslant.measures.paired_sentences.settings import SentencePairsSettings
from aslant.measures.paired_sentences.statistic import (
    ROUNDING,
    frequency_of,
    groups_of,
    language_model_scores,
    lengths_of,
    profession_contrast,
)
from aslant.measures.shared.open_subject import opening
from aslant.measures.shared.settings import keywords
from aslant.measures.shared.wordsets import provenance
from aslant.measures.template_tests.step import twins_in
from aslant.models.plan import Tables, ask_ahead
from aslant.models.protocols import Progress, ScoresShared, ScoresTexts, TextScore
from aslant.results.codec import MeasuredResult
from aslant.statistics import seed_of
from aslant.stimuli.pair_sets import Pair, PairSet, contrasted, named_once, read_bec_pro, read_pairs, read_stereoset
from aslant.stimuli.pronoun_sets import Remark

if TYPE_CHECKING:
    from aslant.auditing.step_context import Results, Work

#: The file of each set that is meant where only a folder is given; BEC-Pro has one for each language.
#: CrowS-Pairs by how its file is called: the name of the data, and what it is called.
CROWS = {
    "crows_pairs_anonymized": ("crows-pairs", "CrowS-Pairs"),
    "crows_pairs_EN_revised": ("crows-pairs-revised", "CrowS-Pairs, revised English"),
}
STEREOSET, BEC_PRO = "dev.json", {"en": "BEC-Pro_EN.tsv", "de": "BEC-Pro_DE.tsv"}
#: Scores that are means over pieces.
MEANS = ("aul", "aula", "likelihood-per-piece")
#: What a model calls the scores that are not named alike.
CALLED = {"likelihood-per-piece": "likelihood", "crows": "pll"}


@opening("lm")
@keywords
def sentence_pairs(
    lm: ScoresTexts,
    source: str | PathLike[str] | PairSet = "crows-pairs",
    *,
    language: str = "en",
    settings: SentencePairsSettings,
    journal: str | PathLike[str] | Journal | None = None,
    rng: Any = 0,
    progress: Progress | None = None,
) -> SentencePairsResult:
    """Ask a masked or causal language model which of two sentences is the more probable, pair by pair.

    `source`: "crows-pairs", "crows-pairs-revised", "stereoset", "bec-pro" (`language` "en" or "de"), a table with
    the columns sent_more, sent_less, bias_type and, if you like, stereo_antistereo, or pairs that were read of one.
    `score`: "within-word" (masked models), "likelihood" (causal ones), or another of docs/definitions.md §11. `sample`
    pairs are drawn in proportion to the categories; 0: all. `twins` untrained models of the same architecture are
    asked the same: what they show comes from word pieces.
    `journal` is a folder from which a run resumes. Pairs that the model cannot score are left out and listed.

    >>> import aslant, tempfile  # here, any_lm is a small model; aslant.load_lm(…) opens real ones
    >>> file = Path(tempfile.mkdtemp()) / "mine.csv"
    >>> rows = ["sent_more,sent_less,bias_type", "She is a nurse.,He is a nurse.,gender"]
    >>> _ = file.write_text(chr(10).join(rows), encoding="utf-8")
    >>> p = aslant.sentence_pairs(any_lm, file, twins=0, bootstrap=0)
    >>> p.pairs[0].cluster, p.pairs[0].category, p.groups[0].n
    ('he / she', 'gender', 1)
    """
    if not isinstance(lm, ScoresTexts):
        raise MeasureError(f"{lm!r:.60} does not score texts; open a language model with aslant.load_lm(…) first.")
    seed, asked = seed_of(rng), pair_set(source, language)
    score = _score_for(lm, settings.score)
    drawn = drawn_pairs(asked.pairs, settings.sample, seed)
    pairs, left_out = scored(lm, drawn, score, journal, progress)
    pairs = with_priors(lm, drawn, pairs, journal, progress)
    if not any(pair.counted for pair in pairs):
        raise MeasureError(f"no pair of '{asked.title}' can be scored: {left_out[0].reason}.")
    record = {"language": language, **settings.record(), "score": score}
    twins = _untrained(lm, drawn, score, settings.twins, progress)
    return SentencePairsResult(
        dataset=asked.id, title=asked.title, score=score, pairs=pairs, groups=groups_of(pairs, settings, seed),
        lengths=lengths_of(pairs), language_model=language_model_scores(pairs),
        contrast=profession_contrast(pairs, settings, seed), left_out=left_out, drawn_from=len(asked.pairs),
        notes=_notes(asked, len(drawn)), frequency=frequency_of(pairs),
        provenance=provenance(lm, asked.id, [remark.id for remark in left_out], seed, record), twins=tuple(twins),
    )  # fmt: skip


def _score_for(lm: ScoresTexts, score: str) -> str:
    """Return the score that is meant; one that does not fit the model is refused."""
    offered = [*lm.scorings]
    offered += ["likelihood-per-piece"] if "likelihood" in offered else []
    offered += ["crows"] if isinstance(lm, ScoresShared) else []
    if score == "auto":
        return offered[0]
    if score not in offered:
        raise MeasureError(f"score={score!r} does not fit '{lm.name}'; it can have {', '.join(offered)}.")
    return score


def scored(
    lm: ScoresTexts, pairs: Sequence[Pair], score: str, journal: Any = None, progress: Progress | None = None
) -> tuple[tuple[PairScore, ...], tuple[Remark, ...]]:
    """Score pairs, and say which ones the model cannot score."""
    asked = [[(pair.prompt, text) for text in _texts(pair, score)] for pair in pairs]
    every = list(dict.fromkeys(text for texts in asked for text in texts))
    ask_ahead(lm, [_joined(*text) for text in every], journal, progress)
    reasons = {every[i]: reason for i, reason in lm.unscorable([_joined(*text) for text in every]).items()}
    why = [next((reasons[text] for text in texts if text in reasons), None) for texts in asked]
    left_out = tuple(Remark(pair.id, reason) for pair, reason in zip(pairs, why, strict=True) if reason)
    usable = [(pair, texts) for pair, texts, reason in zip(pairs, asked, why, strict=True) if not reason]
    tables = Tables(journal)
    found: list[list[TextScore]]
    if score == "crows" and isinstance(lm, ScoresShared):  # the authors' code aligns the stereotype's sentence first
        both = [[_joined(*text) for text in texts][:: -1 if _swapped(pair) else 1] for pair, texts in usable]
        shared = lm.shared_scores([(a, b) for a, b in both], journal=tables, progress=progress)
        found = [list(two)[:: -1 if _swapped(pair) else 1] for (pair, _), two in zip(usable, shared, strict=True)]
    else:
        wanted = [text for text in every if text not in reasons]
        split = [(prompt, f" {text}" if prompt else text) for prompt, text in wanted]
        how = CALLED.get(score, score)
        known = dict(
            zip(wanted, lm.continuation_scores(split, score=how, journal=tables, progress=progress), strict=True)
        )
        found = [[known[text] for text in texts] for _, texts in usable]
    return tuple(_pair(pair, own, score) for (pair, _), own in zip(usable, found, strict=True)), left_out


def with_priors(
    lm: ScoresTexts, asked: Sequence[Pair], pairs: Sequence[PairScore], journal: Any = None,
    progress: Progress | None = None,
) -> tuple[PairScore, ...]:  # fmt: skip
    """Score the words that each pair contrasts by themselves, each once; not of sentences that follow others."""
    words = {pair.id: contrasted(pair.more, pair.less) for pair in asked if not pair.prompt}
    every = list(dict.fromkeys(text for both in words.values() if all(both) for text in both))
    cannot = lm.unscorable(every)
    usable = [text for place, text in enumerate(every) if place not in cannot]
    scores = lm.text_scores(usable, journal=Tables(journal), progress=progress) if usable else []
    known = {text: found.total for text, found in zip(usable, scores, strict=True) if np.isfinite(found.total)}
    made = []
    for pair in pairs:
        more, less = (known.get(text) for text in words.get(pair.id, ("", "")))
        made.append(pair if more is None or less is None else replace(pair, prior=more - less))
    return tuple(made)


def _swapped(pair: Pair) -> bool:
    return pair.direction == "antistereo"


def _joined(prompt: str, text: str) -> str:
    return f"{prompt} {text}" if prompt else text


def _texts(pair: Pair, score: str) -> list[str]:
    return [pair.more, pair.less, *([pair.unrelated] if pair.unrelated and score != "crows" else [])]


def _pair(pair: Pair, scores: Sequence[TextScore], score: str) -> PairScore:
    values = [each.per_piece if score in MEANS else each.total for each in scores]
    if not np.isfinite(values).all():
        raise MeasureError(f"the model returns no finite log-probability for '{pair.more}' or '{pair.less}'.")
    more, less = values[:2]
    return PairScore(
        id=pair.id, category=pair.category, cluster=pair.cluster, direction=pair.direction, part=pair.part,
        more=_joined(pair.prompt, pair.more), less=_joined(pair.prompt, pair.less),
        score_more=more, score_less=less, difference=more - less,
        pieces_more=scores[0].pieces, pieces_less=scores[1].pieces,
        equal=abs(more - less) <= ROUNDING * max(abs(more), abs(less)), flags=pair.flags,
        unrelated=values[2] if len(values) > 2 else None, counted=pair.counted,
    )  # fmt: skip


def drawn_pairs(pairs: Sequence[Pair], sample: int, seed: int) -> tuple[Pair, ...]:
    """Return `sample` pairs at random, of each category and part in proportion, at least two; 0: all of them."""
    if not sample or sample >= len(pairs):
        return tuple(pairs)
    random = np.random.default_rng([seed, 19])
    strata: dict[tuple[str, str], list[int]] = {}
    for place, pair in enumerate(pairs):
        strata.setdefault((pair.category, pair.part), []).append(place)
    kept = []
    for _, places in sorted(strata.items()):
        count = min(len(places), max(2, round(sample * len(places) / len(pairs))))
        kept += random.choice(places, count, replace=False).tolist()
    return tuple(pairs[place] for place in sorted(kept))


def _untrained(
    lm: Any, pairs: Sequence[Pair], score: str, twins: int, progress: Progress | None
) -> Iterator[UntrainedPairs]:
    """Ask untrained models the same, one at a time; none where the architecture cannot be rebuilt."""
    plain = SentencePairsSettings(bootstrap=0, n_resamples=1)
    for seed in range(twins if hasattr(lm, "untrained") else 0):
        what = f"untrained model {seed + 1} of {twins}"
        told = progress and (lambda step, *done, what=what: progress(f"{step}, {what}", *done))
        found, _ = scored(lm.untrained(seed), pairs, score, None, told)
        contrast = profession_contrast(found, plain, seed)
        shares = {group.name: group.share for group in groups_of(found, plain, seed)}
        yield UntrainedPairs(shares, contrast.difference if contrast else None)


def pair_set(source: str | PathLike[str] | PairSet, language: str = "en") -> PairSet:
    """Read pairs: a data name, a folder with the files of a set, or a file; the content says which set it is.

    >>> pair_set("/no/such/file.csv")
    Traceback (most recent call last):
    aslant.errors.StimuliError: there is no '/no/such/file.csv'; give crows-pairs, crows-pairs-revised, stereoset...
    """
    if language not in BEC_PRO:
        raise StimuliError(f"language={language!r}; BEC-Pro exists in 'en' and 'de', the other sets in 'en' only.")
    if isinstance(source, PairSet):
        return source
    path = given_path(source, "benchmark")
    if path is None:
        raise StimuliError(
            f"there is no '{source}'; give crows-pairs, crows-pairs-revised, stereoset, bec-pro, or a table with the "
            "columns sent_more, sent_less and bias_type."
        )
    file = _file_in(path, language) if path.is_dir() else path
    if file.suffix == ".json":
        found = read_stereoset(file)
    elif file.name in BEC_PRO.values():
        found = read_bec_pro(file)
    else:
        found = read_pairs(file)
    if (called := next((CROWS[name] for name in CROWS if name in file.name), None)) is not None:
        found = PairSet(*called, found.pairs)
    if language != "en" and found.id != "bec-pro":
        raise StimuliError(f"language={language!r} is for BEC-Pro; '{found.title}' has no such part.")
    return PairSet(found.id, found.title, named_once(found.pairs), found.notes)


def _file_in(folder: Path, language: str) -> Path:
    known = (*(f"{name}.csv" for name in CROWS), STEREOSET, BEC_PRO[language])
    for name in known:
        if (folder / name).is_file():
            return folder / name
    raise StimuliError(f"'{folder}' has none of {', '.join(known)}; name a file.")


def _notes(asked: PairSet, drawn: int) -> tuple[str, ...]:
    notes = list(asked.notes)
    if drawn < len(asked.pairs):
        notes.append(f"{plural(drawn, 'pair')} drawn at random from {len(asked.pairs):,}, in proportion to categories")
    return tuple(notes)


def pairs_step(work: Work) -> Results:
    """Compare the pairs of each set that is on this machine."""
    settings = {**work.settings, "twins": twins_in(work)}
    done: list[MeasuredResult] = []
    for name in settings.pop("sources"):
        if (place := work.find_data(f"sentence-pairs, {name}", name)) is None:
            continue
        with work.noting(f"sentence-pairs, {name}"):
            done.append(sentence_pairs(work.subject.opened, place, rng=work.seed, **work.asking(), **settings))
    return tuple(done)
