"""A causal language model behind a server that speaks OpenAI's protocol (docs/servers.md).

Before anything is measured, a probe finds out what the server really returns, and refuses what cannot be measured:
log-probabilities of generated tokens only, or ones that do not depend on the words before, or belong to other tokens.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import Any, Literal, Self

import numpy as np

from aslant.errors import MeasureError
from aslant.io.keeper import Keeper, digest
from aslant.models.plan import Folder, Tables
from aslant.models.protocols import INSIDE, RECORDED, CausalScore, Progress, Sentence, TextScore
from aslant.models.rehearsing import rehearsed
from aslant.models.server_answers import GENERATED_ONLY, Answer, AnswerTable, Echo, Forced, Rehearsal, Told, Way
from aslant.models.server_client import AbsentError, Client, ServerError, served_model, split_address
from aslant.models.spelling import Cut, shown, written
from aslant.models.text_scores import CausalTextScorer

#: Texts that a server is asked about first: with common beginnings, and with the same word after different ones.
PROBES = (
    "He is a doctor.",
    "She is a doctor.",
    "I know that she is a good doctor",
    "I know that she is late again",
)
#: How far the log-probability of a token may differ between a prompt and what was generated, and between two prompts:
#: servers put several requests into one batch, in low precision.
NOISE = 0.25
#: Answers to a model's probe that differ by less, another day, are those of the same model: rounding.
SLIGHT = 0.01
#: Values closer than this are the same.
SAME = 1e-6
INSTEAD = "serve it by vLLM, by llama.cpp's server or by llama-cpp-python's (logits_all), or give its folder"


class NotScoringError(ServerError):
    """A server that answers, but not with log-probabilities of texts."""


class ServerCausalLM(CausalTextScorer):
    """A left-to-right model behind a server; see `aslant.models.CausalLM` and `ScoresTexts` for its methods.

    Each distinct text is asked for once, and kept in memory and in a `journal`, if there is one: its own, which
    outlives that of a single run, or else the one that a measure was given. Its identity is its
    name and what it answers to the texts of the probe: where the server is does not matter, and its weights cannot be
    seen. `client.requests` counts what was sent.
    """

    kind = "causal"

    def __init__(
        self, address: str, model: str | None = None, *, begin: str = "", capitalise: bool = True,
        journal: Folder = None, **how: Any,
    ) -> None:  # fmt: skip
        place, model = split_address(address, model)
        self.client = Client(place, **how)
        self.model, about, unlisted = served_model(self.client, model)
        self.name = PurePath(self.model).name if PurePath(self.model).is_absolute() else self.model
        self.capital, self.journal = capitalise, journal
        way, told, checked, noise = probe(self.client, self.model, begin)
        self.way: Way = way
        self._told: dict[str, Answer] = {}
        self._opened: tuple[Path, AnswerTable] | None = None
        self.fingerprint = _identity(self.model, begin, told, noise, Tables(journal).folder)
        self.characters = sum(map(len, PROBES)) / sum(len(one.tokens) - one.begins for one in told)
        self.format = f"served causal language model ({way.called})"
        self.words, self.dimensions = (_count(about.get(key)) for key in ("n_vocab", "n_embd"))
        self.note = "; ".join(
            filter(None, [unlisted, *checked, "sentences begin with a capital" if self.capital else ""])
        )

    def record(self) -> dict[str, Any]:
        """Return the fields of `aslant.results.Representation`; words and dimensions are 0 where a server is silent."""
        return {name: getattr(self, name) for name in RECORDED}

    def rehearsal(self) -> Self:
        """Return a model that counts the requests that this one would send, and makes the answers up."""
        other = object.__new__(type(self))
        vars(other).update(vars(self) | {"way": Rehearsal(self.way, self.characters), "_told": {}, "journal": None})
        return other

    def ask_ahead(
        self, texts: Sequence[str | Sentence], journal: Any = None, progress: Progress | None = None
    ) -> None:  # fmt: skip
        """Ask for all texts that are not known yet, several requests at once; finished ones are kept at once."""
        wanted = dict.fromkeys(text if isinstance(text, str) else self._written(text)[0] for text in texts)
        table = self._table(journal)
        if table is not None:
            self._told |= {text: told for text in wanted if text not in self._told and (told := table.get(text))}
        asked = [text for text in wanted if text not in self._told and text.strip()]
        parts = [asked[start : start + self.way.batch] for start in range(0, len(asked), self.way.batch)]
        done = len(wanted) - len(asked)
        for part, answers in self.client.each(self.way.ask, parts):
            said = dict(zip(part, answers, strict=True))
            self._told |= said
            if table is not None:
                table.keep({text: told for text, told in said.items() if isinstance(told, Told)})
            done += len(part)
            if progress is not None:
                progress("sentences", done, len(wanted))

    def _table(self, journal: Any) -> AnswerTable | None:
        if isinstance(self.way, Rehearsal):  # what is made up is never kept
            return None
        folder = Tables(self.journal).folder or (journal if isinstance(journal, Tables) else Tables(journal)).folder
        if folder is None:
            return None
        if self._opened is None or self._opened[0] != folder:
            self._opened = folder, AnswerTable(folder, f"served-{self.fingerprint}")
        return self._opened[1]

    def _written(self, sentence: Sentence) -> tuple[str, tuple[int, int], tuple[int, int]]:
        return written(sentence, capital=self.capital)

    def unplaceable(self, sentences: Sequence[Sentence]) -> dict[int, str]:
        """Return, for each sentence that cannot be scored, by its index, the reason."""
        self.ask_ahead(sentences)
        found = [self._placed(sentence) for sentence in sentences]
        return {i: reason for i, reason in enumerate(found) if isinstance(reason, str)}

    def _placed(self, sentence: Sentence) -> tuple[Cut, range, range] | str:
        """Return a sentence as tokens, with the places of its two words, or why it cannot be scored."""
        text, *spans = self._written(sentence)
        cut = self._cut(text)
        if reason := self._reason(cut):
            return reason
        places = []
        for word, span in zip((sentence.target, sentence.attribute), spans, strict=True):
            found = cut.word_at(span)
            if isinstance(found, str):
                return f"'{word}' in '{text}' {found}"
            places.append(found)
        return cut, places[0], places[1]

    def in_vocabulary(
        self, word: str, template: str = INSIDE, role: Literal["target", "attribute"] = "target"
    ) -> bool:  # fmt: skip
        """Tell whether the word is a single piece as [TARGET] or [ATTRIBUTE] of a template; else inside a sentence."""
        sentence = Sentence(template, **{"target": "it", "attribute": "it", role: word})
        self.ask_ahead([sentence])
        found = self._placed(sentence)
        if isinstance(found, str):
            return False
        _, target, attribute = found
        return len(target if role == "target" else attribute) == 1

    def causal_scores(
        self, sentences: Sequence[Sentence], *, journal: Any = None, progress: Progress | None = None
    ) -> list[CausalScore]:
        """Score sentences, in their order.

        A piece with nothing before it has no probability, so a sentence without a beginning token (the record
        says whether there is one) counts from its second piece; `unweighed` tells where that is the target's.
        """
        self.ask_ahead(sentences, journal, progress)
        found = [self._placed(sentence) for sentence in sentences]
        reasons = list(dict.fromkeys(reason for reason in found if isinstance(reason, str)))
        if reasons:
            more = f" (and {len(reasons) - 3} more)" if len(reasons) > 3 else ""
            raise MeasureError(f"{'; '.join(reasons[:3])}{more}; leave such words out.")
        return [self._score(*each) for each in found if not isinstance(each, str)]

    def _score(self, cut: Cut, target: range, attribute: range) -> CausalScore:
        told = self._answer(cut.text)
        values = {i: value for i in cut.content if (value := told.values[i]) is not None}
        follows = attribute.start > target.start
        return CausalScore(
            continuation=sum(v for i, v in values.items() if i >= attribute.start) if follows else None,
            sentence=sum(values.values()),
            pieces=told.tokens[target.start : target.stop],
            attribute_pieces=told.tokens[attribute.start : attribute.stop],
            unweighed=target.start not in values,
        )

    def continuation_scores(
        self,
        pairs: Sequence[tuple[str, str]],
        *,
        score: str | None = None,
        journal: Any = None,
        progress: Progress | None = None,
    ) -> list[TextScore]:
        """Score what continues each prompt, given as (prompt, continuation), which are put together as they are."""
        self.ask_ahead([prompt + continuation for prompt, continuation in pairs], journal, progress)
        return super().continuation_scores(pairs, score=score, journal=journal, progress=progress)

    def _scores(
        self, score: str, cuts: list[Cut], places: list[list[int]], journal: Any, progress: Progress | None
    ) -> list[TextScore]:
        found = []
        for cut, own in zip(cuts, places, strict=True):
            told = self._answer(cut.text)
            values = [value for i in own if (value := told.values[i]) is not None]
            found.append(TextScore(sum(values), len(values)))
        return found

    def _cuts(self, texts: Sequence[str]) -> list[Cut]:
        self.ask_ahead(texts)
        return [self._cut(text) for text in texts]

    def _cut(self, text: str) -> Cut:
        told = self._told.get(text)
        return told.cut(text) if isinstance(told, Told) else Cut(text, (), [], range(0))

    def _answer(self, text: str) -> Told:
        told = self._told[text]
        assert isinstance(told, Told)  # `_reason` has refused the others
        return told

    def _reason(self, cut: Cut) -> str:
        told = self._told.get(cut.text)
        if not cut.text.strip():
            return f"{shown(cut.text)} has no pieces for '{self.name}'"
        if isinstance(told, str):
            return f"the server of '{self.name}' {told}"
        if told is None or all(told.values[i] is None for i in cut.content):
            return f"{shown(cut.text)} is one piece with nothing before it, which has no probability"
        return ""


def load_server_lm(source: str, model: str | None = None, **options: Any) -> ServerCausalLM:
    """Open the model behind a server's address; while the work is only rehearsed, one that counts requests."""
    return rehearsed(ServerCausalLM(source, model, **options))


