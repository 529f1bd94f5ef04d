"""word2vec and fastText by gensim, with one worker: only that gives the same vectors for the same seed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from aslant.errors import MissingExtraError
from aslant.training.glove import Floats
from aslant.training.texts import Numbers, Text

METHODS = {"word2vec": "Word2Vec", "fasttext": "FastText"}


def need_gensim() -> Any:
    """Return gensim's models, or say how to install them."""
    try:
        import gensim.models
    except ImportError:
        raise MissingExtraError(
            "word2vec and fastText need gensim: pip install '.[gensim]'; or choose the method 'glove'."
        ) from None
    return gensim.models


def train_gensim(
    method: str, text: Text, counts: Numbers, settings: dict[str, Any], seed: int, watch: Callable[[float], None]
) -> Floats:
    """Return one vector for each of the text's words, in their order."""
    models = need_gensim()
    from gensim.models.callbacks import CallbackAny2Vec

    class Sentences:
        """Sentences as gensim reads them, once for each epoch; none are left once the user has stopped the work."""

        stopped = False

        def __iter__(self) -> Iterator[list[str]]:
            total = max(len(text.tokens), 1)
            done = told = 0
            for sentence in text.sentences():
                if self.stopped:
                    return
                yield sentence
                done += len(sentence)
                if done - told > 200_000:
                    self.tell((done - told) / total)
                    told = done
            self.tell((total - told) / total)

        def tell(self, share: float) -> None:
            try:
                watch(share)
            except InterruptedError:  # raised in a thread of gensim's, it would be lost
                self.stopped = True

    class Ends(CallbackAny2Vec):  # type: ignore[misc]
        def on_epoch_end(self, _: Any) -> None:
            if sentences.stopped:
                raise InterruptedError

    sentences = Sentences()
    more = {"bucket": settings["buckets"]} if method == "fasttext" else {}
    model = getattr(models, METHODS[method])(
        vector_size=settings["dimensions"], window=settings["window"], min_count=1, sg=1, negative=settings["negative"],
        sample=settings["sample"], epochs=settings["epochs"], workers=1, seed=seed % 2**32, **more,
    )  # fmt: skip
    model.build_vocab_from_freq(
        dict(zip(text.words, counts.tolist(), strict=True)), corpus_count=sum(1 for _ in text.sentences())
    )
    model.train(
        sentences, total_examples=model.corpus_count, total_words=len(text.tokens), epochs=model.epochs,
        callbacks=[Ends()],
    )  # fmt: skip
    return np.asarray(model.wv[list(text.words)], dtype=np.float32)
