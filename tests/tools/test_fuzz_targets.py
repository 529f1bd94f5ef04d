"""Every reader of outside bytes has a target, and every target keeps its promises on damaged input."""

from __future__ import annotations

import ast
import pkgutil
from importlib.util import find_spec
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import aslant
from fuzzing.judging import Inputs, judge, witnessed
from fuzzing.result_targets import trees
from fuzzing.small_file_targets import SETS
from fuzzing.table import every_target
from fuzzing.targets import Target

SOURCE = Path(aslant.__file__).parent
TARGETS = every_target()
COVERED = {module for target in TARGETS.values() for module in target.covers}
#: What a module calls that takes in bytes from outside.
READS = {
    "read_bytes", "read_text", "open", "open_stream", "load", "loads", "open_memmap", "memmap", "mmap", "reader",
    "DictReader", "File", "safe_open", "ZipFile", "decode", "read_parquet", "scan_parquet", "read_csv", "basic_parse",
    "genops", "parse_json", "parse_toml", "fromfile",
}  # fmt: skip
#: Objects whose `load`, `open`, `decode` … reads no file of a stranger's, or by way of a module below (`reading.open`).
PLAIN = {"os", "aslant", "codecs", "reading"}
#: Modules that read, and what: nothing from outside, or by way of a reader that has a target.
ELSEWHERE = {
    "aslant.auditing.many_models": "by aslant.vectors.loading, aslant.corpus and aslant.models",
    "aslant.debias.check": "embeddings that were loaded",
    "aslant.debias.encoders": "by aslant.models.sentence_modules",
    "aslant.cli.audit": "by aslant.cli.audit_run",
    "aslant.cli.audit_many": "audits that its own workers made",
    "aslant.measures.sentence_tests.command": "by aslant.corpus and aslant.models",
    "aslant.measures.shared.open_subject": "by aslant.vectors.loading and aslant.models",
    "aslant.measures.in_context.command": "by aslant.corpus and aslant.models",
    "aslant.measures.cooccurrences.command": "by aslant.corpus",
    "aslant.cli.encoders": "by aslant.corpus and aslant.models",
    "aslant.cli.shared": "by aslant.vectors.loading",
    "aslant.measures.template_tests.command": "by aslant.models",
    "aslant.measures.pronouns_chosen.command": "by aslant.models",
    "aslant.measures.descriptors.command": "by aslant.models",
    "aslant.measures.questions.command": "by aslant.models",
    "aslant.measures.generated_texts.command": "by aslant.models, aslant.vectors and its own modules",
    "aslant.measures.generated_texts.measure": "the bundled sample",
    "aslant.models.generation": "tokens that a model drew",
    "aslant.measures.pronouns_resolved.command": "by aslant.models",
    "aslant.measures.paired_sentences.command": "by aslant.models and aslant.stimuli.pair_sets",
    "aslant.cli.words": "by aslant.stimuli.loading",
    "aslant.cli.cite": "results, by aslant.results.codec",
    "aslant.cli.explain": "a file that ships",
    "aslant.models.memory": "what the system says of its memory, and the sizes of files",
    "aslant.models.server_lm": "by aslant.models.server_answers",
    "aslant.models.server_client": "JSON of a server, which aslant.models.server_answers and server_encoder check",
    "aslant.statistics.compiled": "machine code that numba has kept in a folder of this user's, and numba reads",
    "aslant.data.downloads": "the network, by checksum, what pip says, and archives by aslant.data.receiving",
    "aslant.io.files": "writes only",
    "aslant.measures.in_context.measure": "by aslant.corpus",
    "aslant.training.command": "standard input as text, by aslant.corpus",
    "aslant.training.running": "vectors of its own, by aslant.vectors.loading",
    "aslant.training.train": "by aslant.corpus",
    "aslant.measures.polarities.trend": "by aslant.vectors.loading",
    "aslant.models.encoder": "what transformers made of a tokenizer",
    "aslant.models.loading": "by aslant.models.elmo_files and aslant.models.model_loading",
    "aslant.models.onnx_encoder": "files by onnxruntime, settings by aslant.models.sentence_modules",
    "aslant.models.sentence_transformers_encoder": "what transformers made of a tokenizer",
    "aslant.models.network": "models of this process, or of the one that started it",
    "aslant.models.sample": "a file that ships",
    "aslant.io.memory_maps": "maps that are open already, to give their pages back",
    "aslant.replicate.framework": "files that ship, and others by the readers of each paper",
    "aslant.replicate.lu": "by the reader of vectors",
    "aslant.replicate.swinger": "a file that ships",
    "aslant.report.offensive_words": "a file that ships",
    "aslant.catalogue": "files that ship",
    "aslant.measures.histories.sources": "by aslant.vectors.loading, and JSON by aslant.io.reading",
    "aslant.results.citing": "a file that ships",
    "aslant.explore.application": "files that ship, and requests by aslant.explore.asked",
    "aslant.explore.reading_files": "by aslant.stimuli.loading, and the size of a spreadsheet by zipfile",
    "aslant.models.spelling": "what tokenizers made of themselves",
    "aslant.report.drawing": "files that ship, and what they make of our own charts",
    "aslant.auditing.runs": "settings of its own",
    "aslant.auditing.rerunning": "results, by aslant.results.codec",
    "aslant.cli.card": "text, by aslant.io.reading",
    "aslant.cli.standard_input": "bytes that it keeps for the reader of a file",
    "aslant.measures.enumeration.survey_pages": "files that ship",
    "aslant.report.html": "files that ship",
    "aslant.vectors.sample": "a file that ships",
    "aslant.vectors.debiasing_record": "its own words, to copy them",
}


