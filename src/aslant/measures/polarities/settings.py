"""How polarity is measured: every setting, declared once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from aslant.measures.shared.settings import SampledSettings, setting

Scheme = Literal["binary", "one-vs-one", "one-vs-rest"]


@dataclass(frozen=True, kw_only=True)
class PolaritySettings(SampledSettings):
    """How polarity is measured."""

    scheme: Annotated[Scheme, setting("binary (two classes), one-vs-one or one-vs-rest.")] = "binary"


@dataclass(frozen=True, kw_only=True)
class TrendsSettings(SampledSettings):
    """How polarity is followed over time."""

    any_words: Annotated[
        bool, setting("Each year uses the words it has, not only those that all years have.", option="--any")
    ] = False


@dataclass(frozen=True, kw_only=True)
class TrendSettings(TrendsSettings, PolaritySettings):
    """How polarity by one scheme is followed over time."""
