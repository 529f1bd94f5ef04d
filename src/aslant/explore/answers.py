"""The answers: each takes the body of a request and returns what the page gets, as JSON can hold it."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any, TypeAlias

from aslant.data import find
from aslant.errors import AslantError, plural
from aslant.explore import asked as a
from aslant.explore import axes, bench, kept
from aslant.explore.long_questions import PAIR_SCORES, PAIR_SETS
from aslant.explore.opened import Opened
from aslant.explore.reading_files import read_file
from aslant.explore.tries import pvalues_of
from aslant.explore.visit import Explorer, Visit
from aslant.report.html import CONTENT
from aslant.report.offensive_words import may_offend
from aslant.stimuli import StimulusSet, WordSet, all_sets, bundled_names, kind_of, load_set, names
from aslant.version import __version__

Answer: TypeAlias = Callable[[Explorer, Visit, bytes], Any]
#: Missing words of a request for which words that are spelled alike are looked for, which takes a while.
MOST_SUGGESTED = 8
#: The bundled first names as a set of words, and how many of them.
NAMES, MOST_NAMES = "first-names", 200


def model_of(explorer: Explorer, number: int) -> Opened:
    """Return the model of a number."""
    if number >= len(explorer.models):
        raise a.RequestError(f"there is no model {number}; this server has {len(explorer.models)}.")
    return explorer.models[number]


def about(explorer: Explorer) -> dict[str, Any]:
    """Say what there is to explore."""
    models = [
        {"number": m.number, "name": m.name, "kind": m.kind, "year": m.year}
        | {"words": len(m.vectors) if m.vectors else None, "dimensions": m.vectors.dimensions if m.vectors else None}
        for m in explorer.models
    ]
    static = any(m.vectors for m in explorer.models)
    panels = ["bench", "axes", "enumeration"] * static
    panels += ["templates", "pairs"] * any(m.vectors is None for m in explorer.models)
    pair_sets = [
        {"id": name, "title": title, "available": find(name) is not None, "get": f"aslant data get {name}"}
        for name, title in PAIR_SETS.items()
    ]
    return {
        "version": __version__, "seed": explorer.seed, "models": models, "sets": shipped(), "panels": panels,
        "offensive_note": CONTENT, "schemes": ["binary", "one-vs-one", "one-vs-rest"],
        "alternatives": ["two-sided", "greater", "less"], "pair_sets": pair_sets,
        "pair_scores": [{"id": name, "title": title} for name, title in PAIR_SCORES.items()],
    }  # fmt: skip


def frequent_names() -> WordSet:
    """Return the first names that most people bear, as a set of words."""
    listed = tuple(bundled_names().names[:MOST_NAMES])
    return WordSet(id=NAMES, title="Frequent first names (US)", category="names", language="en", listed=listed)


@functools.cache
def shipped() -> list[dict[str, str]]:
    """List the word sets that ship and can fill a box."""
    return [
        {"id": s.id, "title": s.title, "kind": kind_of(s), "category": s.category, "language": s.language}
        for s in (*all_sets(), frequent_names())
        if kind_of(s) in ("weat", "classes", "words", "templates", "pairs")
    ]


def word_set(explorer: Explorer, visit: Visit, body: bytes) -> Any:
    """Return the words of a set that ships."""
    name = a.read(body, a.SetRequest).id
    if name == NAMES:
        return described(frequent_names())
    if name not in names():
        raise a.RequestError(f"there is no word set {name!r}.")
    return described(load_set(name))


ROLES = {"classes": "classes", "words": "words", "pairs": "poles", "templates": "targets"}


def described(found: StimulusSet) -> dict[str, Any]:
    """Return a set as the page takes it."""
    kind, known = kind_of(found), ("title", "note", "citation", "caution", "category", "language")
    groups: Any = getattr(found, "classes", found.groups)  # of classes whose words change, the latest
    sides = [ROLES.get(kind, "targets")] * len(groups)
    if targets := getattr(found, "targets", None):
        sides = ["targets"] * len(targets) + ["attributes"] * (len(groups) - len(targets))
    return {
        "id": found.id, "kind": kind, **{name: getattr(found, name) for name in known},
        "groups": [{"role": role, "name": g.name, "words": g.words} for role, g in zip(sides, groups, strict=True)],
        "alternative": getattr(found, "alternative", None),
        "templates": [template.text for template in getattr(found, "templates", ())],
    }  # fmt: skip


def complete(explorer: Explorer, visit: Visit, body: bytes) -> Any:
    """Return the most frequent words that begin so."""
    asked = a.read(body, a.CompleteRequest)
    opened = model_of(explorer, asked.model)
    vectors = opened.static()
    rows = opened.complete(asked.prefix, asked.limit)
    return {
        "words": [
            {"word": (word := vectors.words[row]), "rank": opened.rank(row), "offensive": may_offend(word)}
            for row in rows
        ]
    }


def words(explorer: Explorer, visit: Visit, body: bytes) -> Any:
    """Say of each word which entry of the vocabulary it is, how frequent, and what is spelled like a missing one."""
    asked = a.read(body, a.WordsRequest)
    opened = model_of(explorer, asked.model)
    found, left = [], MOST_SUGGESTED
    for word in asked.words:
        tokens = opened.static().lookup([word]).tokens
        similar = [] if tokens else alike(opened, word) if left else None  # None: was not looked for
        left -= not tokens and left > 0
        found.append(_word(opened, word, tokens[0] if tokens else None) | {"suggestions": similar})
    return {"words": found, "total": len(opened.static())}


def _word(opened: Opened, word: str, token: str | None) -> dict[str, Any]:
    vectors = opened.static()
    row = vectors.row_of(token) if token is not None else None
    return {"word": word, "token": token, "rank": row and opened.rank(row[1]), "offensive": may_offend(word)}


@functools.lru_cache(4_096)
def alike(opened: Opened, word: str) -> list[str]:
    """Return words that are spelled like one that is missing, but none that may offend: nobody asked to see these."""
    return [similar for similar in opened.static().similar_words(word) if not may_offend(similar)]


def benched(explorer: Explorer, visit: Visit, body: bytes) -> Any:
    """Compute a test or a score, also of a second model; count the tries, and say what all of them make of it."""
    asked = a.read(body, a.BenchRequest)
    question = bench.question_of(asked)
    opened = model_of(explorer, asked.model)
    result, said = bench.answer(opened, question)
    said["draft"], second = asked.draft, None
    counted = [] if asked.draft else [(said, bench.count(visit, opened, asked, result))]
    if asked.compare is not None and asked.compare != asked.model:
        second = model_of(explorer, asked.compare)
        try:
            result, said["other"] = bench.answer(second, question)
            counted += [] if asked.draft else [(said["other"], bench.count(visit, second, asked, result))]
            if not asked.draft:
                apart, own = bench.difference(opened, second, question)
                said["other"]["difference"] = apart
                if apart and own is not None:
                    keys, title = [key for _, key in counted], f"{bench.title_of(opened, asked)} and {second.name}"
                    counted.append((apart, bench.count_difference(visit, keys, title, own)))
        except AslantError as error:
            said["other"] = {"name": second.name, **said.get("other", {}), "incomplete": str(error)}
            second = None
    for part, key in counted:
        part["tries"] = visit.tries.corrected(key)
    return said | {"code": bench.code_of(opened, question, second)}


def file(explorer: Explorer, visit: Visit, body: bytes) -> Any:
    """Return the words of a file of one's own, and how it was read."""
    found, said = read_file(a.read(body, a.FileRequest))
    a.check_texts([list(group.words) for group in found.groups])
    return {**described(found), "notes": said}


