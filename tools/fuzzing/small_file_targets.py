"""Targets: files that are read whole: word sets, policies, data entries, names, GAP, sentences, lists, answers."""

from __future__ import annotations

import dataclasses
import io
import math
import os
import tarfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from fuzzing.made_up import made_up
from fuzzing.mutation import TEXTS, as_json, as_toml, mutated_tree
from fuzzing.targets import ABSENT, Target, demand, written

COMMON: dict[str, Any] = {
    "title": "A set", "category": "gender", "language": "en", "licence": "own", "citation": "nobody", "note": "é",
}  # fmt: skip
LISTS = [{"name": "one", "words": ["he", "him"]}, {"name": "two", "words": ["she", "her"]}]
SETS: dict[str, dict[str, Any]] = {
    "weat": {
        "targets": LISTS, "attributes": LISTS,
        "published": [{"representation": "r", "effect_size": 1.5, "reference": "p"}],
        "human": {"reference": "x", "effect_size": 0.5, "participants": 9, "pvalue": 0.01},
    },
    "pairs": {"poles": ["female", "male"], "pairs": [["she", "he"], ["woman", "man"]]},
    "words": {"columns": ["word", "share"], "rows": [["clerk", 40.5], ["nurse", 90]], "column_notes": {"share": "%"}},
    "classes": {"classes": LISTS},
    "templates": {
        "templates": [{"text": "[TARGET] is a [ATTRIBUTE].", "targets": [["he"], ["she"]]}], "targets": LISTS,
        "attributes": LISTS,
    },
    "weat-templates": {"tests": [{"test": "weat-1", "templates": ["[TARGET] is [ATTRIBUTE]", "[ATTRIBUTE] [TARGET]"]}]},
    "sentences": {
        "kinds": [
            {"name": "name", "sentences": ["This is {word}."], "words": ["Ann"]},
            {"name": "noun", "sentences": ["{a} {word}.", "Two {plural}."], "words_with_plurals": [["cat", "cats"]]},
        ],
        "other": "noun", "capitalised": "name",
        "article": {"usual": "a", "before_vowel": "an", "vowels": "aeiou", "exceptions": {"hour": "an"}},
    },
}  # fmt: skip
PUBLISHED: dict[str, Any] = {
    side: {"category": f"Some{side}", "examples": [f"{side} one", f"{side}-two", "Both"]}
    for side in ("targ1", "targ2", "attr1", "attr2")
}
POLICY: dict[str, Any] = {
    "name": "mine", "allow_failed": False, "rule": [
        {
            "name": "a", "measure": "w*", "max": 0.8, "absolute": True, "only_if_qvalue_below": 0.05,
            "category": ["x", "g?"],
        },
        {"name": "b", "measure": "*", "field": "count_significant", "max": 3, "alpha": 0.1, "optional": True},
        {"name": "c", "measure": "*", "field": "difference", "min": -1.0, "max": 1.0, "model": "*"},
    ],
}  # fmt: skip
ENTRY: dict[str, Any] = {
    "title": "Data", "kind": "vectors", "licence": "own", "citation": "nobody", "folder": "mine",
    "architecture": {"model_type": "bert", "hidden_size": 768}, "sources": [
        {"package": "data==1.0", "files": [{"name": "a.txt", "size": 3, "sha256": "0" * 64, "member": "m/a.txt"}]},
        {"url": "https://example.org/a.zip", "files": [{"name": "a.txt", "member": "a.txt"}]},
        {"by_hand": "ask", "files": [{"name": "b/c.txt"}], "inside": "x"},
    ],
}  # fmt: skip


def toml_target(name: str, covers: str, tree: dict[str, Any], run: Callable[[bytes, Path], str]) -> Target:
    """Return a target whose input is TOML like `tree`."""
    keys = (f"{key} = ".encode() for key in tree)
    tokens = (*keys, b"[[", b"]]", b"inf", b"nan", b"1979-05-27", b'"""', b"''")
    seeds = lambda: [as_toml(tree)]  # noqa: E731
    return Target(name, ("aslant.io.reading", covers), seeds, run, lambda c: as_toml(mutated_tree(tree, c)), tokens)


