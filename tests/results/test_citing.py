"""References in text become BibTeX: every one that ships, and those behind a result."""

from __future__ import annotations

import re

import pytest
from markupsafe import escape

import aslant
from aslant.catalogue import commands, kinds
from aslant.data.registry import entries
from aslant.errors import AslantError
from aslant.report import render
from aslant.results.citing import bibtex, cited, method_paragraph, references, works
from aslant.stimuli import all_sets

TEXTS = sorted(
    {kind.citation for kind in kinds().values()}
    | {entry.citation for entry in entries()}
    | {found.citation for found in all_sets()}
)


@pytest.mark.parametrize("text", TEXTS)
def test_every_reference_that_ships_is_taken_apart(text: str) -> None:
    found = references(text)
    undated = text.startswith(("Lu, K., Sujichantararat", "Woolley, J. T., & Peters, G. The American"))
    assert len(found) == len(re.findall(r" \(\d{4}\)\. ", text)) + undated
    for reference in found:
        entry = reference.bibtex()
        assert re.match(r"@(misc|article|inproceedings)\{[a-z0-9]+,\n", entry)
        assert reference.key[0].isalpha()
        assert entry.count("{") == entry.count("}")
        assert "(" not in reference.authors


def test_a_reference_keeps_its_authors_title_venue_and_doi() -> None:
    entry = bibtex("weat-6")
    assert "author = {Caliskan, A. and Bryson, J. J. and Narayanan, A.}" in entry
    assert entry.startswith("@article{")
    for field in ("journal = {Science}", "volume = {356}", "number = {6334}", "pages = {183--186}"):
        assert field in entry
    assert "doi = {10.1126/science.aal4230}" in entry
    assert "@software{aslant" in entry


def test_everything_that_ships_is_one_bibliography_that_bibtex_reads() -> None:
    parse = pytest.importorskip("pybtex.database", reason="pybtex is not installed").parse_string
    names = [*commands(), *(found.id for found in all_sets()), *(entry.name for entry in entries())]
    found: dict[str, str] = {}
    for name in names:
        try:
            text = bibtex(name)
        except AslantError:  # such as the command that prints this
            continue
        for key, entry in parse(text, "bibtex").entries.items():  # which refuses a key that comes twice
            assert entry.fields["title"]
            assert entry.persons["author"]
            shown = [entry.fields.get(name, "") for name in ("title", "booktitle", "journal", "howpublished", "note")]
            assert not re.search(r"(?<!\\)[&%#_$]", " ".join(shown))
            assert found.setdefault(key, entry.fields["title"]) == entry.fields["title"], "one key, one work"
    assert len(found) > 50


def test_the_fullest_reference_to_a_work_is_shown() -> None:
    entry = bibtex("geometry")  # whose measure names it briefly: Bolukbasi, T., et al.
    assert "author = {Bolukbasi, T. and Chang, K.-W. and Zou, J. and Saligrama, V. and Kalai, A.}" in entry
    assert "title = {{Man is to computer programmer as woman is to homemaker? Debiasing word embeddings}}" in entry


def test_words_before_the_first_author_are_not_a_name() -> None:
    (found,) = references("As used by Guo, W., & Caliskan, A. (2021). Two & more. A_B 50%, 1–2; and others.")
    assert found.authors == "Guo, W., & Caliskan, A."
    assert "title = {{Two \\& more}}" in found.bibtex()
    assert "booktitle = {A\\_B 50\\%},\n  pages = {1--2}" in found.bibtex()


