"""The bench: a test or score of words of one's own, by the public functions, at once."""

from __future__ import annotations

import time
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from aslant.errors import AslantError, plural
from aslant.explore import copied
from aslant.explore.asked import BenchRequest, by_name
from aslant.explore.facts import shown
from aslant.explore.opened import Opened
from aslant.explore.tries import pvalues_of
from aslant.explore.visit import Visit
from aslant.report.tables import between, plain, pvalue, small
from aslant.stimuli import ClassSet, WeatSet, WordList, WordSet
from aslant.stimuli.published_tests import as_toml
from aslant.stimuli.schema import DatedWords

#: Up to so many targets the exact count takes a few milliseconds; a draft of more has the guaranteed bracket.
COUNTED_AT_ONCE = 40
BRACKET = "While you type, p is the upper end of a guaranteed bracket; the exact count follows when you rest."
#: Random draws of a draft; the settled answer has those of the public function.
FEWER: dict[str, Any] = {"chance": 500, "bootstrap": 500}
DRAFT = "While you type, chance and interval are of 500 draws each; when you rest, of as many as usual."
#: The public function, its command, and the name of the file that the command needs.
FUNCTIONS = {"weat": "weat", "polarity": "polarity", "rnd": "relative_norm", "wefat": "wefat"}
NEEDED = {
    "weat": ("targets", "attributes"), "rnd": ("targets", "attributes"), "polarity": ("classes", "words"),
    "wefat": ("words", "attributes"),
}  # fmt: skip


class IncompleteError(AslantError):
    """There is nothing to compute yet."""


@dataclass(frozen=True)
class Question:
    """What is asked, as the keyword arguments of a public function; `draft` ones say what a draft does otherwise."""

    panel: str
    seed: int
    arguments: Mapping[str, Any]
    draft: Mapping[str, Any] = field(default_factory=dict)

    @property
    def function(self) -> str:
        """The name of the public function."""
        return FUNCTIONS[self.panel]

    def result(self, opened: Opened) -> Any:
        """Call the function."""
        import aslant

        how = {**self.arguments, **self.draft}
        return getattr(aslant, self.function)(opened.static(), **how, rng=self.seed)


def question_of(asked: BenchRequest) -> Question:
    """Return a request as a call; say what is missing where there is nothing to call yet."""
    for name in NEEDED[asked.panel]:
        _need(asked, name)
    targets, attributes = by_name(asked.targets, "targets"), by_name(asked.attributes, "attributes")
    made: dict[str, Any]
    if asked.panel == "polarity":
        made = {"classes": by_name(asked.classes, "class"), "words": _once(asked.words), "scheme": asked.scheme}
    elif asked.panel == "wefat":
        made = {"words": _once(asked.words), "attributes": attributes, "alternative": asked.alternative}
    else:
        made = {"targets": targets, "attributes": attributes}
        if asked.panel == "weat":
            made["alternative"] = asked.alternative
    return Question(asked.panel, asked.seed, made, _draft(asked) if asked.draft else {})


def _draft(asked: BenchRequest) -> dict[str, Any]:
    """Return what a draft does with less work."""
    if asked.panel == "wefat":
        return {"chance": FEWER["chance"]}
    many = asked.panel == "weat" and sum(len(group.words) for group in asked.targets) > COUNTED_AT_ONCE
    return {**FEWER, **({"method": "dynamic programming"} if many else {})}


def _once(words: list[str]) -> list[str]:
    return list(dict.fromkeys(words))


def _need(asked: BenchRequest, name: str) -> None:
    """Say which box is still empty."""
    given: Any = getattr(asked, name)
    if name == "words":
        if not given:
            raise IncompleteError("Type at least one word to measure.")
        return
    least = 1 if (asked.panel, name) == ("rnd", "attributes") else 2
    full = [group for group in given if group.words]
    if len(full) < least or (len(full) < len(given) and least == 2):
        empty = next((group.name for group in given if not group.words), "")
        what = f"'{empty}'" if empty else f"the {name}"
        raise IncompleteError(f"Type at least one word into {what}: {FUNCTIONS[asked.panel]} needs it.")


def answer(opened: Opened, question: Question) -> tuple[Any, dict[str, Any]]:
    """Return the result of a question, and what the page shows of it."""
    began = time.perf_counter()
    result = question.result(opened)
    said = shown(result)
    if question.draft:
        said["notes"] += [DRAFT, *([BRACKET] if "method" in question.draft else [])]
    return result, {**said, "name": opened.name, "seconds": round(time.perf_counter() - began, 4)}


def code_of(opened: Opened, question: Question) -> dict[str, str | None]:
    """Return the question as Python, as a command and as TOML; None for what cannot say it."""
    python = copied.script(
        copied.opening(opened.given, opened.settings),
        copied.call(question.function, "vectors", {**question.arguments, "rng": question.seed}),
    )
    return {"python": python, **_elsewhere(opened, question)}


