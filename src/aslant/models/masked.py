"""Masked language models of transformers: log-probabilities at masks (docs/definitions.md §7), and vectors in place."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aslant.errors import MeasureError
from aslant.models.network import Network, memory_suffices
from aslant.models.plan import Plan, Query, answered, batches, run_batches
from aslant.models.protocols import INSIDE, MaskedScore, Progress, Sentence, TargetPieces
from aslant.models.spelling import Speller, Spelling
from aslant.models.table import Ask, Ids, table_in

#: A sequence and what is requested of it.
Request: TypeAlias = tuple[Ids, Ask]
#: Sentences of different lengths with which a model is checked when it is loaded.
PROBES = (
    Sentence("[TARGET] is a [ATTRIBUTE].", "he", "doctor"),
    Sentence("I know that [TARGET] is [ATTRIBUTE].", "she", "a good nurse"),
)


class TransformersMaskedLM:
    """A masked language model with its tokenizer; see `aslant.models.MaskedLM` for its methods.

    `capitalise`: a cased model sees a capital at the beginning of a sentence. `passes` counts the sequences run.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        name: str,
        *,
        token_budget: int | None = None,
        capitalise: bool = True,
        journal: Any = None,
        note: str = "",
    ) -> None:
        if tokenizer.mask_token_id is None:
            raise MeasureError(f"the tokenizer of '{name}' has no mask, so it is not a masked language model.")
        self.name = name
        self.folder: Path | None = None  #: what it was loaded from, see `aslant.models.identity_of`
        self.mask = int(tokenizer.mask_token_id)
        self.network = Network(model, int(tokenizer.pad_token_id or 0), token_budget)
        self.speller = Speller(tokenizer, capitalise=capitalise, longest=longest(model, tokenizer))
        self.journal = journal
        spelt = [found for found in self.speller.try_spell(PROBES) if isinstance(found, Spelling)]
        probes = [found.masked(self.mask, target=1, attribute=None)[0] for found in spelt]
        with memory_suffices(name):
            checked = self.network.check(probes or [(self.mask,) * 3, (self.mask,) * 5])
        self.note = describe(note, checked, self.speller)
        self.fingerprint = self.network.fingerprint(tokenizer.get_vocab())
        self._runner = self.network.runner(self.network.log_probabilities)
        self._vectors = self.network.runner(self.network.hidden)

    @property
    def passes(self) -> int:
        """How many sequences this model has been run on for scores."""
        return self._runner.passes

    def record(self) -> dict[str, Any]:
        """Return the fields of `aslant.results.Representation`."""
        return recorded(self, self.network, "masked")

    def unplaceable(self, sentences: Sequence[Sentence]) -> dict[int, str]:
        """Return, for each sentence that cannot be scored, by its index, the reason."""
        return {i: found for i, found in enumerate(self.speller.try_spell(sentences)) if isinstance(found, str)}

    def masked_scores(
        self,
        sentences: Sequence[Sentence],
        *,
        target_pieces: TargetPieces = "chain",
        single_mask: bool = False,
        prior_place: Literal["target", "published"] = "target",
        journal: Any = None,
        progress: Progress | None = None,
    ) -> list[MaskedScore]:
        """Score sentences, in their order; each distinct masked sentence is run once.

        A target of several pieces: "chain" multiplies P(piece 1 | all its pieces masked), P(piece 2 | piece 1 shown) …;
        "first" puts one mask and takes its first piece, as published. An attribute of k pieces is masked by k masks, or
        by one (`single_mask`). `prior_place="published"` reads the prior one token before the attribute.
        """
        spelt = self.speller.spell(sentences)
        masks = [1 if single_mask else len(found.attribute) for found in spelt]
        shown = [self._requests(found, target_pieces, None) for found in spelt]
        if prior_place == "published":
            _check_published(sentences, spelt, target_pieces)
            hidden = [self._published(found, k) for found, k in zip(spelt, masks, strict=True)]
        else:
            hidden = [self._requests(found, target_pieces, k) for found, k in zip(spelt, masks, strict=True)]
        answers = self._answers([*shown, *hidden], journal, progress)
        return [
            MaskedScore(
                target=sum(answers[request] for request in target),
                prior=sum(answers[request] for request in prior),
                pieces=self.speller.pieces(found.ids[i] for i in found.target),
                attribute_pieces=self.speller.pieces(found.ids[i] for i in found.attribute),
            )
            for found, target, prior in zip(spelt, shown, hidden, strict=True)
        ]

    def word_vectors_in_place(
        self, sentences: Sequence[Sentence], word: Literal["target", "attribute"], *, progress: Progress | None = None
    ) -> NDArray[np.float32]:
        """Return last-layer vectors of `word` (pieces averaged) while the other one is masked; (sentences, d)."""
        queries = queries_in_place(self.speller, self.mask, sentences, word)
        distinct = list(dict.fromkeys(queries))
        vectors: dict[Query, NDArray[np.float32]] = {}
        with closing(run_batches(self._vectors, batches(distinct, self._vectors.limits))) as parts:
            for part in parts:
                vectors.update(part)
                if progress is not None:
                    progress("vectors", len(vectors), len(distinct))
        return np.array([vectors[query] for query in queries], dtype=np.float32)

    def in_vocabulary(self, word: str, template: str = INSIDE, role: Literal["target", "attribute"] = "target") -> bool:
        """Tell whether the word is a single piece as [TARGET] or [ATTRIBUTE] of a template; else inside a sentence."""
        return self.speller.one_piece(word, template, role)

    def _requests(self, found: Spelling, target_pieces: TargetPieces, attribute: int | None) -> list[Request]:
        """Return the requests for the target's log-probability, the attribute shown (None) or under that many masks."""
        pieces = [found.ids[i] for i in found.target]
        if target_pieces == "first":
            del pieces[1:]
        ids, start, _ = found.masked(self.mask, target=len(pieces), attribute=attribute)
        requests = []
        for i, piece in enumerate(pieces):
            filled = ids[:start] + tuple(pieces[:i]) + ids[start + i :]
            requests.append((filled, (start + i, piece)))
        return requests

    def _published(self, found: Spelling, attribute: int) -> list[Request]:
        ids, _, start = found.masked(self.mask, target=1, attribute=attribute)
        return [(ids, (start - 1, found.ids[found.target.start]))]

    def _answers(
        self, requests: Sequence[Sequence[Request]], journal: Any, progress: Progress | None
    ) -> dict[Request, float]:
        plan = Plan()
        for asked in requests:
            for ids, (position, token) in asked:
                plan.ask(ids, position, token)
        table = table_in(journal, self.network.table_name("masked", self.fingerprint), self.journal)
        return answered(plan.queries(), self._runner, table, progress)


