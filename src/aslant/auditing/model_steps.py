"""Steps of an audit for encoders and language models: words in sentences, and pronouns in published benchmarks."""

from __future__ import annotations

from pathlib import Path

from aslant.auditing.step_context import Work
from aslant.measures.in_context.measure import contextual_bias
from aslant.measures.pronouns_chosen.measure import pronoun_choice
from aslant.measures.pronouns_resolved.measure import pronoun_resolution
from aslant.measures.sentence_tests.contexts import ceat_suite
from aslant.measures.sentence_tests.sentences import seat_suite
from aslant.results.codec import MeasuredResult

Results = tuple[MeasuredResult, ...]
NOT_HERE = "'{0}' is not on this machine, and an audit fetches nothing; get it with 'aslant data get {0}'."


def seats(work: Work) -> Results:
    """Run every SEAT that ships."""
    suite = seat_suite(work.subject.encoder, rng=work.seed, progress=work.progress, **work.settings)
    return (work.noted("seat", suite),)


def ceats(work: Work) -> Results:
    """Run every CEAT that ships, on the text that was given."""
    suite = ceat_suite(
        work.subject.encoder, work.subject.corpus, rng=work.seed, store=work.journal, progress=work.progress,
        **work.settings,
    )  # fmt: skip
    return (work.noted("ceat", suite),)


def contextual(work: Work) -> Results:
    """Measure bias in context; biased words come from the bundled sample."""
    return (
        contextual_bias(
            work.subject.encoder, work.subject.corpus, rng=work.seed, store=work.journal, progress=work.progress,
            **work.settings,
        ),
    )  # fmt: skip


def pronoun_choices(work: Work) -> Results:
    """Ask which pronoun is preferred in each benchmark that is on this machine."""
    settings = dict(work.settings)
    sources: dict[str, str | None] = settings.pop("sources")
    done: list[MeasuredResult] = []
    for name, split in sources.items():
        if (place := _here(work, f"pronoun-choice, {name}", name)) is None:
            continue
        with work.noting(f"pronoun-choice, {name}"):
            done.append(
                pronoun_choice(work.subject.opened, place, split=split, rng=work.seed, **work.asking(), **settings)
            )
    return tuple(done)


def pronouns_resolved(work: Work) -> Results:
    """Resolve the pronouns of GAP, if it is on this machine."""
    if (place := _here(work, "pronoun-resolution", "gap")) is None:
        return ()
    lm = work.subject.opened if {"masked LM", "causal LM"} & work.subject.traits else None
    found = pronoun_resolution(work.subject.encoder, place, lm=lm, rng=work.seed, **work.asking(), **work.settings)
    return (found,)


def _here(work: Work, what: str, name: str) -> Path | None:
    """Return where data are; where they are not here, note it, so that the step is tried again when they are."""
    from aslant.data import find

    place = find(name)
    if place is None:
        work.lack(what, NOT_HERE.format(name))
    return place