def finite(content: Any) -> bool:
    """Tell whether all numbers in plain data, structs and dataclasses are finite."""
    if isinstance(content, float):
        return math.isfinite(content)
    if isinstance(content, dict):
        return all(map(finite, content.values()))
    if isinstance(content, list | tuple):
        return all(map(finite, content))
    names = getattr(content, "__struct_fields__", None)
    if names is None and dataclasses.is_dataclass(content):
        names = [field.name for field in dataclasses.fields(content)]
    return all(finite(getattr(content, name)) for name in names or ())


def _set(data: bytes, folder: Path) -> str:
    from aslant.stimuli.loading import kind_of, read_set

    found = read_set(written(folder, "mine.toml", data))
    demand(finite(found), "a number of a set is not finite")
    demand(all(isinstance(word, str) and word.strip() for word in found.words), "a set has an empty word")
    kind = kind_of(found)
    if kind == "sentences":
        for word in (*found.words, "other", "Other", ""):
            found.sentences_of(word)  # type: ignore[union-attr]
    if kind == "words":
        for column in found.columns[1:]:  # type: ignore[union-attr]
            found.column(column)  # type: ignore[union-attr]
    return f"accepted ({kind})"


def _own_lists(name: str) -> Callable[[bytes, Path], str]:
    def run(data: bytes, folder: Path) -> str:
        import warnings

        from aslant.stimuli.loading import kind_of
        from aslant.stimuli.own_lists import is_lists, own_set

        path = written(folder, name, data)
        if not is_lists(path):
            return ABSENT
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = own_set(path)
        demand(finite(found), "a number of a set is not finite")
        demand(bool(found.words) and all(word.strip() for word in found.words), "a list has an empty word")
        return f"accepted ({kind_of(found)})"

    return run


LONG = b"group,word,role\na,rose,target\nb,ant,target\nc,love,attribute\nd,war,attribute\n"
OWN_JSON = b'{"old": ["aged"], "young": ["youth"]}'
FIGURES = b"word;share\nnurse;0.9\nclerk;1e3\n"


def _published(data: bytes, folder: Path) -> str:
    from aslant.stimuli import parse_set
    from aslant.stimuli.published_tests import as_toml, read_tests

    for found in read_tests(written(folder, "de.json", data)):
        sides = [set(map(str.casefold, group.words)) for group in found.groups]
        demand(all(sides) and not sides[0] & sides[1] and not sides[2] & sides[3], "two sides of a test share a word")
        demand(parse_set(as_toml(found), "mine").words == found.words, "a test cannot be written as TOML")
    return "accepted"


def _translations(data: bytes, folder: Path) -> str:
    from aslant.stimuli import suite_sets
    from aslant.stimuli.published_tests import translated_tests

    found = translated_tests(written(folder, "vocab_en_de.csv", data), "de", suite_sets())
    demand(all(group.words for test in found for group in test.groups), "a test has an empty set")
    return f"accepted ({len(found)})"


DESCRIPTORS = b'{"religion": {"all": ["Hindu", {"descriptor": "Sunni", "preference": "reviewed"}, "Roman Catholic"]}}'


BENCH = as_json({
    "panel": "weat", "model": 0, "draft": True, "seed": 3, "words": ["nurse"], "classes": [],
    "targets": [{"name": "old", "words": ["aged", "elderly"]}, {"name": "young", "words": ["teen", "youth"]}],
    "attributes": [{"name": "a", "words": ["slow"]}, {"name": "b", "words": ["quick"]}],
})  # fmt: skip


def _request(data: bytes, _folder: Path) -> str:
    from aslant.explore.asked import BenchRequest, read

    asked = read(data, BenchRequest)
    words = [word for group in (*asked.targets, *asked.attributes, *asked.classes) for word in group.words]
    demand(all(ord(c) >= 32 for word in words for c in word), "a word controls something")
    return f"accepted ({asked.panel})"


def _descriptors(data: bytes, folder: Path) -> str:
    from aslant.stimuli.descriptor_sets import descriptor_set

    found = descriptor_set(f"{written(folder, 'descriptors.json', data)}/religion")
    demand(all(word.split() == [word] for word in found.words), "a word is empty, or several")
    return "accepted"


