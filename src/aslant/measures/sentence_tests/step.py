"""The steps of an audit that run association tests on words in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aslant.measures.sentence_tests.contexts import ceat_suite
from aslant.measures.sentence_tests.sentences import seat_suite
from aslant.stimuli import WeatSet

if TYPE_CHECKING:
    from aslant.auditing.step_context import Results, Work


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


def own_words(work: Work, sets: list[WeatSet]) -> Results:
    """Run the user's own tests on words in template sentences and, where there is a corpus, in its sentences."""
    encoder, corpus = work.subject.encoder, work.subject.corpus
    done = work.own_suite(seat_suite(encoder, sets, rng=work.seed, progress=work.progress, **work.settings), "SEAT")
    if corpus is not None:
        suite = ceat_suite(encoder, corpus, sets, store=work.journal, rng=work.seed, progress=work.progress)
        done += work.own_suite(suite, "CEAT")
    return done
