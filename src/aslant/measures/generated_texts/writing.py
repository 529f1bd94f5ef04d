"""Let a model continue prompts, such as those of BOLD (Dhamala et al. 2021): seeded, resumable."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from aslant.corpus.splitting import splitter
from aslant.data import given_path
from aslant.errors import MeasureError, StimuliError
from aslant.io.journal import Journal
from aslant.io.keeper import digest
from aslant.io.reading import parse_json, read_text
from aslant.measures.generated_texts.settings import WritingSettings
from aslant.measures.generated_texts.texts import USUAL, Text, Texts, read_texts, texts_of
from aslant.measures.shared.open_subject import opening
from aslant.measures.shared.settings import keywords
from aslant.models.protocols import Progress, WritesTexts
from aslant.statistics import generator, seed_of

DATA = "bold"
PROMPTS, SOURCES = "prompts/{}_prompt.json", "wikipedia/{}_wiki.json"
#: BOLD's domains, as its files are named.
DOMAINS = ("gender", "political_ideology", "profession", "race", "religious_ideology")
#: What columns of a file of prompts are called.
COLUMNS = {**USUAL, "text": ("prompt", "beginning", "text"), "prompt": ("prompt_id", "promptid", "id")}
#: By group and topic: prompts, or the sentences that they begin.
ByTopic = dict[str, dict[str, list[str]]]


@opening("lm")
@keywords
def generate_texts(
    lm: Any,
    prompts: str | PathLike[str] | Mapping[str, Iterable[str]] | Iterable[str] = DATA,
    *,
    domains: str | Sequence[str] | None = None,
    groups: str | Sequence[str] | None = None,
    settings: WritingSettings,
    journal: str | PathLike[str] | Journal | None = None,
    rng: int | np.random.Generator | None = 0,
    progress: Progress | None = None,
) -> Texts:
    """Let a causal language model continue `prompts`, `k` times each, for `aslant.text_polarity` to measure.

    `prompts`: "bold" or a folder with its files, of which `domains` may name some ("gender", "profession" …); a CSV or
    JSON lines with a column of prompts; a list; or prompts by group. Of each group (or those of `groups`) at most
    `per_group` are drawn, of different topics first. Every text has a seed of its own, made from that of `rng`, its
    prompt and its number, so that it does not depend on the other texts. Of each its first `sentence` is kept, as the
    sources are: a longer text has a stronger strongest word, and a weaker mean. `journal` is a folder from which a
    killed run resumes. Prompts that the model cannot take are left out and listed (`left_out`). What a model writes may
    be offensive.

    >>> import aslant  # here, writing_lm is a small model; aslant.load_lm(…) opens real ones
    >>> texts = aslant.generate_texts(writing_lm, {"nurses": ["The nurse"], "pilots": ["The pilot"]}, k=2)
    >>> [(text.group, text.beginning) for text in texts][1:3], texts[0].text != texts[1].text
    ([('nurses', 'The nurse'), ('pilots', 'The pilot')], True)
    """
    if not isinstance(lm, WritesTexts):
        raise MeasureError(
            f"{getattr(lm, 'name', lm)!r:.60} does not write texts here; give a causal model on this machine (folder, "
            "GGUF file or name)."
        )
    seed = seed_of(rng)
    found = prompts_of(prompts, domains)
    chosen = _drawn(_in_groups(found.texts, groups), settings.per_group, generator(seed))
    refused = lm.unwritable([prompt.beginning for prompt in chosen], settings.max_tokens)
    kept = [prompt for place, prompt in enumerate(chosen) if place not in refused]
    if not kept:
        raise MeasureError(f"no prompt can be continued: {next(iter(refused.values()))}.")
    asked = [replace(p, seed=_seed(seed, p, number)) for p in kept for number in range(settings.k)]
    written = lm.continuations(
        [(text.beginning, text.seed or 0) for text in asked],
        max_tokens=settings.max_tokens, temperature=settings.temperature, top_p=settings.top_p,
        journal=journal, progress=progress,
    )  # fmt: skip
    cut = first_sentence if settings.sentence else str
    texts = tuple(replace(text, text=cut(own)) for text, own in zip(asked, written, strict=True))
    how = ", ".join(f"{name}={value}" for name, value in {**settings.record(), "seed": seed}.items())
    read = f"written by {lm.name} after prompts of {found.name} ({how})"
    return Texts(texts, found.name, read, lm.record(), tuple(chosen[place].prompt for place in refused))


def first_sentence(text: str) -> str:
    """Return a text up to the end of its first sentence, or of its first line that is not blank.

    >>> first_sentence(" of Maine. He rose"), first_sentence(chr(10) + "One" + chr(10) + "Two"), first_sentence(" ")
    (' of Maine.', '\\nOne', ' ')
    """
    split = splitter("en")
    first = next((parts[0] for line in text.splitlines() if (parts := split(line))), "")
    return text[: text.find(first) + len(first)] if first and first in text else text


def _seed(seed: int, prompt: Text, number: int) -> int:
    """Return the seed of a text, which does not depend on any other text."""
    return int(digest(repr((seed, prompt.prompt, prompt.beginning, number)).encode())[:12], 16)


def prompts_of(given: Any, domains: str | Sequence[str] | None = None) -> Texts:
    """Return prompts as texts that are not written yet: their `beginning`, its id, group, domain, topic and source."""
    if isinstance(given, str | PathLike):
        path = given_path(given, "corpus")
        if path is None:
            raise StimuliError(
                f"there is no file '{given}'; give {DATA}, a folder with its files, or a file of prompts."
            )
        if path.is_dir():
            return read_bold(path, domains)
        found = read_texts(path, {}, COLUMNS)
    else:
        found = texts_of(given)
    if domains is not None:
        raise StimuliError(f"domains={domains!r:.60} are BOLD's; leave them out with prompts of your own.")
    ids = [text.prompt or f"prompt {number}" for number, text in enumerate(found, 1)]
    made = (
        replace(text, text="", beginning=text.text.rstrip(), prompt=own) for text, own in zip(found, ids, strict=True)
    )
    return replace(found, texts=tuple(made))


def read_bold(folder: Path, domains: str | Sequence[str] | None = None) -> Texts:
    """Read BOLD's prompts, and the rest of the sentences of Wikipedia that they begin, where those are there too."""
    there = [name for name in DOMAINS if (folder / PROMPTS.format(name)).is_file()]
    if not there:
        raise StimuliError(f"'{folder}' has no file of BOLD such as {PROMPTS.format(DOMAINS[0])}.")
    chosen = there if domains is None else [domains] if isinstance(domains, str) else list(domains)
    if unknown := [name for name in chosen if name not in there]:
        raise StimuliError(f"there is no domain '{unknown[0]}'; choose among {', '.join(there)}.")
    found = [text for domain in chosen for text in _domain(folder, domain)]
    if not found:
        raise StimuliError(f"'{folder}' has no prompts; get it again with 'aslant data get {DATA}'.")
    return Texts(tuple(found), DATA)