@cache
def _report() -> Any:
    from aslant.results.audit import AuditComparison

    return made_up(AuditComparison)


def _policy(data: bytes, folder: Path) -> str:
    from aslant.auditing.policy import check_policy, read_policy
    from aslant.report.audit import junit

    check = check_policy(_report(), read_policy(written(folder, "policy.toml", data)))
    junit(check)
    return "accepted" if check.to_json() else ""


def _entry(data: bytes, folder: Path) -> str:
    from aslant.data.fetching import what_to_do
    from aslant.data.registry import did_you_mean, entry

    written(folder, "mine.toml", data)
    os.environ["ASLANT_REGISTRY"] = str(folder)
    try:
        found = entry("mine")
        did_you_mean("mime")
        what_to_do(found)
    finally:
        del os.environ["ASLANT_REGISTRY"]
    for source in found.sources:
        for file in source.files:
            inside = (folder / file.name).resolve()
            demand(inside.is_relative_to(folder.resolve()), "a file of an entry lies outside its folder")
            found.checksums(file.name)
    return f"accepted ({found.size is None})"


def _names(name: str) -> Callable[[bytes, Path], str]:
    def run(data: bytes, folder: Path) -> str:
        from aslant.stimuli.name_files import read_names

        found = read_names(written(folder, name, data))
        demand(all(isinstance(each, str) and each.strip() for each in found.names), "an empty name")
        demand(finite([list((f.share_by_race or {}).values()) for f in found.facts.values()]), "a share is not finite")
        return f"accepted ({found.id == 'census surnames'})"

    return run


CENSUS = (
    b"name,rank,count,pctwhite,pctblack,pctapi,pctaian,pct2prace,pcthispanic\n"
    b"SMITH,1,2442977,70.9,23.11,0.5,0.89,2.19,2.4\nMCDONALD,2,1932812,58.97,34.63,(S),(S),2.56,2.36\n"
)


def _parquet() -> list[bytes]:
    import polars as pl

    tables = ({"name": ["Ann", "Bob"], "n": [5000, 4000]}, {"name": ["Ann"], "n": [5000], "sex": ["F"]})
    packed = []
    for table in tables:
        for way in ("uncompressed", "zstd"):
            file = io.BytesIO()
            pl.DataFrame(table).write_parquet(file, compression=way)  # type: ignore[arg-type]
            packed.append(file.getvalue())
    return packed


def _made_parquet(chance: Random) -> bytes:
    """Write sound tables of odd columns and types."""
    import polars as pl

    values: tuple[Any, ...] = (
        ["Ann", None], [1, 2], [None, None], [[1], [2]], [b"\xff", b"x"], [True, False], [1e308, math.nan],
        [2**62, 2**62], [math.inf, 1.0], ["", " "],
    )  # fmt: skip
    columns = chance.sample(("name", "n", "x", "Name"), chance.randrange(1, 4))
    frame = pl.DataFrame({column: chance.choice(values) for column in columns}, strict=False)
    file = io.BytesIO()
    frame.write_parquet(file)
    return file.getvalue()


GAP_TOKENS = (
    b"\t",
    b"\tTRUE\t",
    b"\tFALSE\t",
    b"she",
    b"\n",
    b"\r\n",
    b"Pronoun-offset",
    b"99999999999999999999",
    b"-1",
)


def _gap_seeds() -> list[bytes]:
    from aslant.measures.pronouns_resolved.gap_files import COLUMNS

    rows = (
        ["d-1", "Ann met Eve; she left.", "she", "13", "Ann", "0", "TRUE", "Eve", "8", "FALSE", "http://x"],
        ["d-2", "Bob saw Jim and his dog é.", "his", "16", "Bob", "0", "FALSE", "Jim", "8", "FALSE", ""],
    )  # fmt: skip
    return ["\n".join("\t".join(row) for row in (COLUMNS, *rows)).encode() + b"\n"]


def _gap(data: bytes, folder: Path) -> str:
    from aslant.measures.pronouns_resolved.gap_files import read_gap

    samples, _ = read_gap(written(folder, "gap.tsv", data))
    demand(all(len(sample.passage.words) == 3 for sample in samples), "a sample lacks its words")
    return "accepted"


