"""A checksum stored with the data, so that a bit flipped on the disk is noticed and no number changes unseen."""

from __future__ import annotations

import hashlib

#: Bytes of a seal.
SIZE = 16
_OPEN, _BETWEEN, _CLOSE = b'["', b'", ', b"]"
_LENGTH = len(_OPEN) + 2 * SIZE + len(_BETWEEN)


def sealed(content: bytes) -> bytes:
    """Return `content` with its seal at the end.

    >>> unsealed(sealed(b"abc")), unsealed(sealed(b"abc").replace(b"b", b"x")), unsealed(b"abc")
    (b'abc', None, None)
    """
    return content + _digest(content).digest()


def unsealed(content: bytes) -> bytes | None:
    """Return what was sealed, or None if it is not intact."""
    inner, seal = content[:-SIZE], content[-SIZE:]
    return inner if len(seal) == SIZE and _digest(inner).digest() == seal else None


def sealed_json(text: bytes) -> bytes:
    """Return JSON as JSON with a seal: a list of the seal and what is sealed.

    >>> sealed_json(b'{"a": 1}')
    b'["6903fb303cd60ccb0a2b9c2592fa773b", {"a": 1}]'
    """
    return _OPEN + _digest(text).hexdigest().encode() + _BETWEEN + text + _CLOSE


def unsealed_json(content: bytes) -> bytes | None:
    """Return the JSON that was sealed, or None if it is not intact.

    >>> unsealed_json(sealed_json(b'{"a": 1}')), unsealed_json(sealed_json(b'{"a": 1}').replace(b"1", b"2"))
    (b'{"a": 1}', None)
    """
    text = content[_LENGTH : -len(_CLOSE)]
    return text if content == sealed_json(text) else None


def _digest(content: bytes) -> hashlib.blake2b:
    return hashlib.blake2b(content, digest_size=SIZE)
