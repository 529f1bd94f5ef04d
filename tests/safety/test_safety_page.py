"""The page on safety: every promise is numbered, and names tests that are there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "safety.md").read_text(encoding="utf-8")


def test_every_promise_names_tests_that_attack_it() -> None:
    promises = re.findall(r"^(\d+)\. (.+)$", PAGE, re.MULTILINE)
    assert [int(number) for number, _ in promises] == list(range(1, len(promises) + 1))
    written = "\n".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    there = set(re.findall(r"^def (test_\w+)", written, re.MULTILINE)) - {
        "test_every_promise_names_tests_that_attack_it"
    }
    named = {number: set(re.findall(r"`(test_\w+)`", text)) for number, text in promises}
    assert all(named.values())
    assert set().union(*named.values()) == there - {"test_the_limits_on_the_page_are_those_of_the_code"}


def test_the_limits_on_the_page_are_those_of_the_code() -> None:
    from aslant.auditing import model_list, store
    from aslant.corpus import reading
    from aslant.io import packed_files as opening
    from aslant.models import model_loading
    from aslant.stimuli import loading
    from aslant.vectors.formats import fasttext_binary, text

    for said, number in (
        (f"unpack to {opening.FREE_BYTES >> 20} MB, or {opening.MAX_RATIO} times", None),
        (f"more than {opening.MAX_UNPACKED >> 30} GB", None),
        (f"word sets {loading.MAX_BYTES >> 20} MB", None),
        (f"at most {text.MAX_DIMENSIONS:,} dimensions, {text.MAX_LINE_BYTES >> 20} MB a line", None),
        (f"at most {model_loading.MAX_LAYERS:,} layers", None),
        (f"{model_loading.WEIGHTS_PER_BYTE} weights a byte", None),
        (f"a value in JSON text {reading.LONGEST >> 20} MB", None),
        ("at most 10¹² additions", fasttext_binary.MAX_WORK == 10**12),
        (f"lists of models {model_list.MAX_LIST >> 20} MB", None),
        (f"lines of an export {store.MAX_LINE >> 20} MB", None),
    ):
        assert said in PAGE
        assert number in (None, True)