WINOBIAS = (
    b"1 [The mechanic] met the clerk because [he] was late.\n2 The cook met [the nurse] and thanked [her].\n"
    b"3 [The guard] saw [his] dog and [he] ran.\n"
)


def _winobias(data: bytes, folder: Path) -> str:
    from aslant.stimuli.pronoun_sets import read_winobias

    written(folder, "pro_stereotyped_type1.txt.dev", data)
    alone = read_winobias(folder / "pro_stereotyped_type1.txt.dev")
    written(folder, "anti_stereotyped_type1.txt.dev", WINOBIAS.replace(b"[he]", b"[she]").replace(b"[his]", b"[her]"))
    try:
        both = read_winobias(folder, "dev")
    finally:
        (folder / "anti_stereotyped_type1.txt.dev").unlink()
    for item in (*alone.items, *both.items):
        demand(all(text.shown for text in item.texts), "a sentence shows nothing")
    return "accepted"


SENTENCE_PAIRS = (
    b'sent_more,sent_less,bias_type,stereo_antistereo\n"Old men, who slept.",Young men slept.,age,stereo\nA b,A c,x,\n'
)
STEREOSET = (
    b'{"data": {"intersentence": [{"id": "a", "target": "t", "bias_type": "race", "context": "I know.", "sentences": '
    b'[{"sentence": "A b.", "gold_label": "stereotype"}, {"sentence": "A c.", "gold_label": "anti-stereotype"}, '
    b'{"sentence": "A d.", "gold_label": "unrelated"}]}], "intrasentence": []}}'
)
BEC_PRO = (
    b"\tSentence\tTemplate\tPerson\tGender\tProfession\tProf_Gender\n0\tHe is a cook.\t<p> is a <j>.\tHe\tmale\tcook\t"
    b"male\n1\tShe is a cook.\t<p> is a <j>.\tShe\tfemale\tcook\tmale\n"
)


def _sentence_pairs(name: str) -> Callable[[bytes, Path], str]:
    def run(data: bytes, folder: Path) -> str:
        from aslant.measures.paired_sentences.measure import pair_set

        found = pair_set(written(folder, name, data))
        demand(len({pair.id for pair in found.pairs}) == len(found.pairs) > 0, "pairs have no names of their own")
        demand(all(pair.more and pair.less and pair.cluster for pair in found.pairs), "a pair lacks a sentence")
        return "accepted"

    return run


SENTENCES = (
    b"sentid\tsentence\ntechnician.customer.1.male.txt\tThe technician told the customer that he could pay.\n"
    b"technician.customer.1.female.txt\tThe technician told the customer that she could pay.\n"
    b"technician.customer.1.neutral.txt\tThe technician told the customer that they could pay.\n"
)
SHARES = b"occupation\tbls_pct_female\nclerk\t50\ntechnician\t40.5\n"


def _winogender(mutates: str) -> Callable[[bytes, Path], str]:
    def run(data: bytes, folder: Path) -> str:
        from aslant.stimuli.pronoun_sets import SENTENCES as FIRST
        from aslant.stimuli.pronoun_sets import STATISTICS, read_winogender

        written(folder, FIRST, data if mutates == "sentences" else SENTENCES)
        written(folder, STATISTICS, data if mutates == "shares" else SHARES)
        found = read_winogender(folder)
        demand(finite(dict(found.shares)), "a share is not finite")
        return "accepted" if all(text.shown for item in found.items for text in item.texts) else "nothing shown"

    return run


DESCRIPTORS = b'{"age": {"": ["old", {"descriptor": "young", "preference": "reviewed", "article": "a"}]}}'
NOUNS = b'{"neutral": [["person", "people"], ["kid", "kids"]]}'
TEMPLATES = b'{"I am {noun_phrase}.": {}, "I like {plural_noun_phrase}.": {"must_be_noun": true}}'


