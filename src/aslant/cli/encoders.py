"""Open an encoder and a corpus for a command, and the tests to run on them: one set of options for all."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from aslant.cli import options as o
from aslant.cli.progress import noted
from aslant.errors import AslantError

if TYPE_CHECKING:
    from aslant.corpus import Corpus
    from aslant.models.protocols import SentenceEncoder
    from aslant.stimuli import WeatSet

TEXT_PANEL = "Reading the corpus"

EncoderArgument = Annotated[
    str | None, o.argument("An encoder: hub name, folder, data name or server; default: all-MiniLM-L6-v2.", "MODEL")
]
CorpusOption = Annotated[
    list[str] | None,
    o.option(
        "Text to draw sentences from: text, table or JSON file, folder or data name; can be repeated.", "PATH|NAME",
        panel=TEXT_PANEL,
    ),
]  # fmt: skip


@dataclass(frozen=True)
class Tests:
    """Which association tests are run: some that ship, or words of one's own."""

    test: Annotated[list[str] | None, o.option("A WEAT set that ships; can be repeated.", "NAME")] = None
    words: Annotated[
        list[Path] | None,
        o.option("Your own test: TOML, CSV, Excel, JSON or text; SEAT's or WEATHub's JSON; can be repeated.", "FILE"),
    ] = None
    targets: Annotated[
        list[str] | None,
        o.option("Your own targets, with --attributes: a file with lists, or a list; can be repeated.", "FILE|a,b,…"),
    ] = None
    attributes: Annotated[
        list[str] | None, o.option("Your own attributes, in the same way ('calm: quiet, slow').", "FILE|a,b,…")
    ] = None
    language: Annotated[
        str | None, o.option("Tests in another language: de, fr, hi … (fetched by data name), or a file.", "CODE|FILE")
    ] = None

    def sets(self) -> list[WeatSet]:
        """Return the tests that were named, in a language if one was given, those in files, and one's own."""
        from aslant.measures.shared.suite import chosen_test
        from aslant.stimuli import WeatSet, language_tests, load_sets

        named = [] if self.language is None else language_tests(self.language, self.test or None)
        sources = (*(self.test or () if self.language is None else ()), *(self.words or ()))
        found = named + [one for source in sources for one in load_sets(source, WeatSet)]
        if self.targets or self.attributes:
            found.append(chosen_test(None, self.targets, self.attributes))
        return found

    def lists(self) -> dict[str, Any]:
        """Return one's own targets and attributes where nothing else was named: as many sets as were given."""
        from aslant.stimuli import given_lists

        if self.test or self.words or self.language or not (self.targets and self.attributes):
            return {}
        return {"targets": given_lists(self.targets), "attributes": given_lists(self.attributes)}


@dataclass(frozen=True)
class Text:
    """How a corpus is read."""

    PANEL: ClassVar[str] = TEXT_PANEL

    column: Annotated[str | None, o.option("The column or key that holds the text.", "NAME")] = None
    split: Annotated[str, o.option("How text is cut: lines, sentences, paragraphs, or auto.")] = "auto"
    text_encoding: Annotated[
        str, o.option("How text, TSV and CSV files are encoded.", "NAME", "--encoding")
    ] = "utf-8"  # fmt: skip

    def open(self, corpus: list[str] | None) -> Corpus:
        """Open a corpus, or raise an error that says that one is needed."""
        found = self.open_if_given(corpus)
        if found is None:
            raise AslantError("no corpus was given; name a file, a folder or data with --corpus.")
        return found

    def open_if_given(self, corpus: list[str] | None) -> Corpus | None:
        """Open a corpus, or return None where none was given."""
        from aslant.corpus import load_corpus

        if not corpus:
            return None
        return load_corpus(corpus, column=self.column, split=self.split, encoding=self.text_encoding, items="names")


@dataclass(frozen=True)
class Encoding:
    """How an encoder is loaded."""

    PANEL: ClassVar[str] = o.ASKING

    layer: Annotated[
        str | None, o.option("last, mean of all, or a number (0: embeddings); default: last (ELMo: mean).", "N")
    ] = None
    pieces: Annotated[str, o.option("A word of several pieces: mean of their vectors, or the first.")] = "mean"
    prompt: Annotated[
        str | None, o.option("Sentence encoders: the name of one of its prompts, or a text before every text.", "NAME")
    ] = None
    device: o.DeviceOption = None
    dtype: o.DtypeOption = "float32"
    dry_run: o.DryRunOption = False

    def open(self, model: str | None, *, quiet: bool) -> SentenceEncoder:
        """Open an encoder; its messages while loading go to standard error."""
        from aslant.data import cache_folder
        from aslant.models.loading import load_encoder
        from aslant.models.server_client import is_address

        settings: dict[str, Any] = {"layer": read_layer(self.layer), "pieces": self.pieces, "dtype": self.dtype}
        settings["prompt"] = self.prompt
        if is_address(model) and not getattr(self, "no_cache", False):
            settings["journal"] = cache_folder() / "encoders"
        with noted(quiet=quiet):
            return load_encoder(model, device=self.device, **settings)


@dataclass(frozen=True)
class KeptEncoding(Encoding):
    """How an encoder is loaded whose vectors are kept for a later run."""

    no_cache: o.KeepNothingOption = False

    def store(self) -> Path | None:
        """Return the folder that keeps vectors, from which a run that was stopped resumes."""
        from aslant.data import cache_folder

        return None if self.no_cache else cache_folder() / "encoders"


def read_layer(text: str | None) -> str | int | None:
    """Read a layer: a number, or a word as it is.

    >>> read_layer("-1"), read_layer("mean"), read_layer(None)
    (-1, 'mean', None)
    """
    return int(text) if text is not None and re.fullmatch(r"-?[0-9]{1,6}", text) else text


def measured(one: Callable[..., Any], several: Callable[..., Any], tests: list[WeatSet], *of: Any, **how: Any) -> Any:
    """Run the one test that was chosen, or a suite: those that were chosen, or all that ship if none was."""
    from aslant.cli.printing import need_results

    if len(tests) == 1:
        return one(*of, tests[0], **how)
    suite = several(*of, tests or None, **how)
    need_results(suite)
    return suite
