"""Targets: every format of embeddings, every packing, the cache, and recognition of whatever a file may be."""

from __future__ import annotations

import io
import json
import os
import pickle
import struct
import zipfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from fuzzing.mutation import LEAVES, as_json, mutated, mutated_tree
from fuzzing.targets import Target, demand, written

WORDS = ["the", "he", "new_york", "naïve", "日本", "1", "nan"]
MATRIX = np.random.default_rng(7).normal(size=(len(WORDS), 3)).astype(np.float32)
FORMATS = "aslant.vectors.formats."
LOADING = ("aslant.vectors.loading", "aslant.vectors.file_loading", "aslant.vectors.rows", "aslant.io.packed_files")
MAGIC = (
    b"\x1f\x8b\x08", b"BZh9", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd", b"PK\x03\x04", b"\x93NUMPY\x01\x00", b"\x80\x04",
    b"\xba\x16\x4f\x2f\x0c\x00\x00\x00", b"\x40\x00\x00\x00\x00\x00\x00\x00{", b"\xef\xbb\xbf", b"99 4\nthe ",
)  # fmt: skip


def sound(vectors: Any) -> str:
    """Check what was read: one finite row for each word, which is found again, and survives being saved."""
    from aslant.errors import VectorsError
    from aslant.vectors.formats import aslant_file

    words, matrix = vectors.words, vectors.matrix
    demand(len(words) == len(matrix) == len(set(words)) > 0, "words and rows do not fit")
    demand(bool(np.isfinite(matrix).all() and matrix.any(axis=1).all()), "rows of NaN, infinity or zeros")
    asked = [*words[:3], "New York", "zzz qqq"]
    found = vectors.lookup(asked)
    demand(set(words[:3]) <= set(found.found), "a word that is there is not found")
    demand(bool(np.isfinite(found.vectors).all()), "looked-up vectors are not finite")
    record = vectors.record()
    json.dumps(record, allow_nan=False)
    file = io.BytesIO()
    try:
        aslant_file.dump(file, words, matrix, record)
    except VectorsError:  # half a pair, or a line end in a word: named when saved
        return "accepted, not saved"
    again = aslant_file.from_bytes(file.getvalue(), name="again")
    demand(again.words == list(words) and np.array_equal(again.matrix, matrix), "saving changes the vectors")
    return "accepted"


def loaded(name: str, source: str | None = None, *, top: bool = True, **options: Any) -> Callable[[bytes, Path], str]:
    """Return what writes the input under `name` and loads `source` (or that file)."""

    def run(data: bytes, folder: Path) -> str:
        import aslant

        path = written(folder, name, data)
        first = 3 if top and len(data) % 5 == 0 else None
        return sound(aslant.load(folder / source if source else path, cache=False, top=first, **options))

    return run


def _text(**options: Any) -> Callable[[], list[bytes]]:
    def seeds() -> list[bytes]:
        from embedding_files import text

        return [text(WORDS, MATRIX, **options), text(WORDS[:2], MATRIX[:2], **options, line_end="\r\n", bom=True)]

    return seeds


def _word2vec() -> list[bytes]:
    from embedding_files import word2vec_binary

    return [word2vec_binary(WORDS, MATRIX), word2vec_binary(WORDS, MATRIX, newline=True)]


def _fasttext() -> list[bytes]:
    from embedding_files import fasttext_binary

    ngrams = fasttext_binary(WORDS, MATRIX, buckets=np.ones((9, 3), np.float32), minn=2, maxn=4)
    return [ngrams, fasttext_binary(WORDS, MATRIX), fasttext_binary(WORDS, MATRIX, labels=["__label__a"])]