_OTHER: dict[str, Literal["target", "attribute"]] = {"target": "attribute", "attribute": "target"}


def queries_in_place(
    speller: Speller, mask: int, sentences: Sequence[Sentence], word: Literal["target", "attribute"]
) -> list[Query]:
    """Return what to run for the vectors of `word` in sentences: its places, while masks hide the other word."""
    queries = []
    for found in speller.spell(sentences):
        hide = {"target": None, "attribute": None, _OTHER[word]: len(getattr(found, _OTHER[word]))}
        ids, _, _ = found.masked(mask, **hide)  # as many masks as pieces: places stay
        queries.append(Query(ids, tuple((position, 0) for position in getattr(found, word))))
    return queries


def _check_published(sentences: Sequence[Sentence], spelt: Sequence[Spelling], target_pieces: TargetPieces) -> None:
    for sentence, found in zip(sentences, spelt, strict=True):
        if found.target.start > found.attribute.start:
            raise MeasureError(f"the published prior needs the target before the attribute; see {sentence.template!r}.")
        if target_pieces == "chain" and len(found.target) > 1:
            raise MeasureError(
                f"'{sentence.target}' has {len(found.target)} pieces; the published prior needs target_pieces='first'."
            )


def longest(model: Any, tokenizer: Any) -> int | None:
    """Return how many tokens the model takes at most, if it says so."""
    limit = getattr(model.config, "max_position_embeddings", None) or getattr(model.config, "n_positions", None)
    usable = limit and limit - _unused_places(model)
    known = [int(n) for n in (usable, tokenizer.model_max_length) if n and 0 < n < 10**9]
    return min(known, default=None)


def _unused_places(model: Any) -> int:
    """Return how many positions no token takes: RoBERTa and its relatives count from that of padding on."""
    for name, module in model.named_modules():
        if name.endswith("position_embeddings") and getattr(module, "padding_idx", None) is not None:
            return int(module.padding_idx) + 1
    return 0


def describe(*parts: Any) -> str:
    """Return a model's note from the remarks on it."""
    said = [part for part in parts if isinstance(part, str) and part]
    said += ["sentences begin with a capital" for part in parts if isinstance(part, Speller) and part.capital]
    return "; ".join(said)


def recorded(model: Any, network: Network, kind: str) -> dict[str, Any]:
    """Return the fields of `aslant.results.Representation` for a model of ours."""
    return {
        "name": model.name,
        "fingerprint": model.fingerprint,
        "format": f"{kind} language model ({type(network.model).__name__})",
        "words": network.vocabulary,
        "dimensions": int(network.model.config.hidden_size),
        "note": model.note,
    }
