"""Open what is to be audited by name or path: an embedding, a language model or an encoder, with its text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import PurePath
from typing import Any

from aslant.auditing.subjects import Subject, kind_of, subject_of
from aslant.errors import MeasureError
from aslant.vectors import WordVectors, load

#: Names of folders that say nothing about the model in them.
UNSPEAKING = ("model", "models", "checkpoint", "final", "weights")
NO_ENCODER = (
    "a corpus was given, but {} no encoder that could read it; give the name or folder of one, or leave it out."
)


def opened(
    model: Any, *, corpus: Any = None, device: str | None = None, load_vectors: Callable[[Any], WordVectors] = load
) -> Subject:
    """Return what `model` is or names, opened as the subject of an audit.

    With a `corpus`, a language model that is given by its name is opened as an encoder too, for measures on words in
    sentences; an embedding does not use it.

    >>> opened(None).representation.name
    'sample'
    """
    if isinstance(model, Subject):
        return model
    if model is not None and not isinstance(model, str | PathLike):
        try:
            return subject_of(model, corpus=corpus)
        except MeasureError:
            return subject_of(load_vectors(model))  # gensim's own objects, or an error that says what cannot be loaded
    kind = kind_of(model)
    if kind == "static":
        return subject_of(load_vectors(model))
    return _encoder(model, corpus, device) if kind == "encoder" else _language_model(model, corpus, device)


def _encoder(model: Any, corpus: Any, device: str | None) -> Subject:
    from aslant.models.loading import load_encoder

    return subject_of(_named(load_encoder(model, device=device)), corpus=corpus)


def _language_model(model: Any, corpus: Any, device: str | None) -> Subject:
    from aslant.models.loading import NoHeadError, load_encoder, load_lm

    try:
        lm = _named(load_lm(model, device=device))
    except NoHeadError:  # only its files tell, and a hub name has none before it is downloaded
        return _encoder(model, corpus, device)
    if corpus is None:
        return subject_of(lm)
    return subject_of(lm, encoder=_named(load_encoder(model, device=device)), corpus=corpus)


def _named(model: Any) -> Any:
    """Name a model in a folder by the last parts of its path: a report is for others, who have other folders."""
    path = PurePath(model.name)
    if path.is_absolute():
        model.name = "/".join(path.parts[-2:] if path.name in UNSPEAKING else path.parts[-1:])
    return model


def open_corpus(corpus: Any, *, column: str | None = None, split: str = "auto") -> Any:
    """Return text to draw sentences from: a corpus as it is, None for None, else what `aslant.load_corpus` opens.

    >>> open_corpus(None), open_corpus(["She slept.", "He left."]).name
    (None, 'given')
    """
    from aslant.corpus import load_corpus
    from aslant.corpus.corpus import Corpus

    return corpus if corpus is None or isinstance(corpus, Corpus) else load_corpus(corpus, column=column, split=split)


def check_use(corpus: Any, subjects: Sequence[Subject]) -> None:
    """Refuse a corpus that none of the subjects can read."""
    if corpus is not None and not any(subject.encoder is not None for subject in subjects):
        what = f"{subjects[0].is_a()} has" if len(subjects) == 1 else "the models have"
        raise MeasureError(NO_ENCODER.format(what))