def _made_fasttext(chance: Random) -> bytes:
    """Build a model whose counts and sizes may be anything."""

    def odd(usual: int) -> int:
        return usual if chance.random() < 0.8 else chance.choice((0, -1, 1, 2, 3, 100, 101, 2**31 - 1, -(2**31), 5))

    words = [chance.choice((b"the", b"", b"a" * 40, b"\xff", b"</s>", "日本".encode())) for _ in range(odd(3) % 7)]
    width, bucket = odd(2), odd(4)
    head = struct.pack(
        "<ii12id", 793712314, chance.choice((11, 12, 12, 12, odd(1))), width, 5, 5, 1, 5, 1, 2, odd(2), bucket, odd(2),
        odd(4), 100, 1e-4,
    )  # fmt: skip
    head += struct.pack("<iiiqq", odd(len(words)), odd(len(words)), odd(0), 10, chance.choice((-1, -1, -1, 0, 2)))
    head += b"".join(word + b"\0" + struct.pack("<qb", odd(1), chance.choice((0, 0, 0, 1, 7))) for word in words)
    rows = odd(len(words) + bucket)
    numbers = np.full(chance.choice((0, 5, 64)), chance.choice((1.0, 0.0, np.nan, 3e38)), "<f4").tobytes()
    return head + struct.pack("<?qq", chance.random() < 0.1, rows, odd(width)) + numbers


def _subwords(data: bytes, folder: Path) -> str:
    import aslant

    path = written(folder, "vectors", data)
    vectors = aslant.load(path, cache=False, subwords=True)
    found = vectors.lookup(["", "zzz", "日本日本", "the the", "\ud800"]).vectors
    demand(bool(np.isfinite(found).all()), "vectors built from n-grams are not finite")
    return sound(vectors)


def _npy(array: Any = MATRIX) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def _npys() -> list[bytes]:
    return [_npy(), _npy(MATRIX.astype("<f8")), _npy(np.asfortranarray(MATRIX)), _npy(MATRIX.astype(">f4"))]


def _made_npy(chance: Random) -> bytes:
    """Build an array whose header says whatever it likes."""
    kind = chance.choice((
        "<f4", "<f8", ">f4", "<f2", "|i1", "<i8", "|O", "|V3", "<U4", "|b1", "<c8", "<M8[s]", "|S0", "<f16", "<U0",
    ))  # fmt: skip
    shape = chance.choice((
        "(7, 3)", "(7, 0)", "(0, 3)", "(7,)", "()", "(7, 3, 1)", "(-1, 3)", "(10**9, 3)", "(9223372036854775807, 3)",
        "(7.0, 3)", "('a',)", "(7, 3L)", "(True, 21)", "(4294967296, 4294967296)", "((7,), 3)", "(7, " * 50 + ")" * 50,
    ))  # fmt: skip
    order = chance.choice(("False", "False", "True", "1", "None"))
    header = f"{{'descr': '{kind}', 'fortran_order': {order}, 'shape': {shape}, }}".encode().ljust(117) + b"\n"
    version = chance.choice((b"\x01\x00", b"\x02\x00", b"\x03\x00", b"\x09\x00"))
    layout = "<H" if version == b"\x01\x00" else "<I"
    return b"\x93NUMPY" + version + struct.pack(layout, len(header)) + header + MATRIX.tobytes()


def _npy_with_words(data: bytes, folder: Path) -> str:
    (folder / "vectors.words").write_bytes("\n".join(WORDS).encode())
    return loaded("vectors.npy")(data, folder)


def _words_of_npy(data: bytes, folder: Path) -> str:
    (folder / "vectors.npy").write_bytes(_npy())
    return loaded("vectors.words", "vectors.npy")(data, folder)


def _decade_matrix(data: bytes, folder: Path) -> str:
    (folder / "1990-vocab.pkl").write_bytes(pickle.dumps(WORDS, protocol=2))
    return loaded("1990-w.npy", "1990")(data, folder)


def _decade_vocabulary(data: bytes, folder: Path) -> str:
    (folder / "1990-w.npy").write_bytes(_npy())
    return loaded("1990-vocab.pkl", "1990")(data, folder)


def _vocabularies() -> list[bytes]:
    return [pickle.dumps(WORDS, protocol) for protocol in range(6)]


def _made_vocabulary(chance: Random) -> bytes:
    """Build a pickle of instructions in any order."""
    parts = (
        b"\x80\x02", b"]", b"(", b"e", b"a", b"q\x00", b"h\x00", b"X\x03\x00\x00\x00the", b"U\x02he", b"\x8c\x01x",
        b"Vthe\n", b"S'he'\n", b"p0\n", b"g0\n", b"\x94", b"c os system\n", b"R", b"t", b"}", b"N", b"I1\n", b"l",
        b"r\xff\xff\xff\x7f", b"X\xff\xff\xff\xff", b"\x95" + b"\xff" * 8, b"T\xff\xff\xff\x7f", b"\x8d" + b"\xff" * 8,
        b"p99999999999999999999\n", b"V\\ud800\n",
    )  # fmt: skip
    middle = b"".join(chance.choice(parts) for _ in range(chance.randrange(30)))
    return chance.choice((b"\x80\x02](", b"\x80\x02]", b"", b"]")) + middle + chance.choice((b"e.", b".", b"a.", b""))


