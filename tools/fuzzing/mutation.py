"""Damage to bytes and to the values in them: flips, cuts, splices, numbers at their limits, other types, nesting."""

from __future__ import annotations

import copy
import json
import math
import re
import struct
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

#: Damage makes no input longer, unless it was: so a second is plenty for each.
LONGEST = 20_000
NUMBERS = (
    b"0", b"-1", b"1", b"2", b"255", b"256", b"65536", b"2147483647", b"2147483648", b"-2147483648", b"4294967296",
    b"9223372036854775807", b"9223372036854775808", b"-9223372036854775808", b"18446744073709551616", b"9" * 30,
    b"9" * 400, b"1e308", b"1e309", b"-1e309", b"1e-400", b"5e-324", b"0.5", b"-0.0", b"nan", b"inf", b"-inf", b"NaN",
    b"Infinity", b"0x10", b"1_000", b"00012", b".5", b"5.", b"+3", b"3.4028236e38", b"\xd9\xa3",
)  # fmt: skip
TEXTS = (
    b"", b"\0", b"\n", b"\r\n", b"\r", b"\t", b" ", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xc3",
    b"\xe2\x80\xa8", b"\xe2\x80\xae", b"\x1b[2J", b"\x85", b"\xc2\x85", b"\xf0\x9f\x99\x82", b'"', b"'", b"\\", b",",
    b";", b"[", b"]", b"{", b"}", b"(", b")", b"<", b">", b"#", b"=", b":", b"../", b"%s%n", b"{}", b"null", b"true",
    b"\\ud800", b"\\u0000", b"a" * 300, b"\xcc\x81", b"\xd7\x90",
)  # fmt: skip
_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
#: Stands for lists within lists, so many deep; what copies trees would not bear them.
NEST = "nest of {}"
_NEST = re.compile(r'"nest of (\d+)"')
LEAVES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2**31, 2**63, -(2**63), 2**64, 10**40, 10**400, 0.5, -0.0, 1e308, 5e-324, math.nan,
    math.inf, "", " ", "\0", "a\nb", "\u202e", "\ud800", "\x1b[2J", "é", "x" * 300, "1", "*", "[", [], [[]], {}, [None],
    {"": None}, ["x", 1], "../x", "https://x.example/",
)  # fmt: skip


def mutated(data: bytes, chance: Random, *, tokens: Sequence[bytes] = (), others: Sequence[bytes] = ()) -> bytes:
    """Return `data` after one to six pieces of damage; `others` are inputs to splice with."""
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 2, 3, 6))):
        # Half of it goes to the first bytes, where headers are.
        top = len(changed) if chance.random() < 0.5 else min(len(changed), 100)
        at = chance.randrange(top) if top else 0
        chance.choice(DAMAGE)(changed, chance, at, tokens, others)
    return bytes(changed[: max(LONGEST, 2 * len(data))])


Damage = Callable[[bytearray, Random, int, Sequence[bytes], Sequence[bytes]], None]


def _flip(data: bytearray, chance: Random, at: int, *_: Any) -> None:
    if data:
        data[at] ^= 1 << chance.randrange(8)


def _byte(data: bytearray, chance: Random, at: int, *_: Any) -> None:
    if data:
        data[at] = chance.choice(
            (0, 1, 9, 10, 13, 32, 34, 44, 45, 46, 48, 57, 92, 127, 128, 255, chance.randrange(256))
        )


def _delete(data: bytearray, chance: Random, at: int, *_: Any) -> None:
    del data[at : at + chance.choice((1, 1, 2, 4, 8, 40))]


def _insert(data: bytearray, chance: Random, at: int, *_: Any) -> None:
    data[at:at] = chance.randbytes(chance.choice((1, 1, 2, 4, 40)))


def _text(data: bytearray, chance: Random, at: int, tokens: Sequence[bytes], _: Any) -> None:
    token = chance.choice(tokens if tokens and chance.random() < 0.6 else TEXTS)
    end = at + (len(token) if chance.random() < 0.5 else 0)
    data[at:end] = token


def _repeat(data: bytearray, chance: Random, at: int, *_: Any) -> None:
    data[at:at] = data[at : at + chance.randrange(1, 40)] * chance.choice((1, 2, 20, 100))


def _cut(data: bytearray, chance: Random, at: int, *_: Any) -> None:
    if chance.random() < 0.3:
        del data[at:]


