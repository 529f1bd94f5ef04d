"""`aslant words`: the word sets that ship, and a check for your own."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from msgspec import structs

from aslant.cli.options import QuietOption, argument, option
from aslant.cli.printing import print_table
from aslant.errors import StimuliError, plural

if TYPE_CHECKING:
    from aslant.stimuli import WordList

EXAMPLES = """
aslant words list
aslant words list --kind weat
aslant words show weat-6                 as TOML: copy it to start your own set
aslant words show weat-6 > my-test.toml
aslant words new my-test.toml                                asks for the words, and writes the file
aslant words new ages.toml --targets "old: elderly,aged" --targets "young: youth,teenage" --attributes lists.csv
aslant words check my-test.toml
aslant words check my-test.csv --model glove.6B.100d.txt     also: how frequent each word is, and what is missing
"""
app = typer.Typer(help="Word sets: list what ships, show one, write and check your own.", no_args_is_help=True)
ListsOption = Annotated[list[str] | None, option("A file with lists, or a list; can be repeated.", "FILE|a,b,…")]


@app.command("list")
def list_command(
    kind: Annotated[
        str | None,
        option("Only sets of one kind: weat, pairs, words, classes, templates, weat-templates, sentences."),
    ] = None,
    quiet: QuietOption = False,
) -> None:
    """List the word sets that ship."""
    from aslant.stimuli import KINDS, all_sets, kind_of

    if kind is not None and kind not in KINDS:
        raise StimuliError(f"there is no kind '{kind}'; the kinds are {', '.join(KINDS)}.")
    if quiet:
        return
    found = [each for each in all_sets() if kind in (None, kind_of(each))]
    rows = [(each.id, kind_of(each), each.category, f"{len(each.words):,}", each.title) for each in found]
    print_table(
        ("name", "kind", "about", "words", "title"), rows, right="words", wraps=("kind", "about", "words", "title")
    )


@app.command("show")
def show_command(
    name: Annotated[str, argument("A set that ships, or the path of a TOML file.", "NAME")],
    quiet: QuietOption = False,  # every command takes it; here the answer is all there is
) -> None:
    """Print a word set as TOML, with its citation and licence."""
    from aslant.report.tables import plain, unsteered
    from aslant.stimuli import load_set, text_of

    found = load_set(name)
    if found.content_warning:
        print(f"# Content note: {plain(found.content_warning)}")
    sys.stdout.write(unsteered(text_of(name)))


@app.command("new")
def new_command(
    file: Annotated[Path, argument("The TOML file to write.", "FILE")],
    targets: ListsOption = None,
    attributes: ListsOption = None,
    classes: ListsOption = None,
    words: ListsOption = None,
    title: Annotated[str, option("What it compares, in a few words.", "TEXT")] = "",
    category: Annotated[str, option("What it is about: gender, race, age …", "TEXT")] = "own",
    language: Annotated[str, option("The language of the words.", "CODE")] = "en",
    citation: Annotated[str, option("Where the words come from.", "TEXT")] = "",
    licence: Annotated[str, option("Under which licence others may use them.", "TEXT")] = "",
    quiet: QuietOption = False,
) -> None:
    """Write a word set of your own: --targets and --attributes, --classes or --words; without them, it asks."""
    from aslant.cli.progress import noted
    from aslant.io.files import write_bytes
    from aslant.measures.shared.suite import chosen_test
    from aslant.stimuli import ClassSet, StimulusSet, WordSet, given_lists, parse_set
    from aslant.stimuli.published_tests import as_toml
    from aslant.stimuli.schema import DatedWords

    if file.suffix != ".toml":
        raise StimuliError(f"'{file}' would hold TOML; give a name that ends in .toml.")
    if file.exists():
        raise StimuliError(f"'{file}' already exists; name another file.")
    if not (targets or attributes or classes or words):
        targets, attributes = _asked("targets"), _asked("attributes")
    made: StimulusSet
    with noted():
        if classes:
            made = ClassSet(dated=tuple(DatedWords(name, listed) for name, listed in given_lists(classes).items()))
        elif words:
            made = WordSet(listed=tuple(word for listed in given_lists(words).values() for word in listed))
        else:
            made = chosen_test(None, targets, attributes)
    given = {"title": title or made.title or file.stem, "category": category, "language": language}
    text = as_toml(structs.replace(made, **given, citation=citation, licence=licence))
    parse_set(text, file.stem)  # what is written can be read
    write_bytes(file, text.encode())
    if not quiet:
        print(f"written: {file} ({plural(len(made.words), 'word')}); try 'aslant words check {file} --model …'")


def _asked(what: str) -> list[str]:
    """Ask for two lists on the terminal, again where an answer is not a list."""
    if not sys.stdin.isatty():
        raise StimuliError(
            "this is not a terminal that can be asked; give --targets and --attributes, --classes or --words."
        )
    from aslant.stimuli import given_lists

    found: list[str] = []

    def named(answer: str) -> str:
        if answer.strip() in given_lists(found):
            raise typer.BadParameter(f"the first {what} are called that already.")
        return answer.strip()

    def listed(answer: str) -> str:
        try:
            given_lists([text := f"{name}: {answer.replace(';', ',')}"])
        except StimuliError as error:
            raise typer.BadParameter(str(error)) from None
        return text

    for which in ("first", "second"):
        name = typer.prompt(f"Name of the {which} {what}", value_proc=named)
        found.append(typer.prompt(f"Words of {name}, separated by commas", value_proc=listed))
    return found


@app.command("check")
def check_command(
    source: Annotated[str, argument("Your file: TOML, CSV, Excel, JSON or text; '-': standard input.", "FILE")],
    model: Annotated[str | None, option("Also look the words up in this embedding.", "MODEL")] = None,
    quiet: QuietOption = False,
) -> None:
    """Check your own word set; exit code 2 and one sentence if it cannot be used."""
    from aslant.cli.progress import noted
    from aslant.report.tables import plain
    from aslant.stimuli import StimulusSet, kind_of, load_sets, read_set

    file = Path(source)
    with noted():
        sets = load_sets(file, StimulusSet) if file.suffix in (".json", ".jsonl") else [read_set(file)]
    for found in sets if not quiet else ():
        what = f"a set of kind '{kind_of(found)}' with {plural(len(found.words), 'word')}"
        print(f"{plain(file.name)}: {what}; {plain(found.title)}")
        for group in found.groups:
            print(f"  {plain(group.name)}: {len(group.words)}")
    if model is not None and not quiet:
        _look_up([group for found in sets for group in found.groups], model)


def _look_up(groups: Sequence[WordList], model: str) -> None:
    """Print how frequent each word is in an embedding, and what is spelled like the words that it lacks."""
    from aslant.cli.shared import Reading
    from aslant.report.tables import plain

    vectors = Reading().open(model)
    looked_up = vectors.lookup(list(dict.fromkeys(word for group in groups for word in group.words)))
    token = dict(zip(looked_up.found, looked_up.tokens, strict=True))
    print(f"in {plain(vectors.name)}: {len(looked_up.found):,} found, {len(looked_up.missing):,} missing")
    ranked = vectors.by_frequency
    for group in groups:
        rows = [(vectors.index.get(token[word], -1), word) for word in group.words if word in token]
        ranks = [f"{word} {row + 1:,}" if ranked and row >= 0 else word for row, word in sorted(rows)]
        print(f"  {plain(group.name)}: {plain(', '.join(ranks))}")
    if ranked:
        print("(numbers are ranks by frequency; sets of very different frequency may differ because of it)")
    for word in looked_up.missing:
        near = vectors.similar_words(word)
        print(plain(f"missing: {word}" + (f"; did you mean {', '.join(near)}?" if near else "")))