@cache
def _saved(writer: str) -> bytes:
    from aslant.vectors import WordVectors
    from aslant.vectors.debiasing_record import Treatment, WordsTaken
    from aslant.vectors.formats import aslant_file

    vectors = WordVectors.from_arrays(WORDS, MATRIX)
    taken = WordsTaken("pairs", "own", 2, ("gal",), ("x",))
    treated = vectors.treated(vectors.matrix / 2, Treatment("halved", {"by": (2, 2)}, (taken,), 3))
    file = io.BytesIO()
    if writer == "npz":
        aslant_file.save_npz(file, treated)
    else:
        aslant_file.dump(file, treated.words, treated.matrix, treated.record())
    return file.getvalue()


def _safetensors() -> list[bytes]:
    from aslant.vectors.formats import aslant_file

    file = io.BytesIO()
    aslant_file.dump(file, WORDS, MATRIX.astype(np.float16), {"repairs": {"x": 1}})
    return [_saved("safetensors"), file.getvalue(), _tensors(*_parts())]


def _parts() -> tuple[dict[str, Any], dict[str, Any], bytes]:
    """Return the header, the record in it, and the data, of a file as we write it."""
    whole = _saved("safetensors")
    length = int.from_bytes(whole[:8], "little")
    header = json.loads(whole[8 : 8 + length])
    return header, json.loads(header["__metadata__"]["record"]), whole[8 + length :]


def _tensors(header: Any, record: Any, data: bytes) -> bytes:
    if isinstance(header, dict) and isinstance(header.get("__metadata__"), dict):
        header["__metadata__"]["record"] = as_json(record).decode()
    encoded = as_json(header)
    return struct.pack("<Q", len(encoded)) + encoded + data


def _made_safetensors(chance: Random) -> bytes:
    header, record, data = _parts()
    if chance.random() < 0.5:
        return _tensors(header, mutated_tree(record, chance), data)
    if chance.random() < 0.3:
        shape = header["matrix"]["shape"]
        shape[chance.randrange(2)] = chance.choice(LEAVES)
    return _tensors(mutated_tree(header, chance), record, mutated(data, chance) if chance.random() < 0.3 else data)


def _npz(members: dict[str, bytes], pack: int = zipfile.ZIP_STORED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", pack) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()


def _npz_members() -> dict[str, bytes]:
    """Return the members of an archive as we write it."""
    with zipfile.ZipFile(io.BytesIO(_saved("npz"))) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _npzs() -> list[bytes]:
    strings = {"words.npy": _npy(np.array(WORDS)), "matrix.npy": _npy(MATRIX.astype("<f8"))}
    return [_saved("npz"), _npz(strings), _npz(_npz_members(), zipfile.ZIP_DEFLATED)]


def _made_npz(chance: Random) -> bytes:
    """Change a member and pack the archive again, so that its checksums hold."""
    members = _npz_members()
    name = chance.choice(list(members))
    match chance.randrange(4):
        case 0:
            record = json.loads(np.load(io.BytesIO(members["record.npy"])).tobytes())
            members["record.npy"] = _npy(np.frombuffer(as_json(mutated_tree(record, chance)), np.uint8))
        case 1:
            members[name] = _made_npy(chance)
        case 2:
            members[name] = _npy(np.array(chance.choice((WORDS, WORDS[:2], [""] * 7, ["a\nb", *WORDS[1:]]))))
        case _:
            members[name] = mutated(members[name], chance)
    return _npz(members, chance.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2)))


@cache
def _streams() -> tuple[bytes, ...]:
    return _text()()[0], _word2vec()[0], _fasttext()[0]


