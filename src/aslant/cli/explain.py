"""`aslant explain`: what a word in a table, a measure or a word set means."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Annotated, Any

from aslant.cli.options import QuietOption, argument

EXAMPLES = """
aslant explain                  every term
aslant explain p
aslant explain chance
aslant explain weat             a measure: what is asked, how to read it, what it cannot tell
aslant explain weat-6           a word set: what is compared, and where it comes from
"""
#: Other words for the same term.
ALSO = {
    "p-value": "p",
    "pvalue": "p",
    "q-value": "q",
    "qvalue": "q",
    "effect-size": "d",
    "effect": "d",
    "twins": "twin",
    "words": "missing",
}
ALSO |= {"p-(chance)": "chance", "q-(chance)": "chance", "beyond-chance": "chance", "confidence-interval": "interval"}
ALSO |= {"kendall": "tau", "trend-test": "tau", "another-training": "training", "trainings": "training"}


@cache
def glossary() -> dict[str, dict[str, Any]]:
    """Return every term, with what it says and which others to see.

    >>> all(other in glossary() for term in glossary().values() for other in term["see"])
    True
    """
    return tomllib.loads(files("aslant.cli").joinpath("glossary.toml").read_text(encoding="utf-8"))


def explained(name: str) -> str | None:
    """Return what a term, a measure or a word set is, or None.

    >>> explained("q").splitlines()[0]
    'q-value'
    """
    spelled = "-".join(name.lower().replace("_", " ").split())
    if (term := glossary().get(ALSO.get(spelled, spelled))) is not None:
        return f"{term['title']}\n\n{term['says']}\n\nSee also: {', '.join(term['see'])}"
    return _measure(spelled) or _set(name)


def _measure(name: str) -> str | None:
    from aslant.catalogue import commands, kinds

    kind = kinds().get(name)
    command = commands().get(name)
    if kind is None and command is not None:
        kind = next((kind for kind in kinds().values() if kind.home == command.home and kind.question), None)
    if kind is None:
        return None
    parts = [kind.title, kind.question, kind.reads, kind.definition, *(f"- {caveat}" for caveat in kind.caveats)]
    return "\n\n".join([part for part in (*parts, kind.citation) if part])


def _set(name: str) -> str | None:
    from aslant.stimuli import WeatSet, load_set
    from aslant.stimuli.loading import shipped_name

    known = shipped_name(name)
    if known is None:
        return None
    found = load_set(known)
    groups = "\n".join(f"- {each.name}: {_some(each.words)}" for each in found.groups)
    study = ""
    if isinstance(found, WeatSet) and (people := found.human) is not None:
        study = f"In people: {people.reference}" + (f", effect size {people.effect_size}" if people.effect_size else "")
    said = (found.content_warning, f"{found.id}: {found.title}", groups, study)
    parts = (*said, found.caution, found.note, found.citation)
    return "\n\n".join([part for part in parts if part])


def _some(words: tuple[str, ...], most: int = 12) -> str:
    return ", ".join(words[:most]) + (f" and {len(words) - most} more" if len(words) > most else "")


def explain_command(
    what: Annotated[
        str | None, argument("A term (p, q, interval, chance …), a measure or a word set; default: all terms.", "WHAT")
    ] = None,
    quiet: QuietOption = False,  # every command takes it; here the answer is all there is
) -> None:
    """Say what a term, a measure or a word set means, in a few sentences; without one, list the terms."""
    from difflib import get_close_matches

    from rich.text import Text

    from aslant.catalogue import commands
    from aslant.cli.printing import table_console
    from aslant.errors import AslantError
    from aslant.report.tables import lines
    from aslant.stimuli.loading import names

    listed = "\n".join(f"{name}: {term['title']}" for name, term in glossary().items())
    found = explained(what) if what is not None else f"{listed}\n\nMeasures and word sets are explained too."
    if found is None:
        near = get_close_matches(str(what).lower(), [*glossary(), *commands(), *names()], n=1)
        hint = f"did you mean '{near[0]}'? " if near else ""
        raise AslantError(
            f"there is no term, measure or word set '{what}'; {hint}'aslant explain' lists the terms, 'aslant --help' "
            "the measures, and 'aslant words list' the sets."
        )
    table_console().print(Text(lines(found)))