def _whole(data: bytearray, chance: Random, at: int, *_: Any) -> None:
    """Write an integer at a limit, or one near what is there, as 1, 2, 4 or 8 bytes of either order."""
    size = chance.choice((1, 2, 4, 4, 8, 8))
    order = chance.choice(("little", "big"))
    old = int.from_bytes(data[at : at + size], order)  # type: ignore[arg-type]
    limit = 1 << 8 * size
    new = chance.choice((0, 1, limit - 1, limit // 2, limit // 2 - 1, old + 1, old - 1, old * 2, 1 << 20, 100))
    if at + size <= len(data):
        data[at : at + size] = (new % limit).to_bytes(size, order)  # type: ignore[arg-type]


def _float(data: bytearray, chance: Random, at: int, *_: Any) -> None:
    value = chance.choice((math.nan, math.inf, -math.inf, 0.0, -0.0, 1e-45, 3e38))
    if at + 4 <= len(data):
        data[at : at + 4] = struct.pack("<f", value)


def _number(data: bytearray, chance: Random, at: int, *_: Any) -> None:
    """Replace a number written in digits."""
    found = _NUMBER.search(data, at)
    if found:
        data[found.start() : found.end()] = chance.choice(NUMBERS)


def _lines(data: bytearray, chance: Random, *_: Any) -> None:
    """Drop, double, swap or empty lines."""
    lines = bytes(data).split(b"\n")
    first, second = chance.randrange(len(lines)), chance.randrange(len(lines))
    match chance.randrange(4):
        case 0:
            del lines[first]
        case 1:
            lines.insert(second, lines[first])
        case 2:
            lines[first], lines[second] = lines[second], lines[first]
        case _:
            lines[first] = b""
    data[:] = b"\n".join(lines)


def _splice(data: bytearray, chance: Random, at: int, _: Any, others: Sequence[bytes]) -> None:
    if others:
        other = chance.choice(others)
        start = chance.randrange(len(other) + 1)
        data[at : at + chance.choice((0, 10, len(data)))] = other[start : start + chance.choice((10, 100, LONGEST))]


def _nest(data: bytearray, chance: Random, at: int, *_: Any) -> None:
    depth = chance.choice((1, 5, 100, 3000))
    data[at:at] = chance.choice((b"[", b'{"a":', b"(", b"a.", b"[[", b"<")) * depth


DAMAGE: tuple[Damage, ...] = (
    _flip, _flip, _byte, _byte, _delete, _insert, _text, _text, _repeat, _cut, _whole, _whole, _float, _number, _number,
    _lines, _splice, _nest,
)  # fmt: skip


def mutated_tree(tree: Any, chance: Random) -> Any:
    """Return plain data (dictionaries, lists, strings, numbers) with one to four values, keys or parts changed."""
    changed = copy.deepcopy(tree)  # which has no deep nests yet: these are marks until they are written
    for _ in range(chance.choice((1, 1, 2, 4))):
        changed = _changed(changed, chance)
    return changed


def _changed(tree: Any, chance: Random) -> Any:
    place, key = _place(tree, chance)
    if place is None:
        return copy.deepcopy(chance.choice(LEAVES))
    match chance.randrange(8):
        case 0:
            del place[key]
        case 1 if isinstance(place, dict):
            place[chance.choice((f"{key}x", "", "kind", "a.b", "\0"))] = place.pop(key)
        case 1 | 2 if isinstance(place, list):
            place.insert(key, copy.deepcopy(place[key]))
        case 3:
            place[key] = [place[key]] if chance.random() < 0.5 else {"a": place[key]}
        case 4:
            place[key] = NEST.format(chance.choice((2, 60, 2000)))
        case 5 if isinstance(place[key], list):
            place[key] = place[key] * 2 if chance.random() < 0.5 else place[key][:-1]
        case 6 if isinstance(place[key], str):
            place[key] += chance.choice(TEXTS).decode("utf-8", "replace")
        case _:
            place[key] = copy.deepcopy(chance.choice(LEAVES))
    return tree


def _place(tree: Any, chance: Random) -> tuple[Any, Any]:
    """Return a random container of a tree and a key in it; deep ones are as likely as high ones."""
    found: tuple[Any, Any] = (None, None)
    here = tree
    while isinstance(here, dict | list) and here:
        key = chance.choice(list(here)) if isinstance(here, dict) else chance.randrange(len(here))
        if found[0] is None or chance.random() < 0.6:
            found = (here, key)
        here = here[key]
    return found


def _nested(text: str) -> str:
    """Put lists within lists where the marks stand."""
    return _NEST.sub(lambda found: "[" * int(found[1]) + "]" * int(found[1]), text)


def as_json(tree: Any) -> bytes:
    """Write a tree as JSON, with NaN and infinities where it has them."""
    return _nested(json.dumps(tree)).encode()


def as_toml(tree: Any) -> bytes:
    """Write a tree as TOML: everything below the top in one line."""
    if not isinstance(tree, dict):
        return b"x = " + _toml(tree).encode("utf-8", "surrogatepass")
    lines = (f"{_toml_key(key)} = {_toml(value)}" for key, value in tree.items())
    return _nested("\n".join(lines)).encode("utf-8", "surrogatepass")


def _toml_key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key)


def _toml(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_toml_key(k)} = {_toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return repr(value)
