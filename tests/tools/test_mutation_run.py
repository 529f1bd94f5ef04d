"""The mutation run changes what it says, one place at a time, and puts changed code into functions that exist."""

from __future__ import annotations

import ast

from mutating.changes import SAME, SOURCE, core, mutants
from mutating.trying import differences, key

FILE = SOURCE / "statistics" / "frequency.py"


def test_every_mutant_differs_from_the_whole_in_one_place() -> None:
    whole = ast.unparse(ast.parse(FILE.read_text(encoding="utf-8")))
    made = list(mutants(FILE))
    assert len(made) > 20
    sources = [mutant.source() for mutant in made]
    assert len(set(sources)) == len(made)
    for source in sources:
        changed = [pair for pair in zip(whole.splitlines(), source.splitlines(), strict=True) if pair[0] != pair[1]]
        assert len(changed) == 1


def test_only_the_changed_function_gets_other_code() -> None:
    old = compile(FILE.read_text(encoding="utf-8"), str(FILE), "exec", dont_inherit=True)
    functions = [code for code in old.co_consts if hasattr(code, "co_code") and code.co_name != "FrequencyLean"]
    live = {key(code): [] for code in functions}
    for mutant in mutants(FILE):
        if mutant.function:
            [found] = differences(old, mutant.code(), live)
            assert found is not None
            assert found.co_name == mutant.function


def test_changes_that_are_left_out_are_still_in_their_files() -> None:
    assert {str(file.relative_to(SOURCE)) for file in core()} >= SAME.keys()
    for file, changes in SAME.items():
        lines = [line.strip() for line in (SOURCE / file).read_text(encoding="utf-8").splitlines()]
        for start, _ in changes:
            assert any(line.startswith(start) for line in lines), (file, start)
