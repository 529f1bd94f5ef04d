"""Enumerated biases for people: the note first, significant words only, no token that acts, no number cut."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from aslant.cli.printing import show
from aslant.measures.enumeration.notes import MOST_TESTS, chance_notes
from aslant.measures.enumeration.page import enumeration_fragment, enumeration_heatmap
from aslant.measures.enumeration.result import CONTENT_NOTE, EnumerationResult
from aslant.measures.enumeration.show import _folded, crossed_table, percent
from aslant.report import render
from aslant.report.tables import Column, Table, pvalue, small, to_latex, to_markdown, to_rich
from aslant.statistics import against_chance
from report_examples import Text, enumeration

HOSTILE = ("<script>alert(1)</script>", "a|b", "\x1b[31mred")
WIDTHS = (80, 120, 200)
Shown = Callable[[EnumerationResult, int], str]


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shown:
    """What a terminal of some width shows of a result."""

    def at(result: EnumerationResult, width: int) -> str:
        monkeypatch.setenv("COLUMNS", str(width))
        show(result)
        return capsys.readouterr().out

    return at


STAND_IN = "What could be a proxy for what"


def words_in(text: str) -> set[str]:
    return set(re.findall(r"(?:sig|weak)\d+x\d+[abc]", text))


def test_the_content_note_comes_first_wherever_people_read(shown: Shown) -> None:
    result = enumeration()
    for width in WIDTHS:
        assert " ".join(shown(result, width).split()).startswith(CONTENT_NOTE)
    assert render(result, ".md").startswith(CONTENT_NOTE + "\n")
    assert render(result, ".tex").startswith(f"% {CONTENT_NOTE}\n")
    body = render(result, ".tex")
    assert body.index(r"\itshape " + CONTENT_NOTE) < body.index(r"\begin{tabular}")
    page = Text(render(result, ".html"))
    assert page.main.strip().startswith(CONTENT_NOTE)
    assert Text(enumeration_fragment(result)).text.strip().startswith(CONTENT_NOTE)
    assert CONTENT_NOTE[:50] in Text(enumeration_heatmap(result, standalone=True)).text


@pytest.mark.parametrize("size", [(2, 3), (12, 10)])
def test_people_see_the_words_of_every_significant_cell_and_no_others(shown: Shown, size: tuple[int, int]) -> None:
    result = enumeration(*size)
    expected = {word for cell in result.significant for word in cell.words}
    assert expected
    for width in WIDTHS:
        assert words_in(shown(result, width)) == expected
    for suffix in (".md", ".tex", ".html"):
        assert words_in(render(result, suffix)) == expected


def test_only_the_top_tests_are_shown_and_the_rest_is_counted(shown: Shown) -> None:
    result = enumeration(12, 64)
    top = {w for c in result.ordering[:MOST_TESTS] for x in result.of_category(c) if x.significant for w in x.words}
    for text in (shown(result, 120), shown(result, 200), render(result, ".md")):
        assert words_in(text.partition(STAND_IN)[0]) == top
        assert "52 more tests have significant cells" in text
    page = render(result, ".html")
    assert words_in(page) == {w for cell in result.significant for w in cell.words}
    assert "52 more tests" in page


def test_proxies_are_shown_with_the_words_of_their_four_cells(shown: Shown) -> None:
    result = enumeration(12, 10)
    strongest = result.indirect_bias.strongest
    assert len(strongest) > 20
    documents = [(10, render(result, ".md")), (10, render(result, ".tex")), (20, render(result, ".html"))]
    for most, text in [(10, shown(result, 200)), *documents]:
        part = text.partition(STAND_IN)[2].partition("Groups of names")[0]
        expected = {w for proxy in strongest[:most] for pair in proxy.words for words in pair for w in words}
        assert words_in(part) == expected
        assert part.count("0.250") == most
        assert f"shown: {most} of 31, --json gives {len(strongest)}" in " ".join(part.split())
    none = enumeration(2, 3, significant=False)
    assert STAND_IN not in shown(none, 120)
    assert STAND_IN not in render(none, ".html")


def test_the_critical_p_value_and_what_was_done_with_names_are_said(shown: Shown) -> None:
    text = " ".join(shown(enumeration(), 200).split())
    assert "significant (p up to 0.010, the critical p-value)" in text
    assert "each name counting equally" in text
    assert "Groups are ordered by the share of women." in text
    assert "the vocabulary is cased: names are looked up as written; words that are spelled like a name stay" in text
    assert "critical" not in shown(enumeration(significant=False), 200)


def test_csv_and_json_hold_every_cell() -> None:
    result = enumeration(12, 64)
    rows = list(csv.DictReader(io.StringIO(render(result, ".csv"))))
    assert len(rows) == 12 * 64
    assert rows[0]["rank"] == "1"
    assert {row["significant"] for row in rows} == {"True", "False"}
    assert EnumerationResult.from_dict(json.loads(render(result, ".json"))) == result


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("size", [(2, 3), (12, 64)])
def test_no_terminal_cuts_a_number_or_runs_over(shown: Shown, width: int, size: tuple[int, int]) -> None:
    result = enumeration(*size)
    text = shown(result, width)
    assert "…" not in text
    assert max(len(line) for line in text.splitlines()) <= width
    for group in result.groups:
        assert re.search(rf"g{group.label[1:]} .* {group.size} +99 +1972 ", text)
    if re.search(r"score +q\b", text):
        first = result.significant[0]
        assert re.search(rf"{re.escape(small(first.score))} +{re.escape(pvalue(first.qvalue))} ?\n", text)


def test_groups_stand_side_by_side_where_they_fit_and_one_below_the_other_where_not(shown: Shown) -> None:
    result = enumeration(12, 5)
    assert re.search(r"Name0a +Name1a .* Name11a", shown(result, 200))
    narrow = shown(result, 80)
    assert not re.search(r"Name0a +Name1a", narrow)
    assert re.search(r"score +q\b", narrow)
    assert re.search(r"Name0a +Name1a", shown(enumeration(2, 3), 80))


def test_words_of_double_width_and_long_labels_are_never_cut(shown: Shown) -> None:
    for token in ("護士", "a-label-that-someone-made-very-long-"):
        result = enumeration(8, 4, own=True, token=token)
        for width in WIDTHS:
            text = shown(result, width)
            assert "…" not in text
            listed = "score: " in text  # the crossed shape has no scores, and does not explain any
            assert not listed or all(f"{cell.score:.3f}" in text for cell in result.significant)


def test_long_words_go_on_in_the_next_line_with_a_hyphen() -> None:
    table = crossed_table(enumeration(2, 3, token="very-long-phrase-"), 11)
    lines = table.columns[1].write(table.rows[0]["group 0"]).split("\n")
    assert max(map(len, lines)) <= 11
    assert "".join(line.removesuffix("-") if len(line) > 1 else line for line in lines).startswith("very-long")


@pytest.mark.parametrize("token", HOSTILE)
def test_no_token_can_act(shown: Shown, token: str) -> None:
    result = enumeration(token=token)
    for width in WIDTHS:
        assert "\x1b" not in shown(result, width)
    markdown, latex, page = (render(result, suffix) for suffix in (".md", ".tex", ".html"))
    assert "\x1b" not in markdown + latex + page
    assert not re.search(r"(?<!\\)<(?!br>)", markdown)
    rows = [line for line in markdown.splitlines() if line.startswith("| ") and "centre" in line]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {len(result.groups) + 2}
    read = Text(page)
    assert not {"link", "img", "iframe"} & set(read.tags)
    assert read.tags.count("script") == render(enumeration(), ".html").count("<script")
    assert token.replace("\x1b", "\\x1b") + "sig" in read.text


def test_the_page_fetches_nothing_and_its_style_stays_its_own() -> None:
    page = Text(render(enumeration(), ".html"))
    assert any("default-src 'none'" in (value or "") for _, value in page.attributes)
    assert [
        v for name, v in page.attributes if name in ("src", "href", "xlink:href") and not str(v).startswith("#")
    ] == []
    assert page.tags.count("h1") == 1
    style = re.search(r"<style>(.*?)</style>", enumeration_fragment(enumeration()), re.DOTALL)
    assert style is not None
    selectors = re.findall(r"([^{}]+)\{", re.sub(r"@media[^{]*\{", "", style[1]))
    assert all(part.strip().startswith(".enumeration") for rule in selectors for part in rule.split(","))


def test_the_table_of_the_page_is_semantic_and_tells_each_cell_s_numbers() -> None:
    result = enumeration()
    page = enumeration_fragment(result)
    assert page.count('scope="row" role="rowheader"') == len(result.categories)
    cell = result.significant[0]
    group = result.groups[cell.group]
    names = f"{group.label}: {', '.join(group.illustrative)}"
    assert f'title="{names}: score {small(cell.score)}, p {pvalue(cell.pvalue)}, q {pvalue(cell.qvalue)}"' in page
    assert f'enum-who">{names}</span><span class="enum-word">{cell.words[0]}</span>' in page
    for kind, weight in ((0.0004, "strong"), (0.004, "medium"), (0.04, "weak")):
        wanted = sum(c.qvalue == kind for c in enumeration(6, 6).significant)
        assert enumeration_fragment(enumeration(6, 6)).count(f'class="enum-{weight}" title') == wanted > 0


def test_a_result_with_nothing_significant_says_so(shown: Shown) -> None:
    result = enumeration(significant=False)
    texts = [shown(result, 120), *(render(result, suffix) for suffix in (".md", ".tex", ".html"))]
    for text in texts:
        assert "No association is significant" in text
        assert not words_in(text)
    assert "No association" not in shown(enumeration(), 120)
    assert enumeration_heatmap(result).count("significant") < enumeration_heatmap(enumeration()).count("significant")


def test_own_groups_show_their_labels_and_no_demographics(shown: Shown) -> None:
    own, found = enumeration(own=True), enumeration()
    for text, other in zip(
        (shown(own, 120), render(own, ".md"), Text(render(own, ".html")).text),
        (shown(found, 120), render(found, ".md"), Text(render(found, ".html")).text),
        strict=True,
    ):
        assert "g0" in text
        assert "% female" not in text
        assert "by race" not in text
        assert "% female" in other


def test_notes_tell_how_it_was_found() -> None:
    text = render(enumeration(), ".md")
    for said in (
        "3 of 6 cells are significant", "5 % at most", "121 used", "2 left out", "1 without a vector",
        "77.5 % of 40 cases", "9,000 of 10,000 run", "75 % of the work saved", "seed 7",
    ):  # fmt: skip
        assert said in text, said


@pytest.mark.parametrize(("voronoi", "several"), [(True, False), (None, False), (False, True)])
def test_a_word_may_belong_to_several_groups_only_where_that_was_chosen(voronoi: bool | None, several: bool) -> None:
    result = enumeration()
    settings = {**result.provenance.settings, "voronoi": voronoi}
    if voronoi is None:  # as in files of older versions
        del settings["voronoi"]
    text = render(replace(result, provenance=replace(result.provenance, settings=settings)), ".md")
    assert ("a word may belong to several groups" in text) == several
    assert ("and not to the other group" in text) != several


def marks(svg: str) -> tuple[int, int, int]:
    """Count the squares, the dots and the crosses among the marks of a heat map."""
    descriptions = [
        e.get("aria-label", "") for e in ElementTree.fromstring(svg).iter() if e.get("aria-roledescription")
    ]
    cells = [d for d in descriptions if d.startswith(("group", "test", "score", "verdict")) and "group:" in d]
    dots = sum("verdict: significant" in d for d in cells)
    crosses = sum("verdict: no test" in d for d in cells)
    return len(cells) - dots - crosses, dots, crosses


@pytest.mark.parametrize("size", [(2, 3), (12, 64)])
def test_the_heat_map_marks_what_is_significant_and_what_was_not_tested(size: tuple[int, int]) -> None:
    result = enumeration(*size)
    drawn = [cell for c in result.ordering[:24] for cell in result.of_category(c)]
    tested = sum(cell.tested for cell in drawn)
    assert marks(enumeration_heatmap(result)) == (tested, sum(c.significant for c in drawn), len(drawn) - tested)


def test_the_heat_map_draws_as_many_categories_as_asked_for_and_names_them() -> None:
    result = enumeration(3, 9)
    text = "".join(ElementTree.fromstring(enumeration_heatmap(result, categories=4)).itertext())
    assert re.findall(r"(\d)\. centre(\d)a", text) == [("1", "8"), ("2", "7"), ("3", "6"), ("4", "5")]
    assert "Name2c" in text


@pytest.mark.parametrize("token", HOSTILE)
def test_the_heat_map_is_xml_whatever_the_words(token: str) -> None:
    tree = ElementTree.fromstring(enumeration_heatmap(enumeration(token=token)))
    assert not [e for e in tree.iter() if e.tag.endswith("script")]
    assert "centre2a" in "".join(tree.itertext())


def test_tables_without_a_first_line_stay_as_they_were() -> None:
    table = Table("t", (Column("a", "a_b", str),), [{"a": 1}], ("said",))
    assert to_markdown(table) == "| a_b |\n|---:|\n| 1 |\n\n- said\n"
    assert to_latex(table).startswith("% said\n\\begin{tabular}{r}\n")


def test_a_column_may_style_its_own_cells() -> None:
    from rich.console import Console

    table = Table("t", (Column("a", "a", str, style=lambda a: "red" if a > 1 else ""),), [{"a": 1}, {"a": 2}])
    console = Console(width=40, force_terminal=True, color_system="standard", file=io.StringIO())
    console.print(to_rich(table))
    printed = console.file.getvalue()  # type: ignore[attr-defined]
    assert "\x1b[31m2" in printed
    assert "\x1b[31m1" not in printed


def test_long_lines_are_folded_evenly_and_shares_are_whole_percentages() -> None:
    assert _folded("pediatrician", 11) == "pediat-\nrician"
    assert _folded("tea\n", 3) == "tea\n"
    assert (percent(0.984), percent(None)) == ("98", "–")


@pytest.mark.parametrize(("draws", "few"), [(18, True), (19, False), (99, False)])
def test_too_few_draws_of_chance_for_a_small_pvalue_are_noted(draws: int, few: bool) -> None:
    chance = against_chance(0.4, np.linspace(0.0, 0.3, draws), "matched words")
    found = replace(enumeration(), chance=chance, chance_share=0.4, chance_rotations=100)
    assert ("with so few draws" in chance_notes(found)[0]) is few