def _holistic(mutates: int) -> Callable[[bytes, Path], str]:
    def run(data: bytes, folder: Path) -> str:
        from aslant.measures.descriptors.stimuli import FILES, read_holistic_bias

        for place, good in enumerate((DESCRIPTORS, NOUNS, TEMPLATES)):
            written(folder, FILES[place], data if place == mutates else good)
        found = read_holistic_bias(folder)
        phrases = [d.phrase(noun, plural=True) for d in found.descriptors for noun in found.nouns]
        demand(all(phrase.strip() for phrase in phrases), "an empty phrase")
        return "accepted"

    return run


QUESTIONS = (
    b'{"example_id": 0, "question_index": "1", "question_polarity": "neg", "context_condition": "ambig", '
    b'"category": "Age", "answer_info": {"ans0": ["a", "old"], "ans1": ["b", "young"], "ans2": ["c", "unknown"]}, '
    b'"context": "Ann met Eve.", "question": "Who?", "ans0": "Ann", "ans1": "Eve", "ans2": "Unknown", "label": 2}\n'
)
BIASED = b"category,example_id,target_loc\nAge,0,0\n"


def _bbq(mutates: str) -> Callable[[bytes, Path], str]:
    def run(data: bytes, folder: Path) -> str:
        from aslant.measures.questions.stimuli import METADATA, read_bbq

        written(folder, "Age.jsonl", data if mutates == "questions" else QUESTIONS)
        written(folder, METADATA, data if mutates == "biased" else BIASED)
        for question in read_bbq(folder).questions:
            demand(len(set(question.answers)) == 3 and question.biased != question.unknown, "answers are mixed up")
        return "accepted"

    return run


WRITTEN = (
    b'{"prompt_id":"a/0","group":"a","continuation":"She slept.","source":null,"seed":7}\n{"continuation":"x"}\n',
    b'text,group,prompt\n"She, too.",a,p\nHe left.,b,q\n',
)
PROMPTS = b'{"a":{"one":["One is ","Two are "]},"b":{}}'


def _texts(data: bytes, folder: Path) -> str:
    from aslant.measures.generated_texts.texts import texts_of

    for text in texts_of(written(folder, "texts.jsonl" if data[:1] == b"{" else "texts.csv", data)):
        demand(bool(text.group) and text.source != "", "an empty group or source")
    return "accepted"


def _bold(mutates: str) -> Callable[[bytes, Path], str]:
    def run(data: bytes, folder: Path) -> str:
        from aslant.measures.generated_texts.writing import read_bold

        for part in ("prompts", "wikipedia"):
            (folder / part).mkdir(exist_ok=True)
        written(folder, "prompts/gender_prompt.json", data if mutates == "prompts" else PROMPTS)
        written(folder, "wikipedia/gender_wiki.json", data if mutates == "sentences" else PROMPTS)
        for prompt in read_bold(folder):
            demand(bool(prompt.beginning.strip()) and prompt.source != "", "an empty prompt or source")
        return "accepted"

    return run


ATTRIBUTES = (b"salary\tjob_title\n10\tclerk\n20\tnurse\n", b"clerk\nnurse\n", b'a,word\n"x, y",z\n')
PAIRS = b"# a comment\nking\tqueen\t8.6\ncar\t\ttrain\t6\n"
STAMPS = b'{"a.txt":{"size":3,"mtime_ns":5,"sha256":"00"}}'


def _attributes(data: bytes, folder: Path) -> str:
    from aslant.measures.template_tests.stimuli import read_attributes

    words = read_attributes(written(folder, "jobs.csv" if len(data) % 2 else "jobs.txt", data))
    demand(all(word.strip() for word in words), "an empty attribute")
    return "accepted"


def _vocabulary(data: bytes, folder: Path) -> str:
    from aslant.models.vocabulary import open_vocabulary

    known = open_vocabulary(written(folder, "vocab.txt", data).parent)
    demand(not known.has(""), "an empty word")
    return f"accepted ({known.has('John')})"


def _pairs(data: bytes, folder: Path) -> str:
    from aslant.measures.similarities.measure import read_pairs

    found = read_pairs(written(folder, "pairs.tsv", data))
    demand(all(math.isfinite(pair.rating) and pair.first and pair.second for pair in found), "a bad pair")
    return f"accepted ({bool(found)})"


