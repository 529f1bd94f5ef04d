"""What a server says about texts: their tokens, and the log-probability of each. Two ways to ask it.

`Echo`: /completions repeats the prompt with its log-probabilities (vLLM, llama-cpp-python). `Forced`: llama.cpp's own
server does not, but says how probable a token was that it was made to generate, whatever the next one would have been:
the log-probability before any bias, so that a text is scored token by token. `Rehearsal` only counts requests.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, ClassVar, Protocol, TypeAlias

import msgspec

from aslant.errors import DataError
from aslant.io.keeper import Keeper, digest
from aslant.models.server_client import BlamedError, Client, ServerError
from aslant.models.spelling import LONE, UNREADABLE, Cut, Span, shown

#: Texts in one request.
BATCH = 16
#: What the bias has to be for a token to be generated for certain.
CERTAIN = 1000.0
#: Servers write this, or less, where a token has no probability at all.
IMPOSSIBLE = -9999.0
GENERATED_ONLY = "returns log-probabilities of generated tokens only, not of the prompt (it ignores echo)"
_WORDS = re.compile(r"\s?\w+|\s?[^\w\s]|\s")


@dataclass(frozen=True)
class Told:
    """The tokens of a text and their log-probabilities (None: nothing stands before it); `begins` are not the text's.

    `next` is the token that was generated after the text, with its log-probability, where there was one.
    """

    tokens: tuple[str, ...]
    values: tuple[float | None, ...]
    begins: int = 0
    next: tuple[str, float] | None = None

    def cut(self, text: str) -> Cut:
        """Return the text as tokens, numbered by their places."""
        offsets = _offsets(text, self.tokens[self.begins :])
        if offsets is None or len(offsets) != len(self.tokens) - self.begins:
            raise DataError(f"what is kept for {shown(text)} does not belong to it; clear the cache.")
        places = [*((0, 0) for _ in range(self.begins)), *offsets]
        return Cut(text, tuple(range(len(places))), places, range(self.begins, len(places)))


#: What a server says about a text, or why that cannot be used.
Answer: TypeAlias = Told | str


class Way(Protocol):
    """A way to ask for log-probabilities of texts, `batch` of them in one call."""

    batch: int

    def ask(self, texts: Sequence[str]) -> list[Answer]:
        """Return what the server says about each text."""


def aligned(text: str, tokens: Sequence[str], first: float | None = None) -> tuple[int, list[Span]] | None:
    """Return how many tokens stand before the text, and the characters of each of its own; None if they do not fit.

    Tokens may be generated after the text, and characters may be cut into bytes, which no token shows. Only what has
    no log-probability (`first`) can stand before a text.

    >>> aligned("He is", ["<s>", " He", " is", " a"])
    (1, [(0, 2), (2, 5)])
    >>> aligned("He is", ["is", "He "]) is None, aligned("He is", [" a"]) is None
    (True, True)
    >>> aligned("a 😀.", ["a", " \ufffd", "\ufffd", "."])
    (0, [(0, 1), (1, 3), (1, 3), (3, 4)])
    """
    plain = [token.replace("▁", " ").replace("Ġ", " ").replace("Ċ", "\n") for token in tokens]
    for spelt in (list(tokens), plain):
        for skipped in range(3 if first is None else 1):
            if (found := _offsets(text, spelt[skipped:])) is not None:
                unseen = next((i for i, (_, end) in enumerate(found) if end), 0) if first is None else 0
                return skipped + unseen, found[unseen:]
    return None


def _offsets(text: str, tokens: Sequence[str]) -> list[Span] | None:
    found: list[Span] = []
    at, cut = 0, 0  # where the text is matched up to, and how many tokens since then are parts of characters
    for token in tokens:
        if at == len(text) and not cut:
            break
        if not token or "\ufffd" in token:
            cut += 1
            continue
        start, width = at, len(token)
        if cut:
            start = text.find(token, at)
            if start < 0:
                break  # the text ends in parts of characters, and this was generated
        elif not text.startswith(token, at):
            if at or found or not text.startswith(token[1:]) or token[0] != " ":
                return None
            width -= 1  # SentencePiece puts a space before a text
        found += [(at, start)] * cut
        found.append((start, start + width))
        at, cut = start + width, 0
    if cut:
        found += [(at, len(text))] * cut
        at = len(text)
    return found if at == len(text) and found else None


def read_choice(choice: Any, text: str, sent: str) -> Answer:
    """Return what one choice of an answer says about the text that was `sent` (with a beginning token, or without)."""
    found = choice.get("logprobs") if isinstance(choice, dict) else None
    if not isinstance(found, dict):
        return "returns no log-probabilities"
    tokens, values = found.get("tokens"), found.get("token_logprobs")
    if not isinstance(tokens, list) or not isinstance(values, list):
        return GENERATED_ONLY if found.get("content") else "returns log-probabilities in a form that is not OpenAI's"
    if not all(isinstance(token, str) for token in tokens) or len(tokens) != len(values):
        return "returns tokens and log-probabilities that do not belong together"
    if not tokens:
        return "returns no log-probabilities"
    numbers = (int, float)
    odd = [
        value for value in values if value is not None and (isinstance(value, bool) or not isinstance(value, numbers))
    ]
    if odd or any(isinstance(value, int) and abs(value) > -IMPOSSIBLE for value in values):
        return "returns log-probabilities that are not numbers"
    place = aligned(sent, tokens, values[0])
    if place is None:
        return GENERATED_ONLY if len(tokens) <= 1 else f"returns tokens that do not give {shown(text)} back"
    begins, offsets = place
    if sent != text:  # the beginning token is the first of what was sent
        width = len(sent) - len(text)
        if offsets[0] != (0, width):
            return f"does not know {sent[:width]!r} as one token"
        begins, offsets = begins + 1, offsets[1:]
    stop = begins + len(offsets)
    own = values[:stop]
    if any(value is None for value in own[max(1, begins) :]):
        return "returns no log-probabilities of the prompt"
    known = [float(value) for value in own if value is not None]
    if not all(value <= 1e-3 for value in known):  # not a number, too
        return "returns log-probabilities above 0"
    if any(value <= IMPOSSIBLE for value in known):
        return f"gives a piece of {shown(text)} no probability"
    last = (tokens[stop], float(values[stop])) if len(tokens) > stop and values[stop] is not None else None
    spelt = tuple(sent[len(sent) - len(text) :][a:b] for a, b in _shifted(offsets, len(sent) - len(text)))
    return Told((*tokens[:begins], *_clean(spelt, tokens[begins:stop])), tuple(own), begins, last)


def _shifted(offsets: Iterable[Span], by: int) -> Iterator[Span]:
    return ((start - by, end - by) for start, end in offsets)


def _clean(spelt: Sequence[str], tokens: Sequence[str]) -> list[str]:
    """Return the tokens as the text has them, except parts of characters, which stay what they were."""
    return [token if not token or "\ufffd" in token else own for own, token in zip(spelt, tokens, strict=True)]


def _refusal(text: str, error: BlamedError) -> str:
    return f"refuses {shown(text)}: {str(error).rstrip('.')}"


class Echo:
    """Texts as prompts that /completions repeats."""

    called: ClassVar[str] = "log-probabilities of prompts (echo)"

    def __init__(self, client: Client, model: str, begin: str = "", batch: int = BATCH) -> None:
        self.client, self.model, self.begin, self.batch = client, model, begin, batch

    def ask(self, texts: Sequence[str]) -> list[Answer]:
        """Return what the server says about each text; a request that it blames is halved, down to the text."""
        sent = [self.begin + LONE.sub(UNREADABLE, text) for text in texts]
        body = {"model": self.model, "prompt": sent if len(sent) > 1 else sent[0], "max_tokens": 1, "echo": True}
        try:
            found = self.client.post("/completions", {**body, "logprobs": 1, "temperature": 1.0, "top_p": 1.0})
        except BlamedError as error:
            if len(texts) == 1:
                return [_refusal(texts[0], error)]
            half = len(texts) // 2
            return [*self.ask(texts[:half]), *self.ask(texts[half:])]
        choices = found.get("choices") if isinstance(found, dict) else None
        if not isinstance(choices, list) or len(choices) != len(texts):
            got = len(choices) if isinstance(choices, list) else "no"
            return [f"gives {got} answers to {len(texts)} prompts"] * len(texts)
        places = [choice.get("index") if isinstance(choice, dict) else None for choice in choices]
        if sorted(place for place in places if isinstance(place, int)) == list(range(len(texts))):
            choices = sorted(choices, key=lambda choice: int(choice["index"]))
        return [read_choice(*each) for each in zip(choices, texts, sent, strict=True)]


class Forced:
    """Texts token by token, each generated for certain after those before it, as llama.cpp's own server allows."""

    called: ClassVar[str] = "log-probabilities of forced tokens (llama.cpp)"
    batch = 1

    def __init__(self, client: Client, model: str, begin: str = "") -> None:
        self.client, self.model = client, model
        self._known: dict[tuple[int, ...], float] = {}
        self._asking: dict[tuple[int, ...], threading.Lock] = {}
        self.lead, self.added = self._beginning(begin)

    def _beginning(self, begin: str) -> tuple[tuple[int, str] | None, bool]:
        """Return the beginning token, requested or the model's, if it has one; and whether it is there anyway."""
        if not begin and (found := self.tokenise("", add_special=True)):
            return found[0], True
        props = {} if begin else self.client.get("/props", root=True)
        text = begin or (props.get("bos_token") if isinstance(props, dict) else None)
        tokens = self.tokenise(text, parse_special=True) if isinstance(text, str) and text else []
        if begin and len(tokens) != 1:
            raise ServerError(f"the server at {self.client.root} does not know {begin!r} as one token; choose another.")
        return ((tokens[0][0], str(text)) if len(tokens) == 1 else None), bool(begin)

    def tokenise(self, text: str, *, add_special: bool = False, parse_special: bool = False) -> list[tuple[int, str]]:
        """Return the numbers and pieces of a text's tokens."""
        body = {"content": LONE.sub(UNREADABLE, text), "with_pieces": True}
        found = self.client.post(
            "/tokenize", {**body, "add_special": add_special, "parse_special": parse_special}, root=True
        )
        try:
            return [(int(token["id"]), _piece(token["piece"])) for token in found["tokens"]]
        except (KeyError, TypeError, ValueError):
            raise BlamedError(f"the server at {self.client.root} does not tokenise as llama.cpp's does.") from None

    def generated(self, ids: Sequence[int], **how: Any) -> dict[str, Any]:
        """Return the one token that is generated after some, with its log-probability and the most probable ones."""
        asked = {"model": self.model, "prompt": list(ids), "n_predict": 1, "temperature": -1.0, "cache_prompt": True}
        found = self.client.post("/completion", {"n_probs": 1, **asked, **how}, root=True)
        cut = isinstance(found, dict) and "\ufffd" in str(found.get("content"))
        if cut and "completion_probabilities" not in found:
            raise BlamedError("it does not report a piece that is only a part of a character")
        try:
            token: dict[str, Any] = found["completion_probabilities"][0]
            float(token["logprob"]), int(token["id"])
        except (KeyError, TypeError, ValueError, IndexError):
            raise BlamedError(f"the server at {self.client.root} does not return tokens as llama.cpp's does.") from None
        return token

    def forced(self, ids: tuple[int, ...]) -> float:
        """Return the log-probability of the last token after the others."""
        with self._asking.setdefault(ids, threading.Lock()):  # texts that are asked for at once begin alike
            if ids not in self._known:
                token = self.generated(ids[:-1], logit_bias=[[ids[-1], CERTAIN]])
                if token["id"] != ids[-1]:
                    raise BlamedError(f"the server at {self.client.root} does not generate the token it is made to.")
                self._known[ids] = float(token["logprob"])
            return self._known[ids]

    def forget(self) -> None:
        """Let every token be asked for again."""
        self._known.clear()

    def ask(self, texts: Sequence[str]) -> list[Answer]:
        """Return what the server says about each text."""
        return [self._one(text) for text in texts]

    def _one(self, text: str) -> Answer:
        try:
            tokens = [*([self.lead] if self.lead else []), *self.tokenise(text)]
            ids = tuple(number for number, _ in tokens)
            values = [None if i == 0 else self.forced(ids[: i + 1]) for i in range(len(ids))]
        except BlamedError as error:
            return _refusal(text, error)
        pieces = {"tokens": [piece for _, piece in tokens], "token_logprobs": values}
        return read_choice({"logprobs": pieces}, text, text)