@pytest.mark.parametrize(
    ("where", "kind", "fields"),
    [
        ("TACL, 6, 107–119.", "article", ["journal = {TACL}", "volume = {6}", "pages = {107--119}"]),
        ("PNAS 115(16), E3635–E3644. doi:10.1/x", "article", ["number = {16}", "pages = {E3635--E3644}"]),
        ("Advances in Things 29, 1–9", "inproceedings", ["booktitle = {Advances in Things}", "volume = {29}"]),
        ("EMNLP 2023, 1–9. arXiv:1.2", "inproceedings", ["booktitle = {EMNLP 2023}", "note = {arXiv:1.2}"]),
        ("AI, Ethics, and Society, 1–9.", "inproceedings", ["booktitle = {AI, Ethics, and Society}"]),
        ("arXiv:2203.14603.", "misc", ["howpublished = {arXiv:2203.14603}"]),
    ],
)
def test_journal_volume_and_pages_are_told_apart(where: str, kind: str, fields: list[str]) -> None:
    (found,) = references(f"Guo, W. (2021). Two. {where}")
    assert found.bibtex().startswith(f"@{kind}{{guo2021,")
    assert [field for field in fields if field not in found.bibtex()] == []


def test_the_bundled_sample_cites_the_vectors_that_it_is_made_of() -> None:
    result = aslant.weat(aslant.load(), "weat-6", chance=0, bootstrap=0)
    assert "@inproceedings{pennington2014glove" in bibtex(result)


def test_scores_side_by_side_cite_the_paper_of_each_and_debiased_vectors_those_that_they_come_from() -> None:
    v = aslant.hard_debias(aslant.load())
    keys = {work.key for work in works(aslant.word_set_scores(v, ["weat-6"], scores=["ripa", "ect"], chance=20))}
    assert keys >= {"ethayarajh2019understanding", "dev2019attenuating", "pennington2014glove"}
    assert "garg2018word" not in keys


def test_a_report_ends_with_its_references_and_how_it_was_made() -> None:
    audit = aslant.audit(only=["weat", "geometry"], profile="quick")
    page, text = render(audit, ".html"), render(audit, ".md")
    listed = page[page.index('id="references"') :]
    for work in works(audit):
        assert escape(work.title) in listed
        assert f"{{{work.key}," in listed
    assert "@software{aslant" in listed
    assert audit.representation.fingerprint in listed
    assert text.rstrip().endswith("```")
    assert bibtex(audit).strip() in text
    assert "## How it was made" in text
    assert "References" not in render(audit, ".tex")


def test_a_work_without_a_year_is_cited_without_one() -> None:
    entry = bibtex("polarity")
    assert "author = {Lu, K. and Sujichantararat, S. and Lohanimit, R.}" in entry
    assert "year" not in entry.partition("howpublished")[0]


def test_a_result_cites_its_measure_words_and_data_once_each() -> None:
    v = aslant.load()
    result = aslant.polarity(v, "gender-three", scheme="one-vs-rest", chance=0)
    said = cited(result)
    assert any("BOLD and Beyond" in text for text in said)
    assert len(said) == len(set(said))
    paragraph = method_paragraph(result)
    for word in (v.name, v.fingerprint, "gender-three", aslant.__version__):
        assert word in paragraph


def test_an_office_is_an_author() -> None:
    [found] = references("US Census Bureau (2016). Surnames. Washington.")
    assert found.bibtex().startswith("@misc{uscensusbureau2016surnames")
    assert "author = {{US Census Bureau}}" in found.bibtex()


def test_what_nobody_knows_is_refused() -> None:
    with pytest.raises(AslantError, match="nothing to cite called 'nosuch'"):
        bibtex("nosuch")


def test_a_whole_audit_cites_every_measure_and_set_that_it_ran() -> None:
    audit = aslant.audit(aslant.load(), only=["weat", "weat-categories", "polarity"], profile="quick")
    entries = bibtex(audit)
    assert {"caliskan2017semantics", "smith2022sorry", "mukherjee2023global"} <= set(re.findall(r"\{(\w+),", entries))
    assert "Lu, K." in entries
    paragraphs = method_paragraph(audit).strip().split("\n\n")
    assert len(paragraphs) > 2
    assert all("computed with aslant" in paragraph for paragraph in paragraphs)
