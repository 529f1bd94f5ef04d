"""Questions that take long: what each asks of a model's own process, and what the page shows of its answer."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from aslant.catalogue import kinds
from aslant.data import find
from aslant.errors import AslantError, plural
from aslant.explore import copied
from aslant.explore.asked import EnumerationRequest, PairsRequest, Request, TemplatesRequest, by_name
from aslant.explore.facts import chance_fact, marked, shown
from aslant.explore.opened import Opened
from aslant.report.assembly import documents_of
from aslant.report.html import CONTENT
from aslant.report.tables import percentage, plain, pvalue, small

PAIR_SETS = {
    "crows-pairs": "CrowS-Pairs", "crows-pairs-revised": "CrowS-Pairs, revised", "stereoset": "StereoSet",
    "bec-pro": "BEC-Pro",
}  # fmt: skip
PAIR_SCORES = {
    "auto": "as the model suits", "within-word": "pseudo-log-likelihood within words", "pll": "pseudo-log-likelihood",
    "crows": "CrowS-Pairs' own", "aul": "AUL", "aula": "AULA", "likelihood": "likelihood",
    "likelihood-per-piece": "likelihood per piece",
}  # fmt: skip
#: Names of a group and words of a category that the page can show.
SOME = 0.05
MOST_NAMES, MOST_WORDS = 40, 40


@dataclass(frozen=True)
class LongQuestion:
    """A job with its arguments, which are those of the public function `function`; `title` says it in words."""

    job: str
    function: str
    arguments: dict[str, Any]
    title: str

    @property
    def key(self) -> Hashable:
        """What makes two questions the same."""
        return self.job, repr(sorted(self.arguments.items()))

    @property
    def tried(self) -> Hashable:
        """What makes two questions one try: the order of words, the names of their sets and the seed do not matter."""
        made: dict[str, Any] = {n: frozenset(v) if isinstance(v, list) else v for n, v in self.arguments.items()}
        made.pop("rng")
        if sets := made.get("targets"):
            made["targets"] = frozenset(frozenset(words) for words in sets.values())
        return self.job, frozenset(made.items())


def enumeration(asked: EnumerationRequest) -> LongQuestion:
    """Return an enumeration as a job."""
    names = ("groups", "categories", "words", "rotations")
    arguments = {name: getattr(asked, name) for name in names} | {"rng": asked.seed}
    title = f"enumeration: {asked.groups} groups of names, {asked.categories} categories of words"
    return LongQuestion("enumeration", "enumerate_biases", arguments, title)


def templates(asked: TemplatesRequest) -> LongQuestion:
    """Return templates as a job, or say what is missing."""
    targets = {name: words for name, words in by_name(asked.targets, "targets").items() if words}
    attributes = list(dict.fromkeys(word for group in asked.attributes for word in group.words))
    if not asked.templates:
        raise AslantError("Type a template, such as: [TARGET] is a [ATTRIBUTE].")
    if len(targets) < 2:
        raise AslantError("Type at least one word into each of two target boxes.")
    if not attributes:
        raise AslantError("Type at least one attribute.")
    # always a list: a single text without [TARGET] would be the name of a set, or of a file on this disk
    arguments = {"template": asked.templates, "targets": targets, "attributes": attributes, "rng": asked.seed}
    sets = ", ".join(f"{plain(name)} ({len(words)})" for name, words in targets.items())
    sentences = ", ".join(map(plain, asked.templates))
    title = f"templates: {sets}; {plural(len(attributes), 'attribute')}; {sentences}"
    return LongQuestion("templates", "log_probability_bias", arguments, title)


def pairs(asked: PairsRequest) -> LongQuestion:
    """Return pairs of sentences as a job; data that are not on this machine are not fetched from the page."""
    if find(asked.set) is None:
        raise AslantError(f"{PAIR_SETS[asked.set]} is not on this machine; get it with: aslant data get {asked.set}")
    arguments = {"source": asked.set, "score": asked.score, "sample": asked.sample, "twins": asked.twins}
    title = f"pairs: {PAIR_SETS[asked.set]}, {plural(asked.sample, 'pair') if asked.sample else 'all pairs'}"
    return LongQuestion("pairs", "sentence_pairs", arguments | {"rng": asked.seed}, title)


def question(name: str, asked: Request) -> LongQuestion:
    """Return a request as a job."""
    made: Any = {"enumeration": enumeration, "templates": templates, "pairs": pairs}[name]
    found: LongQuestion = made(asked)
    return found


def need_model(name: str, opened: Opened) -> None:
    """Refuse a model of the wrong kind."""
    if name == "enumeration":
        opened.static()
    elif opened.vectors is not None:
        raise AslantError(f"'{opened.name}' is an embedding; {name} need a language model: aslant explore MODEL")


def answered(opened: Opened, asked: LongQuestion, result: Any) -> dict[str, Any]:
    """Return what the page shows of a finished job."""
    said = shown(result)
    if asked.job == "enumeration":
        said |= _walk(result)
    elif asked.job == "pairs":
        about = [plain(note) for note in documents_of(result)[0].remarks()]  # every pair is shown, not some
        said |= {"pairs": _single(result), "facts": _pairs_facts(result), "says": _first_sentence(result)}
        said |= {"notes": about}
    elif asked.job == "templates":
        said["facts"] = _share(result)
    return {**said, "name": opened.name}


def _walk(result: Any) -> dict[str, Any]:
    """Return the groups, categories and cells of an enumeration, to walk through."""
    groups = [
        {"number": n, "title": ", ".join(map(plain, g.illustrative[:3])), "size": g.size}
        | {"words": [marked(word) for word in g.names[:MOST_NAMES]]}
        for n, g in enumerate(result.groups)
    ]
    categories = [
        {"number": n, "size": result.categories[n].size}
        | {"centre": [marked(word) for word in result.categories[n].centre_words[:3]]}
        | {"words": [marked(word) for word in result.categories[n].words[:MOST_WORDS]]}
        for n in result.ordering
    ]
    cells = [_cell(cell) for n in result.ordering for cell in result.of_category(n)]
    tested = len(result.cells) - len(result.not_tested)
    means = f"{len(result.significant)} of {plural(tested, 'cell')}: q ≤ 0.05. Which names and words is the finding"
    facts = [{"label": "Significant cells", "value": percentage(result.share), "means": means}]
    if chance := result.chance:
        low, high = percentage(chance.low), percentage(chance.high)
        drawn, as_many = plural(chance.draws, "draw"), percentage(result.chance_share)
        means = (
            f"significant cells in {drawn} of random words, {result.chance_rotations:,} rotations each (the names with "
            f"as many: {as_many}); p (chance) = {pvalue(chance.pvalue)}"
        )
        facts.append({"label": "Random words in place of the names", "value": f"{low} to {high}", "means": means})
    walked = {"groups": groups, "categories": categories, "cells": cells, "note": CONTENT, "facts": facts}
    return {**walked, "chart": None}  # the table is the chart, with words covered that may offend


def _first_sentence(result: Any) -> str:
    """Say what all pairs show; the categories are in the table."""
    kind = kinds()[result.kind]
    return str(kind.resolve(kind.glance)(result, lambda _: "own")[0].sentence)


def _pairs_facts(result: Any) -> list[dict[str, str]]:
    """Return the facts about all pairs: share, p, chance, and what StereoSet adds."""
    every = result.groups[0]
    within = every.share_interval
    told = f"; interval {percentage(within.low)} to {percentage(within.high)}" if within else ""
    means = f"of {plural(every.n - every.equal, 'pair')} the more stereotyping sentence scores higher{told}"
    made = [{"label": "Share", "value": percentage(every.share), "means": means}]
    if every.share_pvalue is not None:
        means = "two-sided against 50 %, over pairs that contrast the same words together"
        made.append({"label": "p", "value": pvalue(every.share_pvalue), "means": means})
    shares = [share for twin in result.twins if (share := twin.shares.get(every.name)) is not None]
    if shares:
        low, high = percentage(min(shares)), percentage(max(shares))
        gives = "gives" if len(shares) == 1 else "give"
        means = f"what {plural(len(shares), 'untrained model')} of the same architecture {gives}, without any learning"
        made.append({"label": "Chance", "value": low if low == high else f"{low} to {high}", "means": means})
    for score in result.language_model:
        means = (
            f"lms {score.lms:.0f}, ss {score.ss:.0f}; 100: sensible, and as often against a stereotype as for it; "
            "guessing gives 50"
        )
        made.append({"label": f"ICAT, {plain(score.part)}", "value": f"{score.icat:.0f}", "means": means})
    return made


def _cell(cell: Any) -> dict[str, Any]:
    facts = [
        {"label": "Score", "value": small(cell.score), "means": "how far its words lean to these names"},
        {"label": "p", "value": pvalue(cell.pvalue), "means": f"over {cell.rotations:,} rotations of the names"},
        {"label": "q", "value": pvalue(cell.qvalue), "means": "Benjamini–Hochberg over all cells"},
    ]
    if cell.chance_pvalue is not None:
        told = "share of groups of random words with as large a score here"
        facts.append({"label": "p (chance)", "value": pvalue(cell.chance_pvalue), "means": told})
    return {
        "says": _cell_says(cell),
        "group": cell.group, "category": cell.category, "significant": cell.significant, "tested": cell.tested,
        "reached": bool(cell.significant and cell.chance_pvalue is not None and cell.chance_pvalue > SOME),
        "value": small(cell.score), "facts": facts if cell.tested else [], "words": [marked(w) for w in cell.words],
    }  # fmt: skip


def _cell_says(cell: Any) -> str:
    """Say what a cell shows: its own test, and whether random groups give as much."""
    if not cell.tested:
        return "No test: too few words of this category belong to these names."
    own = f"q = {pvalue(cell.qvalue)}"
    if not cell.significant:
        return f"Not significant ({own}): rotated names often lean as far to words of this category."
    if cell.chance_pvalue is None:
        return f"Significant by its own test ({own}); not compared with random groups."
    if cell.chance_pvalue > SOME:
        return (
            f"Significant by its own test ({own}), but groups of random words score as high here in "
            f"{percentage(cell.chance_pvalue)} of cases: no finding about these names."
        )
    return f"Significant ({own}), and beyond groups of random words, too (p = {pvalue(cell.chance_pvalue)})."


def _share(result: Any) -> list[dict[str, str]]:
    """Return the facts about the first contrast between target sets: the share of attributes, chance, mean, p."""
    first = result.contrasts[0]
    within = f"{percentage(first.low)} to {percentage(first.high)}"
    means = f"of {plural(first.n, 'attribute')} go with {plain(first.first)} rather than {plain(first.second)}"
    made = [{"label": "Share", "value": percentage(first.share), "means": f"{means}; interval {within}"}]
    if chance := first.chance:
        value = f"{percentage(chance.low)} to {percentage(chance.high)}"
        made.append({**chance_fact(chance, "50 %"), "label": "Chance of the share", "value": value})
    also = "; whether other pairs of words give as much is what p (chance) tells" if first.chance else ""
    return [
        *made,
        {"label": "Mean score", "value": small(first.mean), "means": "0: no preference beyond the prior"},
        {"label": "p", "value": pvalue(first.pvalue), "means": f"of the mean, over the signs of the attributes{also}"},
    ]


def _single(result: Any) -> list[dict[str, Any]]:
    """Return single pairs of each category, those with the largest difference first."""
    by_category: dict[str, list[Any]] = {}
    for pair in sorted(result.pairs, key=lambda pair: -abs(pair.difference)):
        by_category.setdefault(pair.category, []).append(pair)
    return [
        {"category": name, "more": p.more, "less": p.less, "difference": small(p.difference), "offensive": True}
        for name, of_category in sorted(by_category.items())
        for p in of_category
    ]


def code_of(models: Sequence[Opened], asked: LongQuestion) -> dict[str, str | None]:
    """Return a job as Python and as a command for each model, which give the same numbers."""
    static = asked.job == "enumeration"
    function, name = ("load", "vectors") if static else ("load_lm", "lm")
    how = models[0].settings if static else {}
    openings = [copied.opening(model.given, how, function=function) for model in models]
    python = copied.of_each(openings, name, copied.call(asked.function, name, asked.arguments))
    words = _options(asked)
    command = {"enumeration": "enumerate", "templates": "logprob", "pairs": "pairs"}[asked.job]
    seed = str(asked.arguments["rng"])
    if words is None:
        return {"python": python, "command": None, "toml": None}
    commands = [copied.command(command, [model.given], how, *words, "--seed", seed) for model in models]
    return {"python": python, "command": "\n".join(commands), "toml": None}


def _options(asked: LongQuestion) -> list[str] | None:
    """Return the arguments of a job as options; None where these cannot say it."""
    made = asked.arguments
    if asked.job != "templates":
        names = {"source": "--set"}
        return [w for k, v in made.items() if k != "rng" for w in (names.get(k, f"--{k}"), str(v))]
    sets = ["+".join(words) for words in made["targets"].values()]
    listed, targets = copied.joined(made["attributes"]), copied.joined(sets)
    if listed is None or targets is None or any("+" in word for words in made["targets"].values() for word in words):
        return None
    sentences = [word for text in made["template"] for word in ("--template", text)]
    return [*sentences, "--targets", targets, "--attributes", listed]
