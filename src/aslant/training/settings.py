"""The settings of a training; what is not given depends on how much text there is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from aslant.measures.shared.settings import Settings, setting

#: Fewer tokens than this are not trained on.
FEWEST_TOKENS = 10_000
#: Up to how many tokens: dimensions, and how often a word must occur.
BY_SIZE = ((100_000, 50, 2), (1_000_000, 100, 5), (10_000_000, 100, 5), (100_000_000, 200, 10), (10**18, 300, 20))
#: word2vec and fastText read the text so often that about this many tokens are seen, within limits.
SEEN, FEWEST, MOST = 10_000_000, 5, 50
#: Tokens from which co-occurrence counts are large enough for the published x_max, and fewer passes do.
LARGE = 100_000_000


@dataclass(frozen=True, kw_only=True)
class TrainingSettings(Settings):
    """How vectors are trained; what is None is chosen by the number of tokens."""

    method: Annotated[
        Literal["word2vec", "fasttext", "glove", "gn-glove"], setting("word2vec, fasttext, glove or gn-glove.")
    ] = "word2vec"
    dimensions: Annotated[
        int | None, setting("Numbers in each vector (GN-GloVe: the last one is the reserved one).", ge=2, le=10_000)
    ] = None
    window: Annotated[int | None, setting("Words on either side that count as near.", ge=1, le=100)] = None
    min_count: Annotated[int | None, setting("How often a word must occur to get a vector.", ge=1, le=10**9)] = None
    epochs: Annotated[int | None, setting("Passes over the text; GloVe: over its counts.", ge=1, le=10_000)] = None
    runs: Annotated[int, setting("Trainings on the same text, each with its own seed.", ge=1, le=1_000)] = 1
    bootstrap: Annotated[
        int, setting("Further trainings, each on documents drawn anew with replacement.", ge=0, le=1_000)
    ] = 0


def chosen(settings: TrainingSettings, tokens: int) -> dict[str, Any]:
    """Return all settings of one training on this many tokens; with several periods, those of the smallest.

    >>> chosen(TrainingSettings(window=3), 2_000_000)
    {'dimensions': 100, 'window': 3, 'min_count': 5, 'epochs': 5, 'negative': 5, 'sample': 0.001}
    """
    dimensions, least = next((size, count) for most, size, count in BY_SIZE if tokens < most)
    counted = settings.method in ("glove", "gn-glove")
    passes = min(max(round(SEEN / tokens), FEWEST), MOST) if not counted else 25 if tokens >= LARGE else 50
    usual = {"dimensions": dimensions, "window": 10 if counted else 5, "min_count": least, "epochs": passes}
    found: dict[str, Any] = {
        name: value if (given := getattr(settings, name)) is None else given for name, value in usual.items()
    }
    if counted:
        return found | {"x_max": 100.0 if tokens >= LARGE else 10.0}
    buckets = {"buckets": 200_000 if tokens < 10_000_000 else 2_000_000} if settings.method == "fasttext" else {}
    return found | {"negative": 5, "sample": 1e-3} | buckets
