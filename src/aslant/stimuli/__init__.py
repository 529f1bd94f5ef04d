"""Stimuli: word sets, pairs, templates, class sets and name tables, all of them data."""

from __future__ import annotations

from aslant.stimuli.first_names import FirstName, first_names
from aslant.stimuli.loading import KINDS, all_sets, kind_of, load_set, names, parse_set, read_set, text_of
from aslant.stimuli.name_files import NameFacts, NameTable, bundled_names, named, read_names
from aslant.stimuli.schema import (
    ClassSet,
    HumanFinding,
    PairSet,
    PublishedValue,
    StimulusSet,
    Template,
    TemplateSet,
    WeatSet,
    WeatTemplateSet,
    WordList,
    WordSet,
)
from aslant.stimuli.sentences import Article, SentenceSet, WordKind, own_sentences
from aslant.stimuli.word_rules import DEFAULT_POLES, MOST_FREQUENT, is_plain, listed_words

__all__ = [
    "DEFAULT_POLES",
    "KINDS",
    "MOST_FREQUENT",
    "Article",
    "ClassSet",
    "FirstName",
    "HumanFinding",
    "NameFacts",
    "NameTable",
    "PairSet",
    "PublishedValue",
    "SentenceSet",
    "StimulusSet",
    "Template",
    "TemplateSet",
    "WeatSet",
    "WeatTemplateSet",
    "WordKind",
    "WordList",
    "WordSet",
    "all_sets",
    "bundled_names",
    "first_names",
    "is_plain",
    "kind_of",
    "listed_words",
    "load_set",
    "named",
    "names",
    "own_sentences",
    "parse_set",
    "read_names",
    "read_set",
    "text_of",
]