def _packing(name: str) -> Target:
    def pack(data: bytes) -> bytes:
        from embedding_files import PACKINGS

        return PACKINGS[name](data)

    def seeds() -> list[bytes]:
        return [pack(data) for data in _streams()]

    def made(chance: Random) -> bytes:
        inside = mutated(chance.choice(_streams()), chance)
        packed = pack(inside)
        return chance.choice((packed, packed, packed + packed, packed + b"x", pack(packed), packed[:-1]))

    return Target(f"packed .{name}", ("aslant.io.packed_files",), seeds, loaded("vectors"), made)


def _pickle_file(data: bytes, folder: Path) -> str:
    """Load what may be a pickle: none is ever opened, however it goes on."""
    answer = loaded("vectors")(data, folder)
    demand(not (data[:1] == b"\x80" and data[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05")), "a pickle was opened")
    return f"{answer}, as no pickle"


def _pickles() -> list[bytes]:
    return [pickle.dumps({"vectors": MATRIX, "index_to_key": WORDS}, protocol) for protocol in (2, 3, 4, 5)]


def _everything() -> list[bytes]:
    makers = (_text(), _text(header=True), _word2vec, _fasttext, _safetensors, _npzs)
    return [data for maker in makers for data in maker()] + [_packing(name).seeds()[0] for name in ("gz", "zip", "zst")]


def _anything(chance: Random) -> bytes:
    return chance.choice(MAGIC) + chance.randbytes(chance.choice((0, 1, 8, 60, 400)))


def _any_file(data: bytes, folder: Path) -> str:
    """Load whatever it is, through the cache, twice."""
    import aslant

    path = written(folder, "vectors", data)
    os.environ["ASLANT_CACHE"] = str(folder / "cache")
    try:
        first, second = aslant.load(path), aslant.load(path)
        demand(list(first.words) == list(second.words), "the cache changes the words")
        demand(np.array_equal(first.matrix, second.matrix), "the cache changes the vectors")
        return sound(first)
    finally:
        for kept in (folder / "cache" / "vectors").glob("*.safetensors"):
            kept.unlink()


def _text_tokens() -> tuple[bytes, ...]:
    return (b"7 3\n", b"7 2\n", b"0.5", b" 0.5 0.5 0.5\n", b"\nhe ", b"1e9999", b"nan", b"\t", b"  ", b"\n\n")


def targets() -> Sequence[Target]:
    """Return the targets of this file."""
    text = (FORMATS + "text", FORMATS + "number_tables", *LOADING)
    pickled = (FORMATS + "histwords", FORMATS + "keyed_vectors")
    binary = (FORMATS + "fasttext_binary",)
    tokens = _text_tokens()
    return (
        Target("GloVe text", text, _text(), loaded("vectors"), tokens=tokens),
        Target("word2vec text", text, _text(header=True), loaded("vectors"), tokens=tokens),
        Target("fastText .vec", text, _text(header=True, trailing=" "), loaded("vectors"), tokens=tokens),
        Target("word2vec .bin", (FORMATS + "word2vec_binary",), _word2vec, loaded("vectors"), tokens=tokens),
        Target("fastText .bin", binary, _fasttext, loaded("vectors"), _made_fasttext),
        Target("fastText n-grams", binary, lambda: _fasttext()[:1], _subwords, _made_fasttext),
        Target(".safetensors", (FORMATS + "aslant_file",), _safetensors, loaded("vectors"), _made_safetensors),
        Target(".npz", (FORMATS + "aslant_file",), _npzs, loaded("vectors"), _made_npz),
        Target(".npy", (FORMATS + "numpy_array",), _npys, _npy_with_words, _made_npy),
        Target(".npy words", (FORMATS + "numpy_array",), lambda: ["\n".join(WORDS).encode()], _words_of_npy),
        Target("HistWords matrix", (FORMATS + "histwords",), _npys, _decade_matrix, _made_npy),
        Target("HistWords words", pickled, _vocabularies, _decade_vocabulary, _made_vocabulary),
        Target(
            "gensim .kv", (FORMATS + "keyed_vectors",), _pickles, _pickle_file,
            lambda c: b"\x80" + bytes([c.randrange(7)]) + c.randbytes(9), always_refuses=True,
        ),
        *(_packing(name) for name in ("gz", "bz2", "xz", "zst", "zip")),
        Target("any embedding", ("aslant.vectors.cache", *LOADING), _everything, _any_file, _anything, tokens=MAGIC),
    )  # fmt: skip
