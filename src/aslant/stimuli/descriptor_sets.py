"""HolisticBias' descriptors of people as word sets, one for each of its 13 axes: "holisticbias/religion".

The data are fetched by name (`aslant data get holisticbias`); in a file of theirs, "descriptors.json/religion" is one
too.
"""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias, TypeVar

import msgspec
from msgspec import Struct

from aslant.errors import StimuliError, plural
from aslant.io.reading import parse_json, read_text
from aslant.stimuli.schema import WordSet

DATA, FILE = "holisticbias", "descriptors.json"
MAX_BYTES = 4 << 20
#: What the axes are about, by the names that other sets use.
CATEGORIES = {
    "ability": "disability", "body_type": "appearance", "gender_and_sex": "gender", "race_ethnicity": "race",
    "sexual_orientation": "sexuality", "socioeconomic_class": "class", "nonce": "none", "characteristics": "several",
    "political_ideologies": "politics", "cultural": "several",
}  # fmt: skip
CITATION = (
    "Smith, E. M., Hall, M., Kambadur, M., Presani, E., & Williams, A. (2022). “I'm sorry to hear that”: Finding new "
    "biases in language models with a holistic descriptor dataset. EMNLP 2022, 9180–9211. arXiv:2205.09209"
)


class Listed(Struct, frozen=True):
    """A descriptor as the file has it: what its makers say of it, the gender of its nouns and its article, if any."""

    descriptor: str
    preference: str = ""
    gender: str = ""
    article: str = ""


Axes: TypeAlias = dict[str, dict[str, tuple[Listed, ...]]]
T = TypeVar("T")


def read_descriptors(path: Path) -> Axes:
    """Read HolisticBias' descriptors: axis → bucket → descriptors."""
    axes = read_part(path, dict[str, dict[str, tuple[str | Listed, ...]]])
    return {
        axis: {
            bucket: tuple(Listed(item) if isinstance(item, str) else item for item in items)
            for bucket, items in buckets.items()
        }
        for axis, buckets in axes.items()
    }


def read_part(path: Path, kind: type[T]) -> T:
    """Read a file of HolisticBias as what it should hold."""
    try:
        return msgspec.convert(parse_json(read_text(path, StimuliError, most=MAX_BYTES)), kind)
    except (ValueError, msgspec.ValidationError) as error:
        raise StimuliError(f"'{path}' is not a file of HolisticBias: {str(error).rstrip('.')}.") from None


def names_descriptors(source: object) -> bool:
    """Tell whether a name is that of an axis of HolisticBias, and not of a file in a folder of that name.

    >>> names_descriptors("holisticbias/religion"), names_descriptors("weat-6")
    (True, False)
    """
    path = Path(str(source))
    return path.parent.name in (DATA, FILE) and not path.suffix


def descriptor_set(source: str) -> WordSet:
    """Return the single words of an axis; descriptors of several words are left out, and the note counts them."""
    from aslant.data import entry, names, resolve

    place, _, axis = str(source).rpartition("/")
    folder = resolve(place, kinds=["benchmark"]) if place == DATA else Path(place)
    if folder is None:
        raise StimuliError(f"there are no data named '{place}'; give the path of {FILE} and an axis: {FILE}/religion.")
    axes = read_descriptors(folder / FILE if folder.is_dir() else folder)
    if axis not in axes:
        raise StimuliError(f"'{place}' has no axis '{axis}'; it has {', '.join(axes)}.")
    listed = [item for bucket in axes[axis].values() for item in bucket]
    words = dict.fromkeys(d.descriptor.strip() for d in listed)
    single = tuple(word for word in words if word and not any(map(str.isspace, word)))
    doubtful = [
        d.descriptor for d in listed if d.preference in ("dispreferred", "polarizing") and d.descriptor in single
    ]
    note = f"Left out: {plural(len(words) - len(single), 'descriptor')} of several words."
    note += f" Its makers advise against, or found disputed: {', '.join(doubtful)}." if doubtful else ""
    return WordSet(
        title=f"HolisticBias: descriptors of people by {axis.replace('_', ' ')}",
        category=CATEGORIES.get(axis, axis), language="en",
        licence=entry(DATA).licence if DATA in names() else "MIT", citation=CITATION, source="HolisticBias v1.1",
        note=note, content_warning="Some of the words are offensive." if doubtful else "", id=str(source),
        listed=single,
    )  # fmt: skip