def placed(explorer: Explorer, visit: Visit, body: bytes) -> Any:
    """Place words between two axes, and count the tries."""
    asked = a.read(body, a.AxesRequest)
    opened, began = model_of(explorer, asked.model), time.perf_counter()
    results = axes.polarities(opened, asked)
    said = axes.shown_axes(opened, results) | {"code": axes.axes_code(opened, asked), "draft": asked.draft}
    if not asked.draft:
        keys = []
        for result in results:
            ends = frozenset(frozenset(group.tokens) for group in result.classes)
            keys.append(("axis", opened.number, ends, frozenset(asked.words)))
            title = f"axis {axes.ends_of(result)}, {plural(len(set(asked.words)), 'word')}; on {opened.name}"
            visit.tries.add(keys[-1], title, *pvalues_of(result))
        first = visit.tries.corrected(keys[0], "Horizontal axis") or {"this": ""}
        said["tries"] = visit.tries.corrected(keys[1], "Vertical axis", first["this"])
    return {**said, "name": opened.name, "seconds": round(time.perf_counter() - began, 4)}


def near(explorer: Explorer, visit: Visit, body: bytes) -> Any:
    """Return the neighbours of a word."""
    asked = a.read(body, a.NeighboursRequest)
    return axes.neighbours(model_of(explorer, asked.model), asked.word, asked.k)


def followed(explorer: Explorer, visit: Visit, body: bytes) -> Any:
    """Follow words along an axis over the years, and count the try."""
    asked = a.read(body, a.TrendRequest)
    result = axes.trend(explorer.models, asked)
    title = f"trend of {axes.title_of(asked)}"
    key = "trend", frozenset(asked.first), frozenset(asked.second), frozenset(asked.words)
    return axes.shown_trend(explorer.models, asked, result) | {"tries": visit.counted(key, title, result)}


def tried(explorer: Explorer, visit: Visit, body: bytes) -> Any:
    """List what a person has tried."""
    a.read(body, a.Request)
    rows = visit.tries.rows()
    return {"tries": rows, "says": f"You have tried {plural(len(rows), 'question')} since this server was started."}


def keep(explorer: Explorer, visit: Visit, body: bytes) -> Any:
    """Compute the settled answer of a request, and keep it for the report."""
    asked = a.read(body, a.KeepRequest)
    for title, result in kept.results_of(explorer, asked):
        number = visit.keep(title, result)
    return {"kept": len(visit.kept), "number": number}


def listed_kept(explorer: Explorer, visit: Visit, body: bytes) -> Any:
    """List what a person has kept."""
    a.read(body, a.Request)
    return {"kept": [{"number": number, "title": title} for number, (title, _) in list(visit.kept.items())]}


def remove(explorer: Explorer, visit: Visit, body: bytes) -> Any:
    """Take a result out of the report."""
    visit.kept.pop(a.read(body, a.RemoveRequest).number, None)
    return {"kept": len(visit.kept)}


ANSWERS: dict[str, Answer] = {
    "set": word_set, "file": file, "complete": complete, "words": words, "bench": benched, "axes": placed,
    "neighbours": near, "trend": followed, "tries": tried, "keep": keep, "kept": listed_kept, "kept/remove": remove,
}  # fmt: skip
