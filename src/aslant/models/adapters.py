"""Adapters (LoRA and its relatives, as PEFT saves them): merged into their base, so that a plain model is measured."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from aslant.errors import DataError, MissingExtraError
from aslant.io.reading import parse_json, read_text
from aslant.models.model_loading import first_sentence, numbers, quiet

CONFIG, WEIGHTS = "adapter_config.json", "adapter_model.safetensors"
#: Kinds of adapters that become part of the weights; prompts and prefixes do not.
MERGED = ("LORA", "ADALORA", "LOHA", "LOKR", "IA3")
#: Settings that would build other layers, or import code that the file names.
REFUSED = ("megatron_config", "layer_replication")
MAX_CONFIG, MAX_RANK = 1 << 20, 65_536


def is_adapter(folder: Path | None) -> bool:
    """Tell whether a folder holds an adapter and no model.

    >>> is_adapter(None)
    False
    """
    return folder is not None and (folder / CONFIG).is_file() and not (folder / "config.json").is_file()


def is_of_encoder(folder: Path) -> bool:
    """Tell whether an adapter belongs to a model that gives vectors and predicts no words."""
    return adapter_config(folder).get("task_type") == "FEATURE_EXTRACTION"


def adapter_config(folder: Path) -> dict[str, Any]:
    """Return what an adapter says about itself, checked: what it is, and the base that it belongs to."""
    try:
        content = parse_json(read_text(folder / CONFIG, DataError, most=MAX_CONFIG))
    except ValueError as error:
        raise DataError(f"the {CONFIG} in '{folder}' cannot be read ({error}); get the adapter again.") from None
    if not isinstance(content, dict) or not isinstance(content.get("base_model_name_or_path"), str):
        raise DataError(f"the {CONFIG} in '{folder}' names no base model; write it there as base_model_name_or_path.")
    if content.get("peft_type") not in MERGED:
        raise DataError(
            f"'{folder}' is an adapter of kind {content.get('peft_type')!r:.40}, which cannot be merged into its base; "
            f"only {', '.join(MERGED)} can."
        )
    if named := [key for key in REFUSED if content.get(key)]:
        raise DataError(f"the {CONFIG} in '{folder}' sets {named[0]}, which is not read; merge it elsewhere.")
    if any(value > MAX_RANK for key, value in numbers(content) if "dropout" not in key):
        raise DataError(
            f"the {CONFIG} in '{folder}' has a number above {MAX_RANK:,}, too large for a rank; get the adapter again."
        )
    if not (folder / WEIGHTS).is_file():
        raise DataError(f"'{folder}' has no {WEIGHTS}; save the adapter again as safetensors (never as a pickle).")
    return content


def base_of(folder: Path, config: dict[str, Any]) -> str:
    """Return the base model of an adapter: a folder (also beside the adapter's), a data name or a hub name."""
    named: str = config["base_model_name_or_path"]
    beside = folder / named
    there = os.path.isdir(beside)  # noqa: PTH112 (a name may be too long for a file)
    return str(beside) if there and not Path(named).is_absolute() else named


def merged(model: Any, folder: Path) -> Any:
    """Return a model with an adapter merged into its weights."""
    try:
        from peft import PeftModel
    except ImportError:
        raise MissingExtraError(f"'{folder}' is an adapter (LoRA), which needs peft: pip install 'peft'.") from None
    from safetensors import SafetensorError

    try:
        with quiet():
            adapted = PeftModel.from_pretrained(model, str(folder), local_files_only=True, use_safetensors=True)
            return adapted.merge_and_unload()
    except (OSError, ValueError, RuntimeError, KeyError, TypeError, AttributeError, SafetensorError) as error:
        raise DataError(f"the adapter '{folder}' does not fit its base model: {first_sentence(error)}.") from None