def probe(client: Client, model: str, begin: str = "") -> tuple[Echo | Forced, list[Told], list[str], float]:
    """Find out how a server can be asked for log-probabilities of texts, and check that they are what they should be.

    Returns the way to ask, what was said about the texts of the probe, what is to be noted, and how far the same tokens
    differ.
    """
    echo = Echo(client, model, begin)
    answers: list[Answer] = []
    try:
        with client.tried_twice():
            answers = echo.ask(PROBES)
    except AbsentError as error:
        raise NotScoringError(f"no text can be scored: {error}") from None
    except ServerError:  # llama-cpp-python has no other word for several prompts
        pass
    if not answers or not all(isinstance(answer, Told) for answer in answers):
        echo.batch = 1  # some servers take one prompt at a time
        answers = [echo.ask([text])[0] for text in PROBES]
    refused = [answer for answer in answers if isinstance(answer, str)]
    notes = [] if echo.batch > 1 else ["one text in each request: the server does not take several"]
    way: Echo | Forced = echo
    if refused:
        way, reason = _forced(client, model, begin), refused[0]
        if way is None:
            raise NotScoringError(f"the server at {client.address} {reason}, so no text can be scored; {INSTEAD}.")
        said = dict(client.each(lambda text: way.ask([text])[0], PROBES))
        answers = [said[text] for text in PROBES]
        if reason := next((answer for answer in answers if isinstance(answer, str)), ""):
            raise ServerError(f"the server at {client.root} {reason}, so no text can be scored; {INSTEAD}.")
        notes = [f"it {GENERATED_ONLY}, so each token is generated for certain, one request for each"]
    told = [answer for answer in answers if isinstance(answer, Told)]
    noise = max(
        _check_context(client, told), _check_alone(client, way, told),
        _check_generated(client, echo, told) if way is echo else 0.0,
    )  # fmt: skip
    begins = told[0].begins and told[0].tokens[0]
    unsaid = told[0].values[told[0].begins] is None
    return way, told, [
        "served: its weights cannot be seen, and its identity is its name and its answers to a few texts",
        "no untrained model of its kind can be made: chance is other words of as many pieces, or not known",
        *notes,
        f"the same tokens differ by up to {noise:.2g}" if noise > 1e-4 else "",
        f"sentences begin with {begins}{'' if getattr(way, 'added', True) else ', which the server does not add'}"
        if begins and not unsaid
        else "no beginning token, so a sentence's first piece has no probability" if unsaid
        else "sentences begin with a token that is not shown",
    ], noise  # fmt: skip