def reads(path: Path) -> bool:
    """Tell whether a module calls something that reads."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            called = node.func
            if isinstance(called, ast.Name) and called.id in READS:
                return True
            if isinstance(called, ast.Attribute) and called.attr in READS:
                owner = called.value.id if isinstance(called.value, ast.Name) else ""
                if owner not in PLAIN and called.attr != "decode":
                    return True
                if called.attr == "decode" and ast.unparse(called.value) == "msgspec.json":
                    return True
    return False


def module_of(path: Path) -> str:
    return ".".join(("aslant", *path.relative_to(SOURCE).with_suffix("").parts)).removesuffix(".__init__")


def test_every_module_that_reads_has_a_target_or_a_reason() -> None:
    reading = {module_of(path) for path in SOURCE.rglob("*.py") if reads(path)}
    assert reading - COVERED - set(ELSEWHERE) == set(), "add a target in tools/fuzzing, or say here what it reads"
    assert not COVERED & set(ELSEWHERE)
    for module in COVERED | set(ELSEWHERE):
        assert find_spec(module), f"{module} is no more"


def test_every_format_packing_kind_of_set_and_kind_of_result_has_a_target() -> None:
    from aslant.corpus.corpus import KINDS as TEXTS
    from aslant.io import packed_files as opening
    from aslant.results.codec import kinds
    from aslant.stimuli.loading import KINDS
    from aslant.vectors import formats

    assert {module.name for module in pkgutil.iter_modules(formats.__path__, f"{formats.__name__}.")} <= COVERED
    packed = {opening.packing(seed) for name, t in TARGETS.items() if name.startswith("packed") for seed in t.seeds()}
    assert packed == set(opening.MAGIC.values())
    assert set(SETS) == set(KINDS)
    assert set(trees()) == {kind for kind, cls in kinds().items() if cls.__module__.startswith("aslant.")}
    assert {"text", "text .csv", "text .tsv", "text .json"} <= set(TARGETS)
    assert set(TEXTS.values()) == {"text", "csv", "tsv", "json"}, "a new kind of text needs a target"


#: Those that need transformers take seconds to begin; `tools/fuzz.py` runs them.
QUICK = [target for target in TARGETS.values() if "transformers" not in target.needs]
FEW = settings(
    max_examples=8,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.mark.filterwarnings("default")  # a witness collects them: readers may swallow what is raised
@pytest.mark.parametrize("target", QUICK, ids=[target.name for target in QUICK])
@FEW
@given(number=st.integers(0, 2**32), raw=st.binary(max_size=40))
def test_damaged_input_is_an_answer_or_one_sentence(target: Target, tmp_path: Path, number: int, raw: bytes) -> None:
    missing = [library for library in target.needs if find_spec(library) is None]
    if missing:
        pytest.skip(f"needs {missing[0]}")
    inputs = Inputs(target, Random(number))
    whole = inputs.next()
    place = number % (len(whole) + 1)
    with witnessed() as witness:
        for data in (inputs.seeds[0], whole, whole[:place] + raw + whole[place:]):
            witness.take()
            outcome = judge(target, data, tmp_path, witness)
            assert not outcome.failure
