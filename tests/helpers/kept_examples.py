"""Small inputs for every measure, by room: whole results of these are kept (see `kept.py`)."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

import aslant
import gap_like
import planted
import planted_names
import planted_text
import survey_examples
from aslant.stimuli import WeatSet, WordList
from fake_encoder import FakeEncoder
from fake_lm import FakeCausalLM, FakeMaskedLM, FakeTextLM, ListedLM
from fake_pronouns import CausalPronounLM, MaskedPronounLM, write_pairs, write_winobias, write_winogender
from fake_texts import FakeTexts
from made_sets import write_bbq, write_holistic

Example = Callable[[], Any]
#: Words of letters only: in lower case and capitalised, the frequent ones first.
WORDS = ["".join(letters) for letters in itertools.product("bdfgklmnp", "aeiou", "rst", "aei")]
X, Y, A, B = WORDS[3:60:8], WORDS[5:59:9], WORDS[70:118:8], WORDS[73:120:9]
MORE = WORDS[130:190:7]
#: As above, with a word that no vectors have, and sets of unequal size.
SETS: dict[str, Any] = {"targets": ([*X, "unheard"], Y), "attributes": ([*A, "unseen"], B)}
EQUAL: dict[str, Any] = {"targets": (X[:6], Y[:6]), "attributes": (A[:5], B[:5])}
FEW: dict[str, Any] = {"bootstrap": 40, "chance": 40}


@cache
def vectors(seed: int = 0, name: str = "planted") -> aslant.WordVectors:
    """810 words in 8 dimensions; X and A lean one way, Y and B the other."""
    words = [word for plain in WORDS for word in (plain, plain.title())]
    matrix = np.random.default_rng(seed).normal(size=(len(words), 8)).round(3)
    for sign, group in ((0.6, (*X, *A)), (-0.6, (*Y, *B))):
        matrix[[words.index(word) for word in group], 0] += sign
    return aslant.WordVectors.from_arrays(words, matrix, name=name)


@cache
def shuffled() -> aslant.WordVectors:
    """The same words, the frequent ones not first."""
    words = sorted(vectors().words)
    rows = [vectors().index[word] for word in words]
    return aslant.WordVectors.from_arrays(words, vectors().matrix[rows], name="sorted")


def lists(**parts: Any) -> tuple[WordList, ...]:
    return tuple(WordList(name, tuple(words)) for name, words in parts.items())


def weat_set(id_: str = "own", *, size: int = 6, language: str = "en", extra: tuple[str, ...] = ()) -> WeatSet:
    x, y, a, b = lists(
        X=[*X[:size], *extra], Y=Y[:size], A=A[:size], B=B[: size - 1]
    )  # fmt: skip
    return WeatSet(
        title=f"Title of {id_}", category="gender", language=language, licence="own", citation="none", id=id_,
        targets=(x, y), attributes=(a, b),
    )  # fmt: skip


def folder() -> Path:
    """Make a folder in the current one, which is empty, so that its name is always the same."""
    made = Path("made")
    made.mkdir(exist_ok=True)
    return made


def association() -> dict[str, Example]:
    v = vectors()
    return {
        "weat, exact": lambda: aslant.weat(v, **SETS, **FEW),
        "weat, equal sizes": lambda: aslant.weat(v, **EQUAL, **FEW, alternative="greater"),
        "weat, less, Monte Carlo": lambda: aslant.weat(
            v, **SETS, **FEW, alternative="less", method="monte-carlo", n_resamples=200
        ),
        "weat, two-sided, coherent": lambda: aslant.weat(
            v, **EQUAL, **FEW, alternative="two-sided", chance_words="coherent"
        ),
        "weat, equalised": lambda: aslant.weat(v, **SETS, **FEW, equalise=True, rng=4),
        "weat, one resample, capitals": lambda: aslant.weat(
            v, targets=([w.title() for w in X], [w.title() for w in Y]), attributes=(A, B), bootstrap=1, chance=25
        ),
        "weat, another order": lambda: aslant.weat(shuffled(), **EQUAL, **FEW, confidence=0.5, rng=9),
        "weat, one word each": lambda: aslant.weat(
            v, targets=(X[:1], Y[:2]), attributes=(A[:2], B[:1]), bootstrap=20, chance=20, chance_words="coherent"
        ),
        "weat, nothing drawn": lambda: aslant.weat(v, **SETS, bootstrap=0, chance=0),
        "suite": lambda: aslant.weat_suite(
            v, [weat_set(), weat_set("gone", extra=("un", "heard", "of"), size=3), weat_set("five", size=5)], **FEW
        ),
        "wefat": lambda: aslant.wefat(
            v, [*MORE, "unheard"], attributes=(A, B), figure={word: i / 9 for i, word in enumerate(MORE)}, chance=40
        ),
        "wefat, greater, no figure": lambda: aslant.wefat(
            v, MORE[:4], attributes=(A, B), alternative="greater", method="monte-carlo", n_resamples=99, chance=30
        ),
        "generalised": lambda: aslant.generalised_weat(
            v, [X, Y, MORE[:4]], [A, [*B, "unseen"], MORE[5:]], n_resamples=99, chance=40
        ),
        "generalised, one group": lambda: aslant.generalised_weat(
            v, [X[:3], Y[:2]], [A[:3], B[:2]], all_targets=[*X, *Y], all_attributes=[*A, *B, *MORE], n_resamples=99,
            chance=30,
        ),
    }  # fmt: skip


def set_scores() -> dict[str, Example]:
    v = vectors()
    few: dict[str, Any] = {**FEW, "n_resamples": 99}
    scores = ("relative_norm", "mac", "ect", "rnsb", "same", "ml_eat")
    made: dict[str, Example] = {name: lambda name=name: getattr(aslant, name)(v, **SETS, **few) for name in scores}  # type: ignore[misc]
    made["ripa"] = lambda: aslant.ripa(v, **EQUAL, **few)
    made |= {
        f"{name}, unit": lambda name=name: getattr(aslant, name)(v, **EQUAL, **few, unit=True)  # type: ignore[misc]
        for name in ("relative_norm", "ripa", "rnsb")
    }
    made["mac, three sets"] = lambda: aslant.mac(v, targets=[*X, *Y], attributes=(A, B, MORE[:5]), **few)
    made["rnsb, three groups"] = lambda: aslant.rnsb(v, targets=(X, Y, MORE[:5]), attributes=(A, B), **few)
    made["relative norm, one attribute set"] = lambda: aslant.relative_norm(v, targets=(X, Y), attributes=A, **few)
    made["ml_eat, few words"] = lambda: aslant.ml_eat(v, targets=(X[:1], Y[:3]), attributes=(A[:1], B[:2]), **few)
    made["ect, three attributes"] = lambda: aslant.ect(v, targets=(X[:2], Y[:3]), attributes=A[:3], **few)
    made["nothing drawn"] = lambda: aslant.same(v, **EQUAL, chance=0, bootstrap=0)
    made["side by side"] = lambda: aslant.word_set_scores(
        [v, vectors(1, "other")], [weat_set(), weat_set("five", size=5)], **{**few, "chance": 20}
    )
    return made


def polarities() -> dict[str, Example]:
    v, other, third = vectors(), vectors(1, "other"), vectors(2, "third")
    classes = {"x": [*X, "unheard"], "y": Y}
    three = classes | {"m": MORE[:5]}
    years = {1900: v, 1910: other, 1920: third, 1930: vectors(3, "fourth")}
    few = FEW
    return {
        "binary": lambda: aslant.polarity(v, classes, words=[*A, *B, "unseen"], **few),
        "unit": lambda: aslant.polarity(v, classes, words=A, unit=True, **few),
        "one against one": lambda: aslant.polarity(v, three, words=[*A, *B], scheme="one-vs-one", **few),
        "one against rest": lambda: aslant.polarity(v, three, words=[*A, *B], scheme="one-vs-rest", **few),
        "nothing drawn": lambda: aslant.polarity(v, classes, words=A, bootstrap=0, chance=0),
        "two spaces": lambda: aslant.compare_polarity([v, other, third], classes, words=[*A, *B, "unseen"], **few),
        "trend": lambda: aslant.polarity_trend(years, classes, words=[*A, *B], **few),
        "trend, any words": lambda: aslant.polarity_trend(
            years, three, words=[*A, "unseen"], scheme="one-vs-rest", any_words=True, **few
        ),
        "trends": lambda: aslant.polarity_trends(
            years, {"two": (classes, "binary"), "three": (three, "one-vs-one")}, words=A, **few
        ),
    }


def geometry() -> dict[str, Example]:
    v = vectors()
    pairs = [*zip(X[:4], Y[:4], strict=True), ("unheard", "unseen")]
    return {
        "subspace": lambda: aslant.gender_subspace(v, pairs, components=5, random_pairs=40),
        "direct": lambda: aslant.direct_bias(v, [*A, *B, "unseen"], direction=pairs, specific=A[:2], chance=40),
        "direct, strict": lambda: aslant.direct_bias(
            v, [*A, *B], direction=pairs, specific=A[:2], keep_specific=False, strictness=0.5, chance=40
        ),
        "indirect": lambda: aslant.indirect_bias(v, A[0], A[1], direction=pairs, words=[*A, *B], chance=40),
    }


def intersections() -> dict[str, Example]:
    v = vectors()
    groups = {"x and a": X[:5], "y and a": Y[:5], "x and b": A[:5], "y and b": B[:5]}
    return {
        "four groups": lambda: aslant.intersectional_bias(
            v, groups, [*MORE, "unheard"], threshold=0.3, n_resamples=99, chance=40
        )
    }


def similarities() -> dict[str, Example]:
    v = vectors()
    rated = [(a, b, float(i % 5)) for i, (a, b) in enumerate(zip(X + A, Y + B, strict=False))]
    return {"rated pairs": lambda: aslant.word_similarity(v, [*rated, ("unheard", X[0], 2.0)], bootstrap=40)}


def side_by_side() -> dict[str, Example]:
    v, other = vectors(), vectors(1, "other")
    classes = {"x": X, "y": Y}
    return {
        "two spaces": lambda: aslant.compare(v, other, words=[*A, *B], classes=classes, **FEW),
        "the same space": lambda: aslant.compare(v, v, words=[*A, "unseen"], classes=classes, **FEW, unit=True),
    }


def cooccurrences() -> dict[str, Example]:
    random = np.random.default_rng(0)
    words = [*X[:3], *Y[:3], *A, *B, *MORE]
    text = [" ".join(words[i] for i in random.integers(len(words), size=12)) + "." for _ in range(150)]
    return {
        "words": lambda: aslant.pmi_bias(
            text, [*A, "unseen"], contexts=(X[:3], Y[:3]), window=3, figure={w: i / 4 for i, w in enumerate(A)}, **FEW
        ),
        "test": lambda: aslant.pmi_bias(text, A, contexts=(X[:3], Y[:3]), test=weat_set(size=3), min_near=3, **FEW),
        "nothing drawn": lambda: aslant.pmi_bias(text, B, contexts=(X[:3], Y[:3]), window=2, bootstrap=0, chance=0),
    }


def sentence_tests() -> dict[str, Example]:
    encoder = FakeEncoder(8, dict.fromkeys((*X, *A), 0.6))
    spoken = [f"They {verb} of {word} today." for verb in ("spoke", "heard", "sang") for word in (*X, *Y, *A, *B)]
    few: dict[str, Any] = {**FEW, "n_resamples": 99}
    return {
        "seat": lambda: aslant.seat(encoder, **SETS, **few),
        "seat, by sentence": lambda: aslant.seat(encoder, **EQUAL, **few, unit="sentence", pooling="mean"),
        "seat, own templates": lambda: aslant.seat(
            encoder, **EQUAL, **few, templates=["It is {word}.", "This {word} is here."], alternative="less"
        ),
        "seat suite": lambda: aslant.seat_suite(encoder, [weat_set(), weat_set("five", size=5)], **few),
        "ceat": lambda: aslant.ceat(encoder, spoken, **SETS, samples=40, n_resamples=99, chance=0),
        "ceat, few contexts": lambda: aslant.ceat(
            encoder, spoken, **EQUAL, samples=30, contexts_per_word=2, case="any", alternative="greater", chance=0
        ),
        "ceat suite": lambda: aslant.ceat_suite(
            encoder, spoken, [weat_set(), weat_set("five", size=5)], samples=30, chance=0
        ),
    }


def template_tests() -> dict[str, Example]:
    masked, causal, listed = FakeMaskedLM(unknown=["algebra"]), FakeCausalLM(), ListedLM()
    few: dict[str, Any] = {"n_resamples": 99, "chance": 40}
    own: dict[str, Any] = {
        "targets": (["he", "man", "boy"], ["she", "woman"]),
        "attributes": ["nurse", "clerk", "cook"],
    }
    return {
        "bias": lambda: aslant.log_probability_bias(masked, **own),
        "bias, causal": lambda: aslant.log_probability_bias(causal, "[TARGET] likes [ATTRIBUTE].", **own),
        "bias, as published": lambda: aslant.log_probability_bias(
            masked, ["[TARGET] is a [ATTRIBUTE].", "The [ATTRIBUTE] is [TARGET]."], **own, as_published=True
        ),
        "bias, listed": lambda: aslant.log_probability_bias(listed, **own, chance=30, confidence=0.8),
        "bias, three targets": lambda: aslant.log_probability_bias(
            masked, targets=["he", "she", "they"], attributes=["nurse", "engineer"], target_pieces="first"
        ),
        "weat": lambda: aslant.log_probability_weat(masked, "career-family", **few),
        "weat, listed": lambda: aslant.log_probability_weat(listed, "math-arts", **few, alternative="two-sided"),
        "weat, causal": lambda: aslant.log_probability_weat(causal, "math-arts", **few),
        "suite": lambda: aslant.log_probability_suite(masked, ["career-family", "math-arts"], **few),
        "template weat": lambda: aslant.template_weat(masked, "math-arts", **few),
        "masked weat": lambda: aslant.masked_weat(masked, "weat-7", bootstrap=40, **few),
        "masked weat, unequal": lambda: aslant.masked_weat(
            listed,
            targets=(X, Y),
            attributes=(A, B),
            templates=["[TARGET] is [ATTRIBUTE]."],
            equalise=False,
            bootstrap=40,
            **few,
        ),
        "masked weat suite": lambda: aslant.masked_weat_suite(masked, ["weat-6", "weat-7"], bootstrap=20, **few),
    }


def paired_sentences() -> dict[str, Example]:
    few: dict[str, Any] = {"bootstrap": 40, "n_resamples": 99}
    leans = FakeTextLM(lambda text, prompt: float(text.startswith("He")) - len(text) / 7)

    def first() -> Any:
        return aslant.sentence_pairs(FakeMaskedLM(), write_pairs(folder()), **few, twins=0)

    return {
        "masked": first,
        "with a word that is unknown": lambda: aslant.sentence_pairs(
            FakeTexts(unknown=["nurse", "old"]), write_pairs(folder()), **few, twins=0, confidence=0.8
        ),
        "sampled": lambda: aslant.sentence_pairs(leans, write_pairs(folder()), **few, sample=15, score="pll", twins=0),
        "causal, per piece": lambda: aslant.sentence_pairs(
            FakeTexts(), write_pairs(folder()), **few, score="likelihood-per-piece", twins=2
        ),
        "compared": lambda: aslant.compare_pairs(
            first(), aslant.sentence_pairs(leans, write_pairs(folder()), **few, twins=0)
        ),
    }


def descriptors() -> dict[str, Example]:
    plants = FakeTexts(lambda prompt, text: -2.0 if "elderly" in text else 0.0)
    return {
        "all": lambda: aslant.holistic_bias(plants, write_holistic(folder()), chance=20, twins=1, nouns=4),
        "few": lambda: aslant.holistic_bias(
            FakeTexts(), write_holistic(folder()), descriptors=2, per_piece=False, chance=0, nouns=2, alpha=0.2
        ),
        "unknown words": lambda: aslant.holistic_bias(
            FakeTexts(unknown=["elderly", "doaxed"]),
            write_holistic(folder()),
            axes=["age", "nonce"],
            chance=9,
            alpha=0.5,
        ),
        "one axis": lambda: aslant.holistic_bias(plants, write_holistic(folder()), axes="age", chance=15),
    }


def questions() -> dict[str, Example]:
    few: dict[str, Any] = {"bootstrap": 40, "n_resamples": 99}
    plants = FakeTexts(lambda prompt, text: 3.0 if text.strip().startswith("old") else 0.0)
    return {
        "planted": lambda: aslant.bbq(plants, write_bbq(folder()), sets=1, twins=1, **few),
        "all sets": lambda: aslant.bbq(plants, write_bbq(folder()), categories=["Religion"], sets=0, bootstrap=0),
        "one category, sums": lambda: aslant.bbq(
            FakeTexts(), write_bbq(folder()), categories="Age", sets=2, per_piece=False, **few
        ),
    }


def pronouns_chosen() -> dict[str, Example]:
    few: dict[str, Any] = {"bootstrap": 40, "n_resamples": 99}
    return {
        "winogender": lambda: aslant.pronoun_choice(
            MaskedPronounLM(1.0, 0.4, 2.0), write_winogender(folder() / "winogender"), **few
        ),
        "no preference": lambda: aslant.pronoun_choice(
            MaskedPronounLM(), write_winogender(folder() / "winogender"), bootstrap=0, n_resamples=9
        ),
        "winobias": lambda: aslant.pronoun_choice(
            MaskedPronounLM(0.5, -0.3, 3.0), write_winobias(folder() / "winobias"), **few
        ),
        "causal": lambda: aslant.pronoun_choice(
            CausalPronounLM(0.5, 0.2, 3.0), write_winobias(folder() / "winobias"), **few
        ),
    }


def generated_texts() -> dict[str, Example]:
    v = vectors()
    random = np.random.default_rng(1)
    classes = {"x": X, "y": Y}

    def text(words: list[str]) -> str:
        return " ".join(words[i] for i in random.integers(len(words), size=8)) + "."

    texts = {"first": [text(X + A + MORE) for _ in range(7)], "second": [text(Y + B + MORE) for _ in range(6)]}
    one = [sentence for group in texts.values() for sentence in group]
    groups = [name for name, group in texts.items() for _ in group]
    few: dict[str, Any] = {**FEW, "n_resamples": 99}
    sources = [None if i % 5 == 4 else one[-1 - i] for i in range(len(one))]
    return {
        "two groups": lambda: aslant.text_polarity(v, texts, classes=classes, **few),
        "sources": lambda: aslant.text_polarity(
            v, one, groups, classes, sources=sources, tokens={"x": X[:3], "y": Y[:3]}, threshold=0.1, **few
        ),
        "three classes": lambda: aslant.text_polarity(
            v, texts, classes=classes | {"m": MORE[:4]}, scheme="one-vs-rest", unit=True, **few
        ),
    }


def enumeration() -> dict[str, Example]:
    v = planted_names.planted_vectors()
    own: dict[str, Any] = {**planted_names.SETTINGS, "rotations": 499}

    def found(**more: Any) -> Any:
        return aslant.enumerate_biases(v, planted_names.NAMES, **{**own, **more})

    def at_the_border() -> float:
        """Return the largest q-value that is significant: with it as alpha, its cell still is."""
        return float(max(cell.qvalue for cell in found().cells if cell.significant))

    def survey() -> Any:
        plan = aslant.make_survey(survey_examples.enumeration(), rng=1)
        answers = survey_examples.crowd(plan, 4, 0.7) + survey_examples.exam_answers(plan, "poor", 2)
        return aslant.score_survey(plan, answers)

    return {
        "planted": lambda: found(chance=3),
        "at the border": lambda: found(alpha=at_the_border()),
        "own groups": lambda: aslant.enumerate_biases(
            v,
            groups={"first": planted_names.NAMES[::4], "second": planted_names.NAMES[1::4]},
            chance=2,
            **{key: value for key, value in own.items() if key not in ("groups", "chance")},
        ),
        "any number of groups": lambda: found(voronoi=False, per_cell=2, left_out=0.1),
        "settled early": lambda: found(precision=0.05, rotations=3000, alpha=0.2),
        "compared": lambda: aslant.compare_enumerations(found(), v),
        "survey": survey,
    }


def residuals() -> dict[str, Example]:
    v = planted.make().vectors
    few: dict[str, Any] = {"seeds": 2, "top": 60, "classified": 60, "k": 20, "picture": "none", "chance": 19}
    own: dict[str, Any] = {"professions": planted.names(40), "within": planted.names(80), "specific": planted.SPECIFIC}
    return {
        "as it is": lambda: aslant.residual_bias(v, v, **few, **own),
        "another space": lambda: aslant.residual_bias(
            v, aslant.hard_debias(v, pairs=planted.PAIRS), **{**few, "chance": 0}, **own, gamma=0.1
        ),
        "geometry": lambda: aslant.geometry(
            v, v, pairs=planted.PAIRS, words=planted.names(40), specific=planted.SPECIFIC, seeds=1, classified=60,
            top=60, k=20, random_pairs=20,
        ),
    }  # fmt: skip


def in_context() -> dict[str, Example]:
    text = planted_text.planted(words=250)
    few: dict[str, Any] = {"repeats": 2, "swaps": 4, "random_pairs": 20, "picture": "none", "top": 60, "k": 20}
    few["classified"] = 60
    return {
        "planted": lambda: aslant.contextual_bias(
            text.encoder, text.corpus, original=text.original, chance=9, **few, compare={"static": text.original}
        ),
        "gendered professions": lambda: aslant.contextual_bias(
            text.encoder, text.corpus, original=text.original, chance=0, **few, specific=text.professions[:4]
        ),
        "random words": lambda: aslant.contextual_bias(
            text.encoder, text.corpus, original=text.original, chance=0, **few, random_as="words", rng=2
        ),
    }


def nearest_means(
    x: Any, labels: Any, held: Any, held_labels: Any, wanted: Any, *, classes: int, settings: Any, seed: int
) -> Any:
    """Stand in for the classifier of pronouns: shares by how near a row is to the mean of each class."""
    means = np.stack([x[labels == kind].mean(axis=0) for kind in range(classes)]).astype(np.float64)
    near = 1 / (0.1 + ((wanted[:, None] - means) ** 2).sum(axis=2))
    return near / near.sum(axis=1, keepdims=True)


def pronouns_resolved() -> dict[str, Example]:
    samples = gap_like.gap_like(60, {"male": 0.2, "female": 0.5})
    few: dict[str, Any] = {"seeds": 2, "folds": 3, "topics": 2, "top_words": 4, "bootstrap": 30, "n_resamples": 99}

    def resolved(**more: Any) -> Any:
        with mock.patch("aslant.measures.pronouns_resolved.predictions.class_probabilities", nearest_means):
            return aslant.pronoun_resolution(gap_like.encoder(), samples, **{**few, **more})

    return {
        "own texts": lambda: resolved(lm=FakeMaskedLM(), retrained=2),
        "trained elsewhere": lambda: resolved(train=gap_like.gap_like(48, seed=3, prefix="t"), bins=3, bootstrap=0),
        "an unknown word": lambda: resolved(lm=FakeMaskedLM(unknown=["ballet"]), confidence=0.8, topics=3, rng=4),
    }


ROOMS: dict[str, Callable[[], dict[str, Example]]] = {
    made.__name__: made
    for made in (
        association, set_scores, polarities, geometry, intersections, similarities, side_by_side, cooccurrences,
        sentence_tests, template_tests, paired_sentences, descriptors, questions, pronouns_chosen, generated_texts,
        enumeration, residuals, in_context, pronouns_resolved,
    )
}  # fmt: skip