def _forced(client: Client, model: str, begin: str) -> Any:
    """Return the way to force tokens, if the server has it, and a forced token is as probable as a free one."""
    try:
        way = Forced(client, model, begin)
        ids = tuple(number for number, _ in [*([way.lead] if way.lead else []), *way.tokenise("The nurse said that")])
        free = [(int(token["id"]), float(token["logprob"])) for token in way.generated(ids, n_probs=20)["top_logprobs"]]
        differences = [abs(way.forced((*ids, number)) - value) for number, value in free[:1] + free[9:10] + free[19:20]]
    except (ServerError, KeyError, TypeError, ValueError):
        return None
    return way if len(differences) == 3 and max(differences) <= NOISE else None


def _check_context(client: Client, told: Sequence[Told]) -> float:
    """Refuse log-probabilities that ignore the words before, or look at those after; return how much they vary."""
    by_text = dict(zip(PROBES, told, strict=True))
    last = {_value_of(by_text[text], text, "doctor") for text in PROBES if "doctor" in text}
    every = [value for one in told for value in one.values if value is not None]
    if np.ptp([value for value in last if value is not None]) < SAME or np.ptp(every) < SAME:
        raise ServerError(
            f"the server at {client.address} gives a word the same log-probability after any words ({every[-1]:.4g}), "
            f"so it does not return the model's; {INSTEAD}."
        )
    long, short = by_text[PROBES[2]], by_text[PROBES[3]]
    shared = [
        (a, b) for s, t, a, b in zip(long.tokens, short.tokens, long.values, short.values, strict=False) if s == t
    ]
    differences = [abs(a - b) for a, b in shared if a is not None and b is not None]
    if max(differences, default=0.0) > NOISE:
        raise ServerError(
            f"the server at {client.address} gives the same words after the same words log-probabilities that differ "
            f"by {max(differences):.2g}, so they depend on what follows, or on chance; {INSTEAD}."
        )
    return max(differences, default=0.0)


