"""Words between two axes, their neighbours, and an axis over the years: polarity, by the public functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from aslant.errors import AslantError, plural
from aslant.explore import copied
from aslant.explore.asked import AxesRequest, Axis, TrendRequest
from aslant.explore.facts import Fact, chance_fact, marked, shown
from aslant.explore.opened import Opened
from aslant.report.charts import MODEL_COLOUR, tips
from aslant.report.offensive_words import covered
from aslant.report.tables import plain, pvalue, small
from aslant.statistics import nearest

SOME = 0.05
SURE = {True: "beyond chance on an axis (q ≤ 0.05)", False: "no farther than chance"}


def classes_of(axis: Axis) -> dict[str, list[str]]:
    """Return the two ends of an axis, each named by its first word; the first end is where scores are above 0."""
    if not axis.first or not axis.second:
        raise AslantError(f"Type at least one word at each end of the {axis.name or 'axis'}.")
    first, second = axis.first[0], axis.second[0]
    if first == second:
        raise AslantError(f"'{first}' is at both ends of an axis; nothing can be between a word and itself.")
    return {first: list(dict.fromkeys(axis.first)), second: list(dict.fromkeys(axis.second))}


def polarities(opened: Opened, asked: AxesRequest) -> list[Any]:
    """Measure the words between the ends of each axis; a draft of it with fewer random draws."""
    import aslant

    if not asked.words:
        raise AslantError("Type at least one word to place between the axes.")
    draft = {"chance": 200, "bootstrap": 0} if asked.draft else {}
    words = list(dict.fromkeys(asked.words))
    return [
        aslant.polarity(opened.static(), classes_of(axis), words, rng=asked.seed, **draft)
        for axis in (asked.x, asked.y)
    ]


def shown_axes(opened: Opened, results: Sequence[Any]) -> dict[str, Any]:
    """Return what the page shows of two axes: points, a chart, a table, and what random axes give."""
    x, y = results
    words = [w.word for w in x.by_word]
    rank = {word: opened.rank(row[1]) for word in words if (row := _row(opened, word))}
    points = [
        {"word": a.word, "x": a.score, "y": b.score, "rank": rank.get(a.word), "offensive": marked(a.word)["offensive"]}
        | {"sure": any(q is not None and q <= SOME for q in (a.chance_qvalue, b.chance_qvalue)), "q": (a, b)}
        for a, b in zip(x.by_word, y.by_word, strict=True)
    ]
    rows = [
        {"x": small(p["x"]), "y": small(p["y"]), "rank": f"{p['rank']:,}" if p["rank"] else "–", **marked(p["word"])}
        | {"w": plain(p["word"]), "qx": pvalue(p["q"][0].chance_qvalue), "qy": pvalue(p["q"][1].chance_qvalue)}
        for p in points
    ]
    titles = {"w": "word", "x": ends_of(x), "qx": "q (chance)", "y": ends_of(y), "qy": "q (chance)", "rank": "rank"}
    told = {
        "says": _says(results, points),
        "facts": [fact for name, result in zip(("x", "y"), results, strict=True) for fact in _facts(name, result)],
        "columns": [{"key": key, "title": title, "right": key != "w"} for key, title in titles.items()],
        "rows": rows,
        "notes": [
            "A word is beyond chance on an axis where random axes of the same frequency rarely place it as far (q: "
            "Benjamini–Hochberg over the words). The band is as wide as the mean lean of these words on nearly all "
            "(97.5 %) random axes.",
            *([f"no vector for {', '.join(map(plain, x.missing))}"] if x.missing else []),
        ],
        "chart": _chart(points, results),
        "chart_text": f"{plural(len(points), 'word')} between {ends_of(x)} and {ends_of(y)}.",
    }
    return {"points": [{k: v for k, v in p.items() if k != "q"} for p in points], **told}


def _row(opened: Opened, word: str) -> tuple[str, int] | None:
    vectors = opened.static()
    tokens = vectors.lookup([word]).tokens
    return vectors.row_of(tokens[0]) if tokens else None


def ends_of(result: Any) -> str:
    """Name the ends of an axis, that of scores below 0 first."""
    first, second = (plain(group.name) for group in result.classes)
    return f"{second} ↔ {first}"


def _facts(name: str, result: Any) -> list[Fact]:
    means = "mean distance of the words from the middle of this axis; 0: all of them lie on it"
    made = [{"label": f"{name}: {ends_of(result)}", "value": small(result.score), "means": means}]
    return made + ([{**chance_fact(result.chance), "label": f"{name}: chance"}] if result.chance else [])


def _says(results: Sequence[Any], points: list[dict[str, Any]]) -> str:
    sure = sum(point["sure"] for point in points)
    are, words = "is" if sure == 1 else "are", plural(len(points), "word")
    told = f"{sure} of {words} {are} farther along an axis than on random axes."
    beyond = [ends_of(r) for r in results if r.chance and r.chance.pvalue <= SOME]
    if not beyond:
        return f"{told} On the whole neither axis spreads these words more than random axes do."
    spread = "spreads" if len(beyond) == 1 else "spread"
    return f"{told} On the whole {' and '.join(beyond)} {spread} them more than random axes do."


def _chart(points: list[dict[str, Any]], results: Sequence[Any]) -> dict[str, Any]:
    """Draw words between two axes; the page hears what is brushed, and says what is looked for."""
    import altair as alt

    brush = alt.selection_interval(name="brush", encodings=["x", "y"])
    search = alt.param(name="search", value="")
    values = [
        {**{key: p[key] for key in ("word", "x", "y")}, "shown": covered(p["word"]), "chance": SURE[p["sure"]]}
        | {"at": f"{small(p['x'])}, {small(p['y'])}"}
        for p in points
    ]
    base = alt.Chart(alt.InlineData(values=values)).encode(
        x=alt.X("x:Q", title=ends_of(results[0]), axis=alt.Axis(tickCount=6)),
        y=alt.Y("y:Q", title=ends_of(results[1]), axis=alt.Axis(tickCount=6)),
    )
    found = "search == '' || indexof(lower(datum.word), lower(search)) >= 0"
    known = list(SURE.values())
    fill = alt.Fill(
        "chance:N",
        scale=alt.Scale(domain=known, range=[MODEL_COLOUR, "transparent"]),
        legend=alt.Legend(title=None, orient="top", symbolStrokeColor=MODEL_COLOUR),
    )
    dots = (
        base.mark_circle(size=70, stroke=MODEL_COLOUR, strokeWidth=1.5, opacity=1, cursor="pointer")
        .encode(
            fill=fill,
            tooltip=tips("word:shown", "place:at", "chance"),
            opacity=alt.condition(
                f"({found}) && (!length(data('brush_store')) || vlSelectionTest('brush_store', datum))",
                alt.value(1),
                alt.value(0.15),
            ),
        )
        .add_params(brush, search)
    )
    names = base.mark_text(dy=-9, fontSize=11, color="currentColor").encode(
        text="shown:N", opacity=alt.condition(found, alt.value(0.9), alt.value(0.1))
    )
    layers = [*_bands(results), dots, names]
    return dict(alt.layer(*layers).properties(width=680, height=440).to_dict(validate=False))


def _bands(results: Sequence[Any]) -> list[Any]:
    """Draw, for each axis, how far random axes place these words on average."""
    import altair as alt

    made = []
    for channel, result in zip("xy", results, strict=True):
        if result.chance:
            ends = alt.InlineData(values=[{"low": -result.chance.high, "high": result.chance.high}])
            band = alt.Chart(ends).mark_rect(color="currentColor", opacity=0.07)
            low: Any = alt.X("low:Q") if channel == "x" else alt.Y("low:Q")
            made.append(band.encode(**{channel: low, f"{channel}2": "high:Q"}))
    return made


def axes_code(opened: Opened, asked: AxesRequest) -> dict[str, str | None]:
    """Return both axes as Python, and as two commands; None where these cannot say it."""
    words = list(dict.fromkeys(asked.words))
    made = [{"classes": classes_of(axis), "words": words} for axis in (asked.x, asked.y)]
    lines = [copied.call("polarity", "vectors", {**axis, "rng": asked.seed}) for axis in made]
    python = copied.script(
        f"vectors = {copied.opening(opened.given, opened.settings)}", lines[0], "print(result)", lines[1]
    )
    commands = [_command(opened, axis, asked.seed) for axis in made]
    return {"python": python, "command": None if None in commands else "\n".join(map(str, commands)), "toml": None}


def _command(opened: Opened, axis: Mapping[str, Any], seed: int) -> str | None:
    classes, words = copied.as_classes(axis["classes"]), copied.joined(axis["words"])
    if classes is None or words is None:
        return None
    given = "--classes", classes, "--words", words, "--seed", str(seed)
    return copied.command("polarity", [opened.given], opened.settings, *given)


def neighbours(opened: Opened, word: str, k: int) -> dict[str, Any]:
    """Return the nearest words of a word, among the most frequent ones, with their cosines."""
    vectors = opened.static()
    tokens = vectors.lookup([word])
    if not tokens.tokens:
        raise AslantError(f"'{word}' has no vector in '{opened.name}'.")
    pool = opened.frequent
    unit = np.asarray(tokens.vectors / np.linalg.norm(tokens.vectors, axis=1, keepdims=True), dtype=np.float32)
    own = vectors.row_of(tokens.tokens[0])
    at = own[1] if own and own[1] < len(pool) else -1
    rows = nearest(unit, pool, min(k, len(pool) - 1), np.array([at]))[0]
    cosines = pool[rows] @ unit[0]
    order = np.argsort(-cosines, kind="stable")
    found = [
        {"word": vectors.words[int(rows[i])], "cosine": small(float(cosines[i])), "rank": opened.rank(int(rows[i]))}
        | {"offensive": marked(vectors.words[int(rows[i])])["offensive"]}
        for i in order
    ]
    which = "most frequent" if vectors.by_frequency else "first"
    among = f"Nearest to “{plain(word)}” among the {len(pool):,} {which} words, by cosine."
    return {"neighbours": found, "says": among}


def trend(models: Sequence[Opened], asked: TrendRequest) -> Any:
    """Follow the words along one axis over the years of the models that have one."""
    import aslant

    axis = Axis("axis", asked.first, asked.second)
    by_year = {m.year: m.static() for m in models if m.year is not None and m.vectors is not None}
    if len(by_year) < 2:
        raise AslantError("a trend needs embeddings of two years or more: aslant explore 1900=a.txt 1950=b.txt")
    if not asked.words:
        raise AslantError("Type at least one word to follow.")
    words = list(dict.fromkeys(asked.words))
    return aslant.trend(by_year, "polarity", classes=classes_of(axis), words=words, rng=asked.seed)


def title_of(asked: TrendRequest) -> str:
    """Name the ends of an axis that is followed."""
    return f"{plain(asked.second[0])} ↔ {plain(asked.first[0])}"


def shown_trend(models: Sequence[Opened], asked: TrendRequest, result: Any) -> dict[str, Any]:
    """Return what the page shows of a trend, and the Python that gives it."""
    dated = [m for m in models if m.year is not None]
    loads = [copied.opening(m.given, m.settings) for m in dated]
    listed = ", ".join(f"{m.year}: {load}" for m, load in zip(dated, loads, strict=True))
    classes = classes_of(Axis("axis", asked.first, asked.second))
    call = copied.call(
        "trend", "by_year", {"measure": "polarity", "classes": classes, "words": asked.words, "rng": asked.seed}
    )
    code = {"python": copied.script(f"by_year = {{{listed}}}", call), "command": None, "toml": None}
    return {**shown(result), "code": code}