def _table_of_scores(data: bytes, folder: Path) -> str:
    from aslant.replicate.framework import Run
    from aslant.replicate.kurita import LIST_SCORES, WEAT_SCORES, _pooled, _stored

    written(folder, WEAT_SCORES, data)
    written(folder, LIST_SCORES, data)
    value = _pooled(Run(0), folder, name="career_family").value
    demand(value is None or math.isfinite(value), "an effect is not finite")
    return f"accepted ({math.isfinite(_stored(Run(0), folder, name='skills').value or 0.0)})"


SCORES = (
    b"test\tside\tdifference\tset\tbias_prior_corrected_as_in_code\ncareer_family\tA\t0.5\tskills\t0.5\n"
    b"career_family\tA\t1.5\tskills\t-0.5\ncareer_family\tB\t0.25\tskills\t0\ncareer_family\tB\t0.75\tskills\t1\n"
)


def _stamps(data: bytes, folder: Path) -> str:
    from aslant.data.verifying import read_stamps

    found = read_stamps(written(folder, ".verified.json", data))
    return f"{len(found)} stamps" if found else "absent"


@cache
def _archives() -> tuple[bytes, ...]:
    packed = []
    for mode in ("w", "w:gz", "w:bz2", "w:xz"):
        file = io.BytesIO()
        with tarfile.open(fileobj=file, mode=mode) as archive:  # type: ignore[call-overload]
            info = tarfile.TarInfo("m/a.txt")
            info.size = 3
            archive.addfile(info, io.BytesIO(b"abc"))
        packed.append(file.getvalue())
    from attacks import zip_of

    return *packed, zip_of({"m/a.txt": b"abc", "b": b"x"}, {"link": "/etc/passwd"})


def _made_archive(chance: Random) -> bytes:
    """Change fields of a member's header in a tar file and set its checksum right again."""
    data = bytearray(_archives()[0])
    for _ in range(chance.randrange(1, 4)):
        start, size = chance.choice(
            ((0, 100), (100, 8), (108, 8), (124, 12), (136, 12), (156, 1), (157, 100), (257, 8))
        )
        text = chance.choice(
            (
                b"77777777777",
                b"-1",
                b"\xff" * 12,
                b"\x80" + b"\xff" * 11,
                b"0",
                b"1",
                b"2",
                b"x",
                b"g",
                b"S",
                b"L",
                *TEXTS,
            )
        )
        data[start : start + size] = text[:size].ljust(size, b"\0")
    data[148:156] = b" " * 8
    data[148:156] = b"%06o\0 " % sum(data[:512])
    return bytes(data)  # fmt: skip


def _archive(data: bytes, folder: Path) -> str:
    from aslant.data.receiving import Meter, take_out
    from aslant.data.registry import File

    out = folder / "out"
    out.mkdir(exist_ok=True)
    try:
        take_out(written(folder, "archive", data), (File("a.txt", size=3, member="m/a.txt"),), out, Meter(None), "it")
        demand((out / "a.txt").stat().st_size == 3, "what came out has another size")
    finally:
        demand({each.name for each in out.iterdir()} <= {"a.txt"}, "an archive wrote another file")
        (out / "a.txt").unlink(missing_ok=True)
    return "accepted"


def _lines(*lines: str) -> Callable[[], Sequence[bytes]]:
    return lambda: ["\n".join(lines).encode()]