def _check_alone(client: Client, way: Echo | Forced, told: Sequence[Told]) -> float:
    """Refuse log-probabilities that a text has only among others, in a request or at the same time."""
    if isinstance(way, Forced):
        way.forget()
    alone = way.ask(PROBES[:1])[0]
    if not isinstance(alone, Told) or alone.tokens != told[0].tokens:
        raise ServerError(
            f"the server at {client.address} splits the same text into different tokens the second time; {INSTEAD}."
        )
    both = zip(alone.values, told[0].values, strict=True)
    difference = max(abs(a - b) for a, b in both if a is not None and b is not None)
    if difference > NOISE:
        raise ServerError(
            f"the server at {client.address} gives a text alone log-probabilities that differ by {difference:.2g} from "
            f"those that it has among others, so they cannot be used; {INSTEAD}."
        )
    return difference


def _value_of(told: Told, text: str, word: str) -> float | None:
    cut = told.cut(text)
    start = text.index(word)
    places = cut.places((start, start + len(word)))
    return told.values[places[-1]]


def _check_generated(client: Client, echo: Echo, told: Sequence[Told]) -> float:
    """Refuse log-probabilities of prompts that are not those that the same tokens have when they are generated."""
    differences = []
    ahead = {
        text + one.next[0]: one for text, one in zip(PROBES, told, strict=True) if one.next and one.next[0].strip()
    }
    longer = [text for text in ahead if "\ufffd" not in text]
    parts = [longer[start : start + echo.batch] for start in range(0, len(longer), echo.batch)]
    for text, again in zip(longer, (answer for part in parts for answer in echo.ask(part)), strict=True):
        token, value = ahead[text].next or ("", 0.0)
        if isinstance(again, Told) and again.tokens == (*ahead[text].tokens, token) and again.values[-1] is not None:
            differences.append(abs(again.values[-1] - value))
    if not differences:
        raise NotScoringError(
            f"the server at {client.address} generated nothing with which its log-probabilities of prompts could be "
            f"checked; {INSTEAD}."
        )
    if np.median(differences) > NOISE:
        raise ServerError(
            f"the server at {client.address} gives a token of a prompt another log-probability than when it is "
            f"generated (they differ by {np.median(differences):.2g}): they are changed, or those of "
            f"other tokens; {INSTEAD}."
        )
    return float(max(differences))


def _identity(model: str, begin: str, told: Sequence[Told], noise: float, folder: Any) -> str:
    """Return the fingerprint: of the model's name, and of what it answers to the texts of the probe.

    Servers add noise to their answers; so the one is taken that was given before to answers that differ by no more.
    """
    within = min(NOISE, max(SLIGHT, 2 * noise))
    tokens = [one.tokens for one in told]
    values = [[round(value or 0.0, 4) for value in one.values] for one in told]
    found = hashlib.sha256(json.dumps([model, begin, tokens, values]).encode()).hexdigest()[:12]
    if folder is None:
        return found
    keeper, key = Keeper(folder), f"served-models/{digest(json.dumps([model, begin, tokens]).encode())}"
    try:
        known = json.loads(keeper.get(key) or b"[]")
        for name, before in known:
            if (
                max(abs(a - b) for one, two in zip(values, before, strict=True) for a, b in zip(one, two, strict=True))
                <= within
            ):
                return str(name)
    except (ValueError, TypeError):
        known = []
    keeper.keep({key: json.dumps([*known, [found, values]]).encode()})
    return found


def _count(value: Any) -> int:
    return value if isinstance(value, int) and 0 <= value < 1 << 40 else 0
