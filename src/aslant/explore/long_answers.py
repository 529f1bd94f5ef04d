"""What a model's own process does: enumeration, templates, pairs of sentences, each with how far it has come."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

from aslant.errors import AslantError
from aslant.explore.facts import table_of
from aslant.explore.worker import Tell
from aslant.report.assembly import documents_of

Job: TypeAlias = Callable[[Any, dict[str, Any], Tell, Path], Any]
#: Attributes of templates that are scored at a time.
BATCH = 8


def enumeration(vectors: Any, asked: dict[str, Any], tell: Tell, kept: Path) -> Any:
    """Enumerate biases of the bundled first names."""
    import aslant

    return aslant.enumerate_biases(vectors, **asked, journal=kept, progress=_telling(tell))


def templates(lm: Any, asked: dict[str, Any], tell: Tell, kept: Path) -> Any:
    """Score attributes batch by batch, so that they can be seen, then all with chance; what is scored is not again."""
    import aslant

    every = asked["attributes"]
    for end in range(BATCH, len(every) + BATCH, BATCH):
        progress: dict[str, Any] = {
            "progress": {"done": min(end, len(every)), "total": len(every), "what": "attributes"}
        }
        with suppress(AslantError):  # the first may be words that the model cannot place; the whole says what is wrong
            part = aslant.log_probability_bias(lm, **{**asked, "attributes": every[:end], "chance": 0}, journal=kept)
            progress |= table_of(documents_of(part)[0])
        tell(progress)
    return aslant.log_probability_bias(lm, **asked, journal=kept, progress=_telling(tell))


def pairs(lm: Any, asked: dict[str, Any], tell: Tell, kept: Path) -> Any:
    """Score pairs category by category, so that they can be seen, then all with untrained models."""
    import aslant
    from aslant.measures.paired_sentences.measure import drawn_pairs, pair_set
    from aslant.stimuli.pair_sets import PairSet

    whole = pair_set(asked["source"])
    drawn = drawn_pairs(whole.pairs, asked["sample"], asked["rng"])
    done: list[Any] = []
    for category in dict.fromkeys(pair.category for pair in drawn):
        done += [pair for pair in drawn if pair.category == category]
        part = PairSet(whole.id, whole.title, tuple(done))
        alone = {"sample": 0, "twins": 0, "bootstrap": 0, "n_resamples": 99}
        progress: dict[str, Any] = {"progress": {"done": len(done), "total": len(drawn), "what": category}}
        with suppress(AslantError):  # the first category may have none that the model can score
            own = {**asked, **alone, "source": part}
            progress |= table_of(documents_of(aslant.sentence_pairs(lm, **own, journal=kept))[0])
        tell(progress)
    return aslant.sentence_pairs(lm, **asked, journal=kept, progress=_telling(tell))


def _telling(tell: Tell) -> Any:
    """Return what a measure calls to say how far it is."""
    return lambda step, done, total: tell({"progress": {"done": done, "total": total, "what": str(step)}})


JOBS: dict[str, Job] = {"enumeration": enumeration, "templates": templates, "pairs": pairs}
