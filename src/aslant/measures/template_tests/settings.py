"""How language models are asked about words in templates: every setting, declared once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from aslant.measures.shared.settings import Confidence, Draws, Partitions, Resampled, Settings, Twins, setting

#: The heading that a command's help puts settings of the model under.
PANEL = "Asking the model"


@dataclass(frozen=True, kw_only=True)
class Asking(Settings):
    """How a model is scored: the settings of Kurita et al., whose code differs (`as_published`)."""

    target_pieces: Annotated[
        Literal["chain", "first"], setting("A target of several pieces: chain (the whole word) or first.", panel=PANEL)
    ] = "chain"
    single_mask: Annotated[bool, setting("One mask for an attribute of several pieces.", panel=PANEL)] = False
    as_published: Annotated[
        bool, setting("Score and count as the authors' code does (masked models).", panel=PANEL)
    ] = False


@dataclass(frozen=True, kw_only=True)
class LogProbabilitySettings(Asking):
    """How log-probability scores are found."""

    lower: Annotated[bool, setting("Write attributes in lower case.")] = False
    confidence: Confidence = 0.95
    chance: Annotated[
        int,
        setting(
            "Pairs of first names of one gender, in place of the targets, that the share is compared with; 0 for none.",
            ge=0, le=10_000,
        ),
    ] = 132  # fmt: skip
    twins: Twins = 0


@dataclass(frozen=True, kw_only=True)
class LogProbabilityWeatSettings(Asking, Partitions):
    """How a log-probability test is run."""

    chance: Draws = 2_000
    twins: Twins = 0


@dataclass(frozen=True, kw_only=True)
class TemplateWeatSettings(Partitions):
    """How a WEAT on the vectors of words in templates is run."""

    chance: Draws = 2_000


@dataclass(frozen=True, kw_only=True)
class MaskedWeatSettings(Resampled):
    """How a WEAT on a masked model is run."""

    chance: Draws = 2_000
    equalise: Annotated[bool, setting("Remove words at random from the larger target set.")] = True
