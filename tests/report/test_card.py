"""The bias section of a model card: what it says, what the hub reads of it, and what it leaves alone in a card."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import yaml

import aslant
from aslant.auditing import compare_audits
from aslant.errors import AslantError
from aslant.report.card import BEGIN, END, with_section
from aslant.results.audit import AuditResult
from command_line import Run
from report_examples import NASTY


@pytest.fixture(scope="module")
def audit() -> AuditResult:
    return aslant.audit(only=["weat", "weat-categories"], profile="quick")


def test_the_card_says_what_was_found_what_chance_gives_and_what_was_not_measured(audit: AuditResult) -> None:
    card = aslant.model_card(audit)
    for heading in ("What was found", "What was not measured", "Limits of use", "To reproduce"):
        assert f"\n### {heading}\n" in card
    (row,) = [line for line in card.splitlines() if line.startswith("| weat-6:")]
    line = next(line for line in audit.glance if line.stimuli == "weat-6")
    assert line.chance is not None
    assert f"| {line.effect:.2f} d | −{-line.chance.low:.2f} to {line.chance.high:.2f} |" in row
    assert "| polarity: left out on request" not in card
    assert "- polarity: left out on request" in card
    assert "aslant audit --quick --only weat,weat-categories --seed 0" in card
    assert f"`{audit.representation.fingerprint}`" in card
    assert "This was a quick audit" in card
    assert "This was a quick audit" not in aslant.model_card(replace(audit, profile="standard"))


def test_an_audit_that_finds_nothing_says_so_and_does_not_call_it_fair(audit: AuditResult) -> None:
    none = tuple(replace(line, evidence="none") for line in audit.glance)
    card = aslant.model_card(replace(audit, glance=none))
    assert "No line is beyond chance." in card
    assert "is not evidence that there is no bias" in card


def test_the_hub_reads_every_number_with_its_chance_level(audit: AuditResult) -> None:
    card = pytest.importorskip("huggingface_hub").ModelCard(aslant.model_card(audit))
    found = card.data.eval_results
    assert [result.metric_value for result in found] == [line.effect for line in audit.glance]
    assert all(
        result.metric_args["evidence"] == line.evidence for result, line in zip(found, audit.glance, strict=True)
    )
    assert card.data.model_name == "sample"
    assert "beyond chance" in found[0].metric_name


def test_nothing_in_a_name_becomes_markup_or_ends_the_section(audit: AuditResult) -> None:
    for token in (*NASTY, END, BEGIN, "---\nlicense: mit\n---", "```\nrm -rf"):
        named = replace(audit, representation=replace(audit.representation, name=token, note=token))
        card = aslant.model_card(named)
        assert (card.count(BEGIN), card.count(END)) == (1, 1)
        assert "<script>" not in card.partition("\n---\n")[2].partition("```")[0]  # in a block of code it is text
        assert "\x1b" not in card
        assert yaml.safe_load(card.split("\n---\n")[0])["model-index"][0]["name"]
        assert card.partition("\n---\n")[2].count("```") == 2


def test_in_a_card_only_the_section_changes(run: Run, audit: AuditResult, tmp_path: Path) -> None:
    audit.save(tmp_path / "report.json")
    before = b"---\r\nlicense: mit  # ours\r\n---\r\n# Ours  \r\n\ntext\n"
    (tmp_path / "README.md").write_bytes(before)
    assert run("card", "report.json", "-o", "README.md").returncode == 0
    once = (tmp_path / "README.md").read_bytes()
    assert once.startswith(before)
    (tmp_path / "README.md").write_bytes(once + b"\nmore of ours\n")
    answer = run("card", "report.json", "-o", "README.md")
    assert (answer.returncode, "written: README.md" in answer.stdout) == (0, True)
    assert (tmp_path / "README.md").read_bytes() == once + b"\nmore of ours\n"
    new = run("card", "report.json", "-o", "new.md")
    assert "written: new.md" in new.stdout
    assert (tmp_path / "new.md").read_text(encoding="utf-8") == aslant.model_card(audit)
    assert run("card", "report.json").stdout == aslant.model_card(audit)


def test_a_card_with_half_a_section_or_two_is_refused(audit: AuditResult) -> None:
    with pytest.raises(AslantError, match="delete the mark"):
        with_section(f"# Ours\n{BEGIN}\n", audit)
    twice = with_section("", audit) * 2
    with pytest.raises(AslantError, match="2 sections"):
        with_section(twice, audit)


def test_of_several_models_one_is_chosen(run: Run, audit: AuditResult, tmp_path: Path) -> None:
    other = replace(audit, representation=replace(audit.representation, name="theirs"))
    compare_audits([audit, other]).save(tmp_path / "both.json")
    assert 'name: "theirs"' in run("card", "both.json", "--model", "theirs").stdout
    for arguments, words in (([], "choose it by its name"), (["--model", "x"], "there is no model 'x'")):
        answer = run("card", "both.json", *arguments)
        assert answer.returncode == 2
        assert words.replace("there is", "the report has") in answer.stderr
    for arguments in (["-o", "card.html"], ["-o", "no/such/card.md"]):
        assert run("card", "both.json", "--model", "theirs", *arguments).returncode == 2
