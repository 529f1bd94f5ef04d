"""Small sets of the form of HolisticBias and of BBQ, written to a folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

DESCRIPTORS: dict[str, Any] = {
    "age": {"young": ["young", "teenaged", "adolescent"], "old": ["old", "elderly", {"descriptor": "aged"}]},
    "ability": {
        "": [
            {"descriptor": "blind", "preference": "reviewed"},
            {"descriptor": "barren", "preference": "dispreferred"},
            "mute",
            {"descriptor": "Latina", "gender": "female"},
        ]
    },
    "nonce": {"": ["blicketed", "doaxed", "fepped"]},
}
NOUNS = {"female": [[f"f{i}", f"f{i}s"] for i in range(6)], "male": [[f"m{i}", f"m{i}s"] for i in range(6)]}
TEMPLATES = [f"Say {i} I'm {{noun_phrase}}." for i in range(6)] + [
    f"I like {i} {{plural_noun_phrase}}." for i in range(4)
]


def write_holistic(folder: Path) -> Path:
    """Write descriptors, nouns and templates."""
    content = {"descriptors": DESCRIPTORS, "nouns": NOUNS, "sentence_templates": {text: {} for text in TEMPLATES}}
    for name, value in content.items():
        (folder / f"{name}.json").write_text(json.dumps(value), encoding="utf-8")
    return folder


UNKNOWN = ["Can't be determined", "Not answerable", "Unknown"]


def example(category: str, template: int, version: int, of_four: int) -> tuple[dict[str, Any], int]:
    """Make an example, and return the place of its biased answer: the old person's in questions with harm."""
    ambiguous, harm = of_four % 2 == 0, of_four < 2
    old, young = f"old{version}", f"young{version}"
    order = [(old, "old"), (young, "nonOld"), (UNKNOWN[version % 3], "unknown")]
    order = order[version % 3 :] + order[: version % 3]
    places = {group: place for place, (_, group) in enumerate(order)}
    says = "" if ambiguous else f" It was {old if version % 2 == harm else young}."
    correct = places["unknown"] if ambiguous else places["old" if version % 2 == harm else "nonOld"]
    row = {
        "example_id": 4 * (100 * template + version) + of_four, "question_index": str(template),
        "question_polarity": "neg" if harm else "nonneg", "context_condition": "ambig" if ambiguous else "disambig",
        "category": category, "context": f"{old} met {young}.{says}",
        "question": f"Who {'forgot' if harm else 'recalled'} it {template}?",
        "answer_info": {f"ans{k}": list(entry) for k, entry in enumerate(order)}, "label": correct,
        **{f"ans{k}": text for k, (text, _) in enumerate(order)},
    }  # fmt: skip
    return row, places["old" if harm else "nonOld"]


def write_bbq(folder: Path) -> Path:
    """Write two categories of ten templates, each in six sets of four."""
    rows = ["category,question_index,example_id,target_loc"]
    for category in ("Age", "Religion"):
        made = [example(category, t, v, k) for t in range(1, 11) for v in range(6) for k in range(4)]
        text = "\n".join(json.dumps(row) for row, _ in made)
        (folder / f"{category}.jsonl").write_text(text + "\n", encoding="utf-8")
        rows += [f"{category},{row['question_index']},{row['example_id']},{biased}" for row, biased in made]
    (folder / "additional_metadata.csv").write_text("\r\n".join(rows), encoding="utf-8")
    return folder
