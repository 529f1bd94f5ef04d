"""Scores of whole texts, and of continuations of a prompt, under masked and causal models (docs/definitions.md §11).

Texts are scored exactly as they are written. What a model cannot score (empty, too long, with special tokens or
unknown characters) is told before anything is run.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from functools import cached_property
from itertools import chain
from typing import Any, ClassVar, TypeAlias

from aslant.errors import MeasureError
from aslant.models.network import Network
from aslant.models.plan import Ask, Ids, Query, Runner, answered, merged, table_in
from aslant.models.protocols import Progress, TextScore
from aslant.models.spelling import CHUNK, Cut, Speller, shown

#: A sequence and what is requested of it.
Request: TypeAlias = tuple[Ids, Ask]


def words_of(cut: Cut) -> dict[int, int]:
    """Return the number of the word that each token of a text belongs to; white space always ends a word.

    >>> cut = Cut("unkind he", (0, 7, 8, 9, 1), [(0, 0), (0, 2), (2, 6), (7, 9), (0, 0)], range(1, 4), [None, 0, 0, 1])
    >>> words_of(cut)
    {1: 0, 2: 0, 3: 1}
    """
    found: dict[int, int] = {}
    word, before = -1, 0
    for i in cut.content:
        left, right = cut.offsets[i]
        spaced = left > before or cut.text[left : left + 1].isspace()
        if i == cut.content.start or spaced or cut.words[i] is None or cut.words[i] != cut.words[i - 1]:
            word += 1
        found[i], before = word, max(before, right)
    return found


def shared_places(first: Cut, second: Cut) -> tuple[list[int], list[int]]:
    """Return the places of the tokens that two texts share, in each; special ones do not count.

    As in the code of CrowS-Pairs, by `difflib.SequenceMatcher` on the numbers of the tokens, in this order of texts.

    >>> a = Cut("he can", (0, 5, 6, 1), [(0, 0), (0, 2), (3, 6), (0, 0)], range(1, 3))
    >>> b = Cut("we two can", (0, 7, 8, 6, 1), [(0, 0), (0, 2), (3, 6), (7, 10), (0, 0)], range(1, 4))
    >>> shared_places(a, b)
    ([2], [3])
    """
    blocks = SequenceMatcher(None, first.ids, second.ids, autojunk=False).get_matching_blocks()
    pairs = [(block.a + k, block.b + k) for block in blocks for k in range(block.size)]
    kept = [(i, j) for i, j in pairs if i in first.content and j in second.content]
    return [i for i, _ in kept], [j for _, j in kept]


class TextScorer:
    """What masked and causal models have in common; `scorings` are the scores it can give, its default first."""

    name: str
    speller: Speller
    scorings: ClassVar[tuple[str, ...]]

    def unscorable(self, texts: Sequence[str]) -> dict[int, str]:
        """Return, for each text that cannot be scored, by its index, the reason."""
        reasons = map(self._reason, self._cuts(texts))
        return {i: reason for i, reason in enumerate(reasons) if reason}

    def text_scores(
        self, texts: Sequence[str], *, score: str | None = None, journal: Any = None, progress: Progress | None = None
    ) -> list[TextScore]:
        """Score texts, in their order; each distinct sequence of tokens is run once."""
        return self.continuation_scores([("", text) for text in texts], score=score, journal=journal, progress=progress)

    def continuation_scores(
        self,
        pairs: Sequence[tuple[str, str]],
        *,
        score: str | None = None,
        journal: Any = None,
        progress: Progress | None = None,
    ) -> list[TextScore]:
        """Score what continues each prompt, given as (prompt, continuation), in their order.

        The two are put together as they are, so that a continuation has its own space before it. A piece with
        characters of both belongs to the continuation.
        """
        score = self._known(score)
        cuts = self._scorable([prompt + continuation for prompt, continuation in pairs])
        places = [
            [i for i in cut.content if not prompt or cut.offsets[i][1] > len(prompt)]
            for (prompt, _), cut in zip(pairs, cuts, strict=True)
        ]
        for (prompt, continuation), found in zip(pairs, places, strict=True):
            if not found:
                raise MeasureError(f"{shown(continuation)} after {shown(prompt)} has no pieces for '{self.name}'.")
        return self._scores(score, cuts, places, journal, progress)

    def _known(self, score: str | None) -> str:
        if score is None:
            return self.scorings[0]
        if score not in self.scorings:
            raise MeasureError(f"score={score!r} does not fit '{self.name}'; it can have {', '.join(self.scorings)}.")
        return score

    def _scores(
        self, score: str, cuts: list[Cut], places: list[list[int]], journal: Any, progress: Progress | None
    ) -> list[TextScore]:
        raise NotImplementedError

    def _cuts(self, texts: Sequence[str]) -> list[Cut]:
        parts = (texts[start : start + CHUNK] for start in range(0, len(texts), CHUNK))
        return [cut for part in parts for cut in self.speller.cuts(part, words=True)]

    def _scorable(self, texts: Sequence[str]) -> list[Cut]:
        cuts = self._cuts(texts)
        reasons = list(dict.fromkeys(filter(None, map(self._reason, cuts))))
        if reasons:
            more = f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else ""
            raise MeasureError(f"{reasons[0]}{more}; leave such texts out.")
        return cuts

    def _reason(self, cut: Cut) -> str:
        """Return why a text cannot be scored; "" if it can."""
        ids, longest = {cut.ids[i] for i in cut.content}, self.speller.longest
        unknown = self.speller.tokenizer.unk_token_id
        if not cut.text.strip() or not ids:
            return f"{shown(cut.text)} has no pieces for '{self.name}'"
        if longest is not None and len(cut.ids) > longest:
            return f"{shown(cut.text)} has {len(cut.ids)} pieces, but '{self.name}' takes at most {longest}"
        if self.speller.special & ids - {unknown}:
            return f"{shown(cut.text)} contains a special token of '{self.name}'"
        if unknown in ids:
            return f"{shown(cut.text)} contains something that is unknown to the tokenizer of '{self.name}'"
        return ""


class MaskedTextScorer(TextScorer):
    """Scores of texts under a model that fills masks.

    "within-word": each piece masked together with the later pieces of its word (Kauf & Ivanova 2023); "pll": each piece
    masked alone (Salazar et al. 2020); "aul": nothing masked (Kaneko & Bollegala 2022); "aula": the same, each
    log-probability times the attention that its piece receives, averaged over layers, heads and tokens.
    """

    network: Network
    fingerprint: str
    journal: Any
    mask: int
    scorings = ("within-word", "pll", "aul", "aula")

    def _answers(self, queries: Sequence[Query], journal: Any, progress: Progress | None) -> dict[Request, float]:
        raise NotImplementedError

    def shared_scores(
        self, pairs: Sequence[tuple[str, str]], *, journal: Any = None, progress: Progress | None = None
    ) -> list[tuple[TextScore, TextScore]]:
        """Score both texts of each pair by the pieces that they share, each masked alone (Nangia et al. 2020)."""
        cuts = self._scorable(list(chain(*pairs)))
        places = list(chain(*(shared_places(*both) for both in zip(cuts[::2], cuts[1::2], strict=True))))
        found = self._scores("pll", cuts, places, journal, progress)
        return list(zip(found[::2], found[1::2], strict=True))

    def _scores(
        self, score: str, cuts: list[Cut], places: list[list[int]], journal: Any, progress: Progress | None
    ) -> list[TextScore]:
        asked = [self._asked(score, cut, own) for cut, own in zip(cuts, places, strict=True)]
        answers = (self._attended if score == "aula" else self._answers)(merged(chain(*asked)), journal, progress)
        return [TextScore(sum(answers[request] for request in own), len(own)) for own in asked]

    def _asked(self, score: str, cut: Cut, places: Iterable[int]) -> list[Request]:
        """Return a request for each place of a text."""
        if score in ("aul", "aula"):
            return [(cut.ids, (i, cut.ids[i])) for i in places]
        words = words_of(cut) if score == "within-word" else {}
        requests = []
        for i in places:
            stop = i + 1
            while stop in words and words[stop] == words[i]:
                stop += 1
            ids = (*cut.ids[:i], *[self.mask] * (stop - i), *cut.ids[stop:])
            requests.append((ids, (i, cut.ids[i])))
        return requests

    @cached_property
    def _attending(self) -> Runner[tuple[float, ...]]:
        network = self.network.attending()
        return Runner(network.attended, network.limits, alone=network.alone)

    def _attended(self, queries: Sequence[Query], journal: Any, progress: Progress | None) -> dict[Request, float]:
        dtype = str(self.network.dtype).removeprefix("torch.")
        return answered(
            queries, self._attending, table_in(journal, f"attended-{self.fingerprint}-{dtype}", self.journal), progress
        )


class CausalTextScorer(TextScorer):
    """Log-likelihoods of texts under a left-to-right model.

    A piece with nothing before it has no probability and is not counted, where sentences have no beginning token.
    """

    scorings = ("likelihood",)

    def _by_place(self, first: dict[Ids, int], journal: Any, progress: Progress | None) -> dict[tuple[Ids, int], float]:
        raise NotImplementedError

    def _scores(
        self, score: str, cuts: list[Cut], places: list[list[int]], journal: Any, progress: Progress | None
    ) -> list[TextScore]:
        first: dict[Ids, int] = {}
        for cut, own in zip(cuts, places, strict=True):
            ids = cut.ids[: cut.content.stop]
            first[ids] = min(first.get(ids, len(ids)), *own, len(ids))
        answers = self._by_place(first, journal, progress)
        found = []
        for cut, own in zip(cuts, places, strict=True):
            values = [answers[cut.ids[: cut.content.stop], i] for i in own if i > 0]
            found.append(TextScore(sum(values), len(values)))
        return found

    def _reason(self, cut: Cut) -> str:
        reason = super()._reason(cut)
        if not reason and cut.content.stop == 1:
            return f"{shown(cut.text)} is one piece with nothing before it, which has no probability"
        return reason