def targets() -> Sequence[Target]:
    """Return the targets of this file."""
    names, stimuli, data = "aslant.stimuli.name_files", "aslant.stimuli.", "aslant.data."
    return (
        *(
            toml_target(f"word set ({kind})", "aslant.stimuli.loading", {"kind": kind, **COMMON, **tree}, _set)
            for kind, tree in SETS.items()
        ),
        Target(
            "published tests", ("aslant.io.reading", stimuli + "published_tests"),
            lambda: [as_json(PUBLISHED), as_json({"weat6": PUBLISHED, "weat17": PUBLISHED})], _published,
            lambda chance: as_json(mutated_tree({"weat6": PUBLISHED}, chance)), (b'"examples"', b"[", b"null"),
        ),
        Target(
            "translations", (stimuli + "published_tests",),
            lambda: [b"brother,Bruder,\nsister,Schwester,\nmath,Mathe,\nart,Kunst,\nhe,er,\nshe,sie,\n"],
            _translations, tokens=(b",", b'"', b"\n"),
        ),
        toml_target("policy", "aslant.auditing.policy", POLICY, _policy),
        toml_target("data entry", "aslant.data.registry", ENTRY, _entry),
        Target("names .txt", (names,), _lines("Ann", "Bob, Eve;Zoë", ""), _names("names.txt")),
        Target("names .csv", (names,), lambda: [CENSUS, b"name;x\nAnn;1\n", b"Name\nBob\n"], _names("names.csv")),
        Target("names .parquet", (names,), _parquet, _names("names.parquet"), _made_parquet),
        Target("GAP", ("aslant.measures.pronouns_resolved.gap_files",), _gap_seeds, _gap, tokens=GAP_TOKENS),
        Target(
            "WinoBias", (stimuli + "pronoun_sets",), lambda: [WINOBIAS], _winobias,
            tokens=(b"[", b"]", b"[he]", b"[she]", b"1 "),
        ),
        Target(
            "Winogender sentences", (stimuli + "pronoun_sets",), lambda: [SENTENCES], _winogender("sentences"),
            tokens=GAP_TOKENS,
        ),
        Target("Winogender shares", (stimuli + "pronoun_sets",), lambda: [SHARES], _winogender("shares")),
        *(
            Target(f"HolisticBias {name}", ("aslant.measures.descriptors.stimuli",), lambda good=good: [good],
                   _holistic(place))
            for place, (name, good) in enumerate(
                {"descriptors": DESCRIPTORS, "nouns": NOUNS, "templates": TEMPLATES}.items()
            )
        ),
        Target("BBQ questions", ("aslant.measures.questions.stimuli",), lambda: [QUESTIONS], _bbq("questions")),
        Target("BBQ biased answers", ("aslant.measures.questions.stimuli",), lambda: [BIASED], _bbq("biased")),
        Target("texts", ("aslant.measures.generated_texts.texts",), lambda: WRITTEN, _texts),
        *(
            Target(f"BOLD {part}", ("aslant.measures.generated_texts.writing",), lambda: [PROMPTS], _bold(part))
            for part in ("prompts", "sentences")
        ),
        Target("sentence pairs", (stimuli + "pair_sets",), lambda: [SENTENCE_PAIRS], _sentence_pairs("mine.csv")),
        Target("StereoSet", (stimuli + "pair_sets",), lambda: [STEREOSET], _sentence_pairs("dev.json")),
        Target(
            "BEC-Pro", (stimuli + "pair_sets",), lambda: [BEC_PRO], _sentence_pairs("BEC-Pro_EN.tsv"),
            tokens=GAP_TOKENS,
        ),
        Target("attributes", ("aslant.measures.template_tests.stimuli",), lambda: ATTRIBUTES, _attributes),
        Target("vocabulary", ("aslant.models.vocabulary",), _lines("[UNK]", "john", "##s", "é", ""), _vocabulary),
        Target("rated pairs", ("aslant.measures.similarities.measure",), lambda: [PAIRS], _pairs, tokens=GAP_TOKENS),
        Target("authors' scores", ("aslant.replicate.kurita",), lambda: [SCORES], _table_of_scores, tokens=GAP_TOKENS),
        Target("own lists .csv", (stimuli + "own_lists",), lambda: [LONG, FIGURES], _own_lists("mine.csv")),
        Target("own lists .txt", (stimuli + "own_lists",), _lines("old: aged", "rose", ""), _own_lists("m.txt")),
        Target("own lists .json", (stimuli + "own_lists",), lambda: [OWN_JSON], _own_lists("mine.json")),
        Target("request of the page", ("aslant.explore.asked",), lambda: [BENCH], _request, tokens=(b"[", b"{")),
        Target("descriptors", (stimuli + "descriptor_sets",), lambda: [DESCRIPTORS], _descriptors),
        Target("stamps", (data + "verifying",), lambda: [STAMPS], _stamps, never_refuses=True),
        Target("archives of data", (data + "receiving",), _archives, _archive, _made_archive),
    )  # fmt: skip
