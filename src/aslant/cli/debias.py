"""`aslant debias`: remove a concept from an embedding, write the result, and measure before and after."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

from aslant.cli import options as o
from aslant.cli.shared import Output, Reading, Running, command
from aslant.errors import AslantError, plural

EXAMPLES = """
aslant debias -o debiased.bin                                   the bundled sample, hard debiasing of gender
aslant debias googlenews-26k --method hard -o hard.bin --check  measures before and after
aslant debias vectors.bin --method multiclass-hard --sets judaism:christianity:islam,jew:christian:muslim -o out.vec
aslant debias vectors.bin --method leace --poles she,he --words 2500 -o out.safetensors --check --json check.json
aslant debias ./my-sentence-encoder --method projection -o ./debiased-encoder --check
"""
SETS = "SET|FILE|a:b,c:d,…"


@dataclass(frozen=True)
class Settings:
    """The settings of all methods; what is None was not given."""

    PANEL: ClassVar[str] = "Settings of a method"

    pairs: Annotated[str | None, o.option("What defines the concept.", SETS)] = None
    sets: Annotated[str | None, o.option("The same, for several classes.", SETS)] = None
    equalise: Annotated[str | None, o.option("Words to equalise.", SETS)] = None
    specific: Annotated[str | None, o.option("Words that may carry the concept.", "SET|FILE|a,b,…")] = None
    classes: Annotated[str | None, o.option("Words by class, to learn from.", "SET|FILE")] = None
    poles: Annotated[str | None, o.option("Or words that lean to a or b.", "a,b")] = None
    words: Annotated[int | None, o.option("How many lean to each.", "N", min=2)] = None
    components: Annotated[int | None, o.option("Size of the subspace.", "N", min=1)] = None
    candidates: Annotated[int | None, o.option("double-hard: directions to try.", "N", min=1)] = None
    iterations: Annotated[int | None, o.option("nullspace: most classifiers.", "N", min=1)] = None
    strength: Annotated[float | None, o.option("multiclass-soft: weight of the bias.", "X")] = None
    ridge: Annotated[float | None, o.option("half-sibling: penalty.", "X")] = None


@dataclass(frozen=True)
class DebiasOutput(Output):
    """Where vectors are written, and the check."""

    output: Annotated[
        Path | None,
        o.option(
            "Where to write: .bin, .txt, .vec, .safetensors or .npz (the last two keep a record of what was done); "
            "of a sentence encoder, a new folder.",
            "FILE|FOLDER", "--output", "-o",
        ),
    ] = None  # fmt: skip

    @property
    def target(self) -> Path:
        """The file that the vectors go to, or the folder of an encoder."""
        from aslant.vectors.formats import check_suffix

        if self.output is None:
            raise AslantError("name the file to write with -o, such as -o debiased.bin.")
        return check_suffix(self.output) if self.output.suffix else self.output

    def check(self, inputs: Iterable[str] = ()) -> None:
        """Refuse before any work what could not be written after it, including the input itself."""
        target = self.target
        super().check(inputs)
        if target.is_dir():
            raise AslantError(f"'{target}' already exists; give a new name with -o.")


@command
def debias_command(
    model: o.ModelArgument = None,
    method: Annotated[
        str,
        o.option("hard, projection, multiclass-hard, multiclass-soft, double-hard, half-sibling, nullspace or leace."),
    ] = "hard",
    check: Annotated[bool, o.option("Print every static measure before and after.")] = False,
    seeds: Annotated[int, o.option("Repeats of the random parts of the check.", "N", min=1)] = 3,
    similarity: Annotated[
        list[str] | None, o.option("Rated pairs for the check; can be repeated; 'none' to skip it.", "NAME|FILE")
    ] = None,
    *,
    chosen: Settings,
    reading: Reading,
    running: Running,
    files: DebiasOutput,
) -> Any:
    """Debias an embedding and write it as word2vec binary or text, safetensors or npz, completely or not at all.

    A sentence encoder (a folder of sentence-transformers) is debiased by projection, nullspace or leace, learned from
    swapped sentences, and written as a folder with one more layer: what it serves is what was measured.

    Debiasing hides more than it removes: look at --check before you rely on it; --json and the like write the check.
    """
    from aslant.debias.check import SIMILARITY, debias_check
    from aslant.measures.similarities.measure import rated_pairs
    from aslant.report.tables import plain
    from aslant.vectors.formats import RECORDED, check_suffix

    given = {name: value for name, value in asdict(chosen).items() if value is not None}
    if files.by_suffix() and not check:
        raise AslantError("--json, --csv, --markdown and --latex write the check; add --check.")
    if is_encoder(model):
        before, after = _debiased_encoder(str(model), method, given, running, files)
        return debias_check(before, after, rng=running.seed) if check else None
    check_suffix(files.target)
    function, settings = chosen_method(method, given)
    pairs = SIMILARITY if similarity is None else [name for name in similarity if name != "none"]
    for name in pairs if check and similarity else ():
        rated_pairs(name)  # what cannot be read is refused before any work
    if "rng" in settings:
        settings["rng"] = running.seed
    before = reading.open(model, quiet=running.quiet)
    after = function(before, **settings)
    after.save(files.target)
    if not running.quiet:
        target, shape = files.target, f"{plural(len(after), 'word')} × {plural(after.dimensions, 'dimension')}"
        said = [plain(after.treatments[-1].describe()), shape]
        if target.suffix.lower() not in RECORDED:
            said.append(f"{target.suffix} files keep no record of what was done; {' and '.join(RECORDED)} do.")
        print(*said, sep="\n", file=files.spare())
    return debias_check(before, after, similarity=pairs, seeds=seeds, rng=running.seed) if check else None


def is_encoder(model: str | None) -> bool:
    """Tell whether what was named is an encoder, as far as can be told without opening it.

    >>> is_encoder(None), is_encoder("all-minilm-l6-v2"), is_encoder("vectors.bin")
    (False, True, False)
    """
    from aslant.auditing.subjects import kind_of

    return model is not None and kind_of(model) == "encoder"


def _debiased_encoder(
    model: str, method: str, given: dict[str, Any], running: Running, files: DebiasOutput
) -> tuple[Any, Any]:
    """Debias an encoder, write its folder, and return it before and after."""
    from aslant.cli.progress import noted
    from aslant.debias.encoders import NAMES, debias_encoder
    from aslant.models.loading import load_encoder
    from aslant.report.tables import plain

    if method not in NAMES:
        *some, last = NAMES
        raise AslantError(f"'{method}' does not debias encoders; choose --method {', '.join(some)} or {last}.")
    takes = {"projection": ("pairs", "components"), "nullspace": ("pairs", "iterations"), "leace": ("pairs",)}[method]
    for option in given:
        if option not in takes:
            allowed = ", ".join(f"--{name}" for name in takes)
            raise AslantError(f"--{option} is not a setting of '{method}' for encoders, which takes {allowed}.")
    target = files.target
    if target.suffix or target.exists():
        why = "already exists" if target.exists() else "looks like a file"
        raise AslantError(f"'{target}' {why}; an encoder is written as a new folder.")
    settings = {option: read_setting(option, value) for option, value in given.items()}
    with noted(quiet=running.quiet):
        before = load_encoder(model)
    after = debias_encoder(before, method, **settings, rng=running.seed)
    after.save(target)
    if not running.quiet:
        print(plain(after.treatment.describe()), file=files.spare())
    return before, after


def chosen_method(name: str, given: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return the function of a method, and its settings from the options that were given ("rng" if it takes one)."""
    from aslant.debias import METHODS

    if name not in METHODS:
        near = difflib.get_close_matches(name, METHODS, n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise AslantError(f"there is no method '{name}'; {hint}the methods are {', '.join(METHODS)}.")
    parameters = inspect.signature(METHODS[name]).parameters
    for option in given:
        if option not in parameters:
            takes = ", ".join(f"--{known}" for known in parameters if known not in ("vectors", "rng"))
            raise AslantError(f"--{option} is not a setting of '{name}', which takes {takes}.")
    for option, parameter in parameters.items():
        if option != "vectors" and parameter.default is parameter.empty and option not in given:
            raise AslantError(f"'{name}' needs --{option}, such as --{option} judaism:christianity:islam.")
    settings = {option: read_setting(option, value) for option, value in given.items()}
    return METHODS[name], settings | ({"rng": 0} if "rng" in parameters else {})


def read_setting(option: str, value: Any) -> Any:
    """Read "a:b,c:d" as sets of words, "a,b" as words, and anything else as a name, a path or a number."""
    if option in ("pairs", "sets", "equalise") and ":" in value:
        return [tuple(word.strip() for word in part.split(":")) for part in value.split(",") if part.strip()]
    if option in ("specific", "poles") and "," in value:
        words = [word.strip() for word in value.split(",") if word.strip()]
        return tuple(words) if option == "poles" else words
    return value