def _piece(piece: Any) -> str:
    """Return a piece as text: llama.cpp gives the bytes of one that is not text by itself."""
    return piece if isinstance(piece, str) else bytes(piece).decode("utf-8", "replace")


class Rehearsal:
    """Counts what `way` would be asked; what it answers is made up, and only good for being thrown away."""

    source = "as in the texts of the probe"

    def __init__(self, way: Way, characters: float) -> None:
        self.way, self.batch, self.characters = way, way.batch, characters
        self.requests, self.tokens = 0, 0.0
        self._contexts: set[str] = set()

    def ask(self, texts: Sequence[str]) -> list[Answer]:
        """Return made-up answers, the same for the same text."""
        said: list[Answer] = []
        for text in texts:
            pieces = _WORDS.findall(text)
            values = [-(blake2b(text[:i].encode("utf-8", "replace"), digest_size=2).digest()[0] + 1) / 32
                      for i in range(len(pieces))]  # fmt: skip
            said.append(Told(tuple(pieces), (None, *values[1:])) if "".join(pieces) == text else "is not text")
            if isinstance(self.way, Forced):
                ends = {"".join(pieces[: i + 1]) for i in range(len(pieces))} - self._contexts
                self._contexts |= ends
                self.requests += 1 + len(ends)
            self.tokens += len(text) / self.characters + 1
        if not isinstance(self.way, Forced):
            self.requests += 1
        return said


class AnswerTable:
    """What a server has said, by text; each batch becomes a block of the keeper before the next one is asked for.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> AnswerTable(folder, "m").keep({"He is": Told(("He", " is"), (None, -1.5))})
    >>> AnswerTable(folder, "m").get("He is").values
    (None, -1.5)
    """

    def __init__(self, folder: Any, name: str) -> None:
        self._keeper, self._name = Keeper(folder), name
        self.found: dict[str, Told] = {}
        for block in self._keeper.under(f"{name}/").values():
            try:
                self.found |= msgspec.json.decode(block, type=dict[str, Told])
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):  # made by somebody else
                continue

    def get(self, text: str) -> Told | None:
        """Return what was said about a text, or None."""
        return self.found.get(digest(text.encode("utf-8", "surrogatepass")))

    def keep(self, answers: dict[str, Told]) -> None:
        """Keep what was said about texts."""
        new = {digest(text.encode("utf-8", "surrogatepass")): told for text, told in answers.items()}
        self.found |= new
        if new:
            content = msgspec.json.encode(new)
            self._keeper.keep({f"{self._name}/{digest(content)}": content})