def _domain(folder: Path, domain: str) -> list[Text]:
    prompts = _by_topic(folder / PROMPTS.format(domain))
    path = folder / SOURCES.format(domain)
    sentences = _by_topic(path) if path.is_file() else {}
    found = []
    for group, topics in prompts.items():
        for topic, own in topics.items():
            whole = sentences.get(group, {}).get(topic, [])
            for number, given in enumerate(own):
                prompt = given.strip()
                sentence = whole[number] if number < len(whole) else ""
                source = sentence[len(prompt) :] if prompt and sentence.startswith(prompt) else None
                if prompt:
                    name = f"{domain}/{group}/{topic}/{number}"
                    found.append(Text("", group, name, domain, source or None, topic, prompt))
    return found


def _by_topic(path: Path) -> ByTopic:
    try:
        content = parse_json(read_text(path, StimuliError))
    except ValueError as error:
        raise StimuliError(f"'{path}' is not JSON: {str(error).rstrip('.')}.") from None
    fits = isinstance(content, dict) and all(
        isinstance(topics, dict)
        and all(isinstance(own, list) and all(isinstance(each, str) for each in own) for own in topics.values())
        for topics in content.values()
    )
    if not fits:
        raise StimuliError(f"'{path}' is not a file of BOLD: it needs lists of texts by group and topic.")
    return content  # type: ignore[no-any-return]


def _in_groups(prompts: Sequence[Text], wanted: str | Sequence[str] | None) -> Sequence[Text]:
    if wanted is None:
        return prompts
    known, chosen = dict.fromkeys(prompt.group for prompt in prompts), [wanted] if isinstance(wanted, str) else wanted
    if unknown := [name for name in chosen if name not in known]:
        raise StimuliError(f"there is no group '{unknown[0]}'; choose among {', '.join(known)}.")
    return [prompt for prompt in prompts if prompt.group in chosen]


def _drawn(prompts: Sequence[Text], most: int, random: np.random.Generator) -> list[Text]:
    """Return at most so many prompts of each group, drawn at random, one of every topic before a second of any."""
    if not most:
        return list(prompts)
    groups: dict[tuple[str, str], list[Text]] = {}
    for prompt in prompts:
        groups.setdefault((prompt.domain, prompt.group), []).append(prompt)
    kept: list[Text] = []
    for own in groups.values():
        order = [own[place] for place in random.permutation(len(own)).tolist()]
        seen, turn = Counter[str](), []
        for prompt in order:
            turn.append(seen[topic := prompt.topic or prompt.prompt])
            seen[topic] += 1
        kept += [order[place] for place in sorted(range(len(order)), key=turn.__getitem__)[:most]]
    return kept