def _elsewhere(opened: Opened, question: Question) -> dict[str, str | None]:
    """Return the question as a command and as the TOML of its words; None for what cannot say it."""
    made, toml, words = question.arguments, None, None
    try:
        if question.panel == "polarity":
            toml = as_toml(ClassSet(title="own classes", dated=tuple(DatedWords(*g) for g in _lists(made["classes"]))))
            listed = copied.joined(made["words"])
            words = (
                None
                if listed is None
                else [
                    "--classes",
                    copied.as_classes(made["classes"]) or "own.toml",
                    "--words",
                    listed,
                    "--scheme",
                    made["scheme"],
                ]
            )
        elif question.panel == "wefat":
            toml = as_toml(WordSet(title="own words", listed=tuple(made["words"])))
            listed, lists = copied.joined(made["words"]), copied.as_lists("--attributes", made["attributes"])
            if listed is not None and lists is not None:
                words = ["--words", listed, *lists, "--alternative", made["alternative"]]
        else:
            lists = _four_lists(made)
            toml = as_toml(_weat_set(made)) if len(made["attributes"]) == 2 else None
            way = ["--alternative", made["alternative"]] if question.panel == "weat" else []
            own = lists or (["--words", "own.toml"] if toml else None)
            if own is not None:
                words = [*own, *way, "--min-found", "0"]  # the commands ask for half of each set
    except AslantError:  # what a set of one's own may not be, such as a word on both sides; then nothing was measured
        return {"command": None, "toml": None}
    name = question.function.replace("_", "-")
    line = words and copied.command(name, opened.given, opened.settings, *words, "--seed", str(question.seed))
    return {"command": line or None, "toml": toml}


def count_difference(visit: Visit, keys: Sequence[Hashable], title: str, own: float | None) -> None:
    """Count the test of how far two models are apart, whose p is shown too."""
    if own is not None:
        visit.tries.add(("difference", *keys), f"difference of two models, {title}", own, None)


def difference(first: Opened, second: Opened, question: Question) -> tuple[dict[str, Any] | None, float | None]:
    """Return how far the second model is from the first, on the words that both have, and its p; None: not known."""
    import aslant

    made, seed = question.arguments, question.seed
    if question.panel == "weat":
        both = aslant.compare(first.static(), second.static(), tests=[_weat_set(made)], rng=seed)
        if not both.weat:
            return {"says": "; ".join(both.not_compared.values()).capitalize() + ".", "facts": []}, None
        found = both.weat[0].difference
    elif question.panel == "polarity":
        found = aslant.compare_polarity([first.static(), second.static()], **made, rng=seed).differences[0]
    else:
        return None, None
    return _difference(found), found.pvalue


def _difference(found: Any) -> dict[str, Any]:
    """Say how far apart two models are, and how sure that is."""
    value, interval = small(found.difference), found.interval
    apart = "does not lie" if interval and not interval.low <= 0 <= interval.high else "lies"
    told = f" 0 {apart} in its 95 % interval over the choice of words." if interval else ""
    facts = [{"label": "Difference", "value": value, "means": f"second minus first, {plural(found.n, 'word')} in both"}]
    if interval:
        written = between(interval.low, interval.high)
        facts.append({"label": "Interval", "value": written, "means": "the same words are drawn in both"})
    if found.pvalue is not None:
        facts.append({"label": "p", "value": pvalue(found.pvalue), "means": "paired, over the signs of the words"})
    return {"says": f"{plain(found.second)} minus {plain(found.first)}: {value}.{told}", "facts": facts}


def _lists(groups: Mapping[str, list[str]]) -> list[tuple[str, tuple[str, ...]]]:
    return [(name, tuple(words)) for name, words in groups.items()]


def _weat_set(made: Mapping[str, Any]) -> WeatSet:
    (x, y), (a, b) = ([WordList(*group) for group in _lists(made[side])] for side in ("targets", "attributes"))
    title = f"{x.name}, {y.name}: {a.name}, {b.name}"
    return WeatSet(title=title, targets=(x, y), attributes=(a, b), alternative=made.get("alternative", "two-sided"))


def _four_lists(made: Mapping[str, Any]) -> list[str] | None:
    sides = [copied.as_lists(f"--{side}", made[side]) for side in ("targets", "attributes")]
    return None if None in sides else [part for side in sides for part in side or ()]


def count(visit: Visit, opened: Opened, asked: BenchRequest, result: Any) -> Hashable:
    """Count a question whose answer is shown, and return the key of its try."""
    key = _key(opened, asked, result)
    visit.tries.add(key, title_of(opened, asked), *pvalues_of(result))
    return key


def _key(opened: Opened, asked: BenchRequest, result: Any) -> Hashable:
    """Return what makes a question the same: the vectors that were measured, whatever their order and their names."""
    sides = [getattr(result, side, ()) for side in ("targets", "attributes", "classes")]
    sets: list[Any] = [tuple(frozenset(group.tokens) for group in side) for side in sides]
    if asked.alternative == "two-sided":
        sets = [frozenset(side) for side in sets]
    words = frozenset(asked.words) if "words" in NEEDED[asked.panel] else frozenset()
    how = asked.scheme if asked.panel == "polarity" else asked.alternative
    return asked.panel, opened.number, tuple(sets), words, how


def title_of(opened: Opened, asked: BenchRequest) -> str:
    """Say in words what is asked."""
    groups = [group for name in NEEDED[asked.panel] if name != "words" for group in getattr(asked, name)]
    names = [f"{plain(group.name or 'unnamed')} ({len(group.words)})" for group in groups if group.words]
    words = [plural(len(asked.words), "word")] if "words" in NEEDED[asked.panel] else []
    how = {"weat": asked.alternative, "wefat": asked.alternative, "polarity": asked.scheme}.get(asked.panel)
    return f"{asked.panel}: {', '.join([*words, *names])}{f'; {how}' if how else ''}; on {opened.name}"
