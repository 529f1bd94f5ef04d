"""`aslant words`: the word sets that ship, and a check for your own."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from aslant.cli.options import argument, option
from aslant.cli.printing import print_table
from aslant.errors import StimuliError, plural

EXAMPLES = """
aslant words list
aslant words list --kind weat
aslant words show weat-6                 as TOML: copy it to start your own set
aslant words show weat-6 > my-test.toml
aslant words check my-test.toml
aslant words check my-test.toml --model glove.6B.100d.txt    also: which words are missing from the embedding
"""
app = typer.Typer(help="Word sets: list what ships, show one, check your own.", no_args_is_help=True)


@app.command("list")
def list_command(
    kind: Annotated[
        str | None,
        option("Only sets of one kind: weat, pairs, words, classes, templates, weat-templates, sentences."),
    ] = None,
) -> None:
    """List the word sets that ship."""
    from aslant.stimuli import KINDS, all_sets, kind_of

    if kind is not None and kind not in KINDS:
        raise StimuliError(f"there is no kind '{kind}'; the kinds are {', '.join(KINDS)}.")
    found = [each for each in all_sets() if kind in (None, kind_of(each))]
    rows = [(each.id, kind_of(each), each.category, f"{len(each.words):,}", each.title) for each in found]
    print_table(
        ("name", "kind", "about", "words", "title"), rows, right="words", wraps=("kind", "about", "words", "title")
    )


@app.command("show")
def show_command(
    name: Annotated[str, argument("A set that ships, or the path of a TOML file.", "NAME")],
) -> None:
    """Print a word set as TOML, with its citation and licence."""
    from aslant.report.tables import plain, unsteered
    from aslant.stimuli import load_set, text_of

    found = load_set(name)
    if found.content_warning:
        print(f"# Content note: {plain(found.content_warning)}")
    sys.stdout.write(unsteered(text_of(name)))


@app.command("check")
def check_command(
    file: Annotated[Path, argument("Your TOML file.", "FILE")],
    model: Annotated[str | None, option("Also look the words up in this embedding.", "MODEL")] = None,
) -> None:
    """Check your own word set; exit code 2 and one sentence if it cannot be used."""
    from aslant.report.tables import plain
    from aslant.stimuli import StimulusSet, kind_of, load_sets, read_set

    sets = load_sets(file, StimulusSet) if file.suffix in (".json", ".jsonl") else [read_set(file)]
    for found in sets:
        what = f"a set of kind '{kind_of(found)}' with {plural(len(found.words), 'word')}"
        print(f"{plain(file)}: {what}; {plain(found.title)}")
        for group in found.groups:
            print(f"  {plain(group.name)}: {len(group.words)}")
    if model is not None:
        from aslant.cli.shared import Reading

        vectors = Reading().open(model)
        looked_up = vectors.lookup(list(dict.fromkeys(word for found in sets for word in found.words)))
        print(f"in {plain(vectors.name)}: {len(looked_up.found):,} found, {len(looked_up.missing):,} missing")
        if looked_up.missing:
            print(f"missing: {plain(', '.join(looked_up.missing))}")
