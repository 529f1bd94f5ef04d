"""From what a user gives (a sentence, a template set; words, a class set) to templates with the targets of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, TypeAlias

from aslant.errors import MeasureError, plural
from aslant.measures.shared.wordsets import checked_words
from aslant.models.protocols import ATTRIBUTE, TARGET
from aslant.stimuli import ClassSet, Template, TemplateSet, WordList, load_set

#: A sentence with [TARGET] and [ATTRIBUTE], several, or a template set (its name, its TOML file, itself).
Templates: TypeAlias = str | PathLike[str] | Sequence[str] | TemplateSet
#: Target sets: words, lists of words, words by name, or the name of a class set.
Targets: TypeAlias = str | PathLike[str] | Mapping[str, Iterable[str]] | Sequence[Any]


@dataclass(frozen=True)
class Prompt:
    """A template, and for each target set the words that go with it."""

    text: str
    targets: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Asked:
    """What a model is scored on except attributes: templates with their targets, target sets, their source."""

    prompts: tuple[Prompt, ...]
    targets: tuple[WordList, ...]
    source: str
    chosen: TemplateSet | None


def asked(template: Templates, targets: Targets | None) -> Asked:
    """Put templates and targets together; a template set brings its own targets, unless others are given.

    >>> a = asked("[TARGET] is a [ATTRIBUTE].", [["he"], ["she"]])
    >>> a.prompts[0].targets, [group.name for group in a.targets]
    ((('he',), ('she',)), ['he', 'she'])
    >>> asked("career-family", None).prompts[1].targets
    (('boys', 'men'), ('girls', 'women'))
    """
    if isinstance(template, str) and " " in template and "[" not in template:
        raise MeasureError(f"the template {template!r} has no [TARGET] and [ATTRIBUTE]; write both into the sentence.")
    chosen = _template_set(template)
    templates = chosen.templates if chosen else _templates(template)
    if targets is None and chosen is None:
        raise MeasureError('no targets were given; give two sets of words, such as targets=(["he"], ["she"]).')
    lists, source = target_lists(targets) if targets is not None else ((), "")
    if chosen is not None:
        source = f"{chosen.id} {source}".strip()
        prompts = [Prompt(t.text, (() if lists else t.targets)) for t in templates]
        lists = lists or chosen.targets
    else:
        prompts = [Prompt(t.text, ()) for t in templates]
    whole = tuple(group.words for group in lists)
    filled = tuple(Prompt(p.text, p.targets or whole) for p in prompts)
    for prompt in filled:
        if empty := [group.name for group, words in zip(lists, prompt.targets, strict=True) if not words]:
            raise MeasureError(f"the template {prompt.text!r} has no target word for '{empty[0]}'.")
    return Asked(filled, lists, source, chosen)


def _template_set(template: Any) -> TemplateSet | None:
    if isinstance(template, TemplateSet):
        return template
    if isinstance(template, PathLike) or (
        isinstance(template, str) and not any(slot in template for slot in (TARGET, ATTRIBUTE))
    ):
        return load_set(template, TemplateSet)
    return None


def _templates(template: Any) -> tuple[Template, ...]:
    texts = [template] if isinstance(template, str) else template
    if not isinstance(texts, Iterable):
        raise MeasureError(f"template={template!r:.60} is not a template; it needs [TARGET] and [ATTRIBUTE].")
    found = tuple(Template(text) for text in dict.fromkeys(checked_words(texts)))
    if not found:
        raise MeasureError("no template was given; give a sentence with [TARGET] and [ATTRIBUTE].")
    return found


def target_lists(targets: Targets) -> tuple[tuple[WordList, ...], str]:
    """Return two or more target sets, no word in two of them, and the id of what they come from.

    >>> [group.words for group in target_lists(["he", ["boys", "men"]])[0]]
    [('he',), ('boys', 'men')]
    >>> [group.name for group in target_lists("gender-three")[0]]
    ['male', 'female', 'gay']
    """
    if isinstance(targets, str | PathLike):
        chosen = load_set(targets, ClassSet)
        lists, source = chosen.classes, chosen.id
    elif isinstance(targets, Iterable):
        items = targets.items() if isinstance(targets, Mapping) else [(None, item) for item in targets]
        lists, source = tuple(_target_list(name, item) for name, item in items), "own"
    else:
        raise MeasureError(f"targets={targets!r:.60} are not targets; give two or more sets of words.")
    if len(lists) < 2:
        raise MeasureError(f"only {plural(len(lists), 'target set')} given; at least two are needed.")
    _check_distinct(lists)
    return lists, source


def _target_list(name: str | None, item: Any) -> WordList:
    if isinstance(item, WordList):
        return item
    words = tuple(word.strip() for word in checked_words([item] if isinstance(item, str) else item))
    return WordList(name or " + ".join(words) or "empty", words)


def _check_distinct(lists: Sequence[WordList]) -> None:
    home: dict[str, str] = {}
    if len({group.name for group in lists}) < len(lists):
        raise MeasureError("two target sets have the same name; give each its own.")
    for group in lists:
        if not group.words:
            raise MeasureError(f"the target set '{group.name}' has no words; give at least one.")
        for word in group.words:
            if word in home:
                raise MeasureError(f"'{word}' is in '{home[word]}' and in '{group.name}'; it must be in one only.")
            home[word] = group.name
