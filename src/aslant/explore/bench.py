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
        raise IncompleteError(f"Type at least one word into {what}.")


def answer(opened: Opened, question: Question) -> tuple[Any, dict[str, Any]]:
    """Return the result of a question, and what the page shows of it."""
    began = time.perf_counter()
    result = question.result(opened)
    said = shown(result)
    if question.draft:
        said["notes"] += [DRAFT, *([BRACKET] if "method" in question.draft else [])]
    return result, {**said, "name": opened.name, "seconds": round(time.perf_counter() - began, 4)}


def code_of(opened: Opened, question: Question, second: Opened | None = None) -> dict[str, str | None]:
    """Return the question, also of a second model, as Python, as commands and as TOML; None for what cannot say it."""
    models = [opened] if second is None else [opened, second]
    python = copied.of_each(
        [copied.opening(model.given, model.settings) for model in models],
        "vectors",
        copied.call(question.function, "vectors", {**question.arguments, "rng": question.seed}),
        *([] if second is None else _difference_code(question)),
    )
    try:
        own, toml = _own(question)
    except AslantError:  # what a set of one's own may not be, such as a word on both sides; then nothing was measured
        own, toml = None, None
    commands = None if own is None else "\n".join(_commands(models, question, own))
    return {"python": python, "command": commands, "toml": toml}


def _own(question: Question) -> tuple[list[str] | None, str | None]:
    """Return the words of a question as options and as TOML; None for what cannot say them."""
    made = question.arguments
    if question.panel == "polarity":
        toml = as_toml(ClassSet(title="own classes", dated=tuple(DatedWords(*g) for g in _lists(made["classes"]))))
        classes, listed = copied.as_classes(made["classes"]) or copied.OWN, copied.joined(made["words"])
        return None if listed is None else ["--classes", classes, "--words", listed], toml
    if question.panel == "wefat":
        listed, lists = copied.joined(made["words"]), copied.as_lists("--attributes", made["attributes"])
        own = None if listed is None or lists is None else ["--words", listed, *lists]
        return own, as_toml(WordSet(title="own words", listed=tuple(made["words"])))
    sides = [copied.as_lists(f"--{side}", made[side]) for side in ("targets", "attributes")]
    as_file = as_toml(_weat_set(made)) if len(made["attributes"]) == 2 else None
    if None in sides:
        return ["--words", copied.OWN] if as_file else None, as_file
    return [part for side in sides for part in side or ()], as_file


def _commands(models: Sequence[Opened], question: Question, own: list[str]) -> list[str]:
    """Return a command for each model, and one for the difference of two."""
    name, seed = question.function.replace("_", "-"), ("--seed", str(question.seed))
    how = [
        word for key in ("scheme", "alternative") if (way := question.arguments.get(key)) for word in (f"--{key}", way)
    ]
    least = ["--min-found", "0"] if question.panel in ("weat", "rnd") else []  # these ask for half of each set
    made = [copied.command(name, [model.given], model.settings, *own, *how, *least, *seed) for model in models]
    given, settings = [model.given for model in models], models[0].settings
    if len(models) > 1 and question.panel == "weat":
        both = ["--test" if word == "--words" else word for word in own]
        made.append(copied.command("compare", given, settings, *both, *seed))
    elif len(models) > 1 and question.panel == "polarity":
        made.append(copied.command("polarity", given, settings, *own, *how, *seed))
    return made


def _difference_code(question: Question) -> list[str]:
    """Return the lines of Python that give how far two models are apart; none where that is not known."""
    made, rng = question.arguments, question.seed
    if question.panel == "polarity":
        return [copied.call("compare_polarity", "models", {**made, "rng": rng})]
    if question.panel != "weat":
        return []
    sides = [
        f"    {side}=({', '.join(f'WordList({name!r}, {words!r})' for name, words in _lists(made[side]))}),"
        for side in ("targets", "attributes")
    ]
    own = ["own = WeatSet(", "    title='own',", *sides, ")"]
    return [
        "from aslant.stimuli import WeatSet, WordList",
        "",
        *own,
        f"result = aslant.compare(*models, tests=[own], rng={rng})",
    ]


def count_difference(visit: Visit, keys: Sequence[Hashable], title: str, own: float) -> Hashable:
    """Count the test of how far two models are apart, whose p is shown too, and return the key of its try."""
    key = ("difference", *keys)
    visit.tries.add(key, f"difference of two models, {title}", own, None)
    return key


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
