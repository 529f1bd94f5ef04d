"""ELMo as a network that `ContextEncoder` reads with: texts are cut into words and punctuation, of any length."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from aslant.errors import MeasureError
from aslant.models.elmo import BEGIN, END, Elmo, StatefulElmo, padded_rows
from aslant.models.encoding import ContextEncoder, Forward, Layer, Pieces, check_choice, chosen
from aslant.models.network import token_limit
from aslant.models.table import Ids
from aslant.models.windows import Cut

if TYPE_CHECKING:
    from torch import Tensor

#: Near the Penn Treebank's words, which ELMo was trained on. In turn: what stands before "n't"; "n't" and "'s" and the
#: like; titles; U.S.; numbers; words, hyphens inside; any other single character.
TOKEN = re.compile(
    r"""
    \w+?(?=n['’]t\b)
  | n['’]t\b
  | ['’](?:s|re|ve|ll|d|m)\b
  | (?:Mr|Mrs|Ms|Dr|Prof|St)\.
  | (?:[^\W\d_]\.){2,}
  | \d+(?:[.,]\d+)+
  | (?:\w[\u0300-\u036f]*)+(?:-(?:\w[\u0300-\u036f]*)+)*
  | \S
    """,
    re.VERBOSE | re.IGNORECASE,
)


def words_of(text: str) -> list[tuple[int, int]]:
    """Return the (start, end) of each word, or punctuation mark, of a text.

    >>> text = "Ms. Hall doesn't like the U.S.-born man's 1,000 know-how."
    >>> [text[start:end] for start, end in words_of(text)]
    ['Ms.', 'Hall', 'does', "n't", 'like', 'the', 'U.S.', '-', 'born', 'man', "'s", '1,000', 'know-how', '.']
    """
    return [found.span() for found in TOKEN.finditer(text)]


class ElmoEncoder(ContextEncoder):
    """An ELMo; `layer`: "mean" of the three layers (the default), "last", or 0, 1, 2. It keeps no state between texts.

    `pieces` matters where a span covers several words. See `StatefulElmo` for vectors as AllenNLP makes them.
    """

    def __init__(
        self,
        elmo: Elmo,
        name: str,
        *,
        layer: Layer = "mean",
        pieces: Pieces = "mean",
        token_budget: int | None = None,
        dtype: str = "float32",
        note: str = "",
    ) -> None:
        check_choice(layer, pieces, elmo.depth, name)
        self.elmo = elmo
        record = {
            "name": name,
            "fingerprint": elmo.fingerprint(layer, pieces, dtype),
            "format": f"encoder (ELMo; layer: {layer}, pieces: {pieces})",
            "words": 0,  # it reads characters, and has no list of words
            "dimensions": elmo.dimensions,
            "note": note,
        }
        super().__init__(ElmoReader(elmo, layer), record, pieces=pieces, tokens=token_limit(token_budget, elmo.device))

    def stateful(self) -> StatefulElmo:
        """Return the same network with states that are carried from batch to batch, as AllenNLP's does."""
        return StatefulElmo(self.elmo)


class ElmoReader:
    """Numbers its words again for each set of texts: each distinct word goes through the character CNN once."""

    sees: int | None = None
    refuses_first = "ELMo has no token that stands for a sentence"

    def __init__(self, elmo: Elmo, layer: Layer) -> None:
        self.elmo, self.layer = elmo, layer
        self.depth, self.dimensions = elmo.depth, elmo.dimensions
        self.body: Forward | None = None  # there is one for each set of texts
        self.alone = elmo.device.type != "cpu"

    def cut(self, texts: Sequence[str]) -> tuple[list[Cut], Forward]:
        """Return the texts as words, and the network with the vectors of these words."""
        return self._numbered(texts, [words_of(text) for text in texts])

    def cut_words(self, words: Sequence[str]) -> tuple[Cut, Forward]:
        """Return a sentence of the given words, whatever is in them, and the network with their vectors."""
        spans, start = [], 0
        for word in words:
            if not word:
                raise MeasureError("an empty word has no vector; leave it out.")
            spans.append((start, start + len(word)))
            start += len(word) + 1
        (cut,), forward = self._numbered([" ".join(words)], [spans])
        return cut, forward

    def _numbered(self, texts: Sequence[str], spans: Sequence[list[tuple[int, int]]]) -> tuple[list[Cut], Forward]:
        numbers = {BEGIN: 0, END: 1}
        cuts = []
        for text, found in zip(texts, spans, strict=True):
            inside = (numbers.setdefault(text[start:end], len(numbers)) for start, end in found)
            cuts.append(Cut(text, (0, *inside, 1), [(0, 0), *found, (len(text), len(text))], range(1, len(found) + 1)))
        vectors = self.elmo.token_vectors(list(numbers))

        def forward(sequences: Sequence[Ids], *, every: bool = False) -> Any:
            return self._forward(vectors, sequences, every)

        return cuts, forward

    def _forward(self, vectors: Tensor, sequences: Sequence[Ids], every: bool) -> Any:
        """Return (sequences, tokens, d) of the chosen layer, or of every layer; the network wants the longest first."""
        import torch

        order = sorted(range(len(sequences)), key=lambda row: -len(sequences[row]))
        rows = [sequences[row] for row in order]
        layers, _ = self.elmo.contextual(padded_rows(rows, vectors), [len(row) for row in rows])
        back = torch.argsort(torch.tensor(order, device=vectors.device))
        with torch.inference_mode():
            return [layer[back] for layer in layers] if every else chosen(layers, self.layer)[back]
