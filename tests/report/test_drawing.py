"""Vega and Vega-Lite in a small engine draw what a browser draws, in any thread, without a network."""

from __future__ import annotations

import re
import tomllib
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path

import altair as alt
import pytest

import aslant
from aslant.cli import shared
from aslant.errors import MissingExtraError
from aslant.report import charts, drawing, figures
from aslant.results import codec

WORDS = ["plain", "naïve", "r•••••", "Жук", "日本", "\x07bell", "</svg>", "𝄞", "x" * 300, ""]


def chart(words: list[str] = WORDS) -> alt.Chart:
    rows = [{"word": word, "value": place} for place, word in enumerate(words)]
    return alt.Chart(alt.Data(values=rows)).mark_bar().encode(x="value:Q", y=alt.Y("word:N", sort=None))


def size(svg: str) -> list[float]:
    found = re.search(r'<svg[^>]* width="([\d.]+)" height="([\d.]+)"', svg)
    assert found
    return [float(number) for number in found.groups()]


def test_vega_lite_is_of_the_version_that_altair_writes_for() -> None:
    sources = tomllib.loads((files("aslant.report") / "assets" / "SOURCES.toml").read_text())
    ours, wanted = sources["vega-lite"]["version"].split("."), alt.SCHEMA_VERSION.lstrip("v").split(".")
    assert ours[0] == wanted[0]
    assert int(ours[1]) >= int(wanted[1])


def test_a_chart_is_the_same_however_often_and_wherever_it_is_drawn() -> None:
    first = charts.svg(chart())
    with ThreadPoolExecutor(3) as threads:
        assert set(threads.map(lambda _: charts.svg(chart()), range(6))) == {first}


def test_any_token_is_text_of_the_picture() -> None:
    from xml.etree import ElementTree

    svg = charts.svg(chart([word for word in WORDS if word.isprintable()]))
    shown = [element.text for element in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
    assert {"plain", "naïve", "r•••••", "Жук", "日本", "</svg>", "𝄞"} <= set(shown)


def test_pictures_and_specifications_are_those_of_vl_convert() -> None:
    vl_convert = pytest.importorskip("vl_convert")
    drawn = chart(["plain", "naïve", "r•••••", "wide words with spaces", "−0.5 · x"])
    theirs = vl_convert.vegalite_to_vega(drawn.to_dict(), vl_version=alt.SCHEMA_VERSION.rsplit(".", 1)[0])
    assert drawing.vega_of(drawn.to_dict()) == theirs
    styled = charts.vega(drawn)
    assert size(drawing.svg_of(styled)) == pytest.approx(size(vl_convert.vega_to_svg(styled)), abs=2)


def test_what_vega_cannot_draw_is_an_error_and_the_next_chart_is_drawn() -> None:
    with pytest.raises(RuntimeError, match="Vega could not draw a chart: TypeError"):
        drawing.svg_of({"width": 10, "height": 10, "marks": [{"type": "nonsense"}]})
    assert charts.svg(chart()).startswith("<svg")


def test_a_chart_reaches_no_file_and_no_host() -> None:
    for url in ("file:///etc/hostname", "/etc/hostname", "http://localhost:9/a.json"):
        data = [{"name": "a", "url": url, "format": {"type": "tsv"}}]
        marks = [{"type": "text", "from": {"data": "a"}, "encode": {"enter": {"text": {"value": "read"}}}}]
        assert "read" not in drawing.svg_of({"width": 10, "height": 10, "data": data, "marks": marks})


@pytest.fixture
def core_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide what only extras bring."""
    for module in (charts, codec):
        monkeypatch.setattr(module, "find_spec", lambda name: None)


@pytest.mark.usefixtures("core_only")
def test_without_extras_one_sentence_says_what_to_install(tmp_path: Path) -> None:
    result = aslant.weat(aslant.load(), "weat-6", bootstrap=0, chance=0)
    with pytest.raises(MissingExtraError, match=r"pandas or polars: pip install '\.\[frames\]'"):
        result.to_frame()
    with pytest.raises(MissingExtraError, match=r"pip install '\.\[figures\]', or use \.svg"):
        figures.save_figures(result, tmp_path / "new")
    with pytest.raises(MissingExtraError, match=r"pip install '\.\[figures\]'"):
        shared.ChartOutput(chart=tmp_path / "a.png").check()
    assert not list(tmp_path.iterdir())
    result.save(tmp_path / "a.html")
    assert "<svg" in (tmp_path / "a.html").read_text()
