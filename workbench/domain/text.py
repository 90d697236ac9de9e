"""Text that is safe to count, digest and send; and digests."""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from typing import Any

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def repair_text(text: str) -> str:
    """Replace lone surrogates, which no encoding can carry, by U+FFFD; all other text is returned as it is."""
    if text.isascii():
        return text
    try:
        text.encode("utf-32-le")  # many times as quick as looking for one
    except UnicodeEncodeError:
        return _LONE_SURROGATE.sub("\ufffd", text)
    return text


_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]"
)


def harmless(text: str) -> str:
    """Foreign text with invisible characters escaped: controls, and those that hide or reverse text.

    By a fixed list, so that the same text gives the same bytes with every Python.
    """
    text = repair_text(text).replace("\r\n", "\n")
    return _UNSEEN.sub(lambda found: f"<U+{ord(found[0]):04X}>", text)


def digest_text(text: str) -> str:
    """The SHA-256 of the text in UTF-8, as lower-case hex; different texts differ even in lone surrogates."""
    if len(text) < _LONG_CHARS:
        return _sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return _long_digest(text)


def digest_bytes(text: str) -> bytes:
    """The SHA-256 of the text in UTF-8, as bytes."""
    if len(text) < _LONG_CHARS:
        return _sha256(text.encode("utf-8", "surrogatepass")).digest()
    return bytes.fromhex(_long_digest(text))


# A long draft is digested at every key, several times over: as a message, as a segment, for its count.
_LONG_CHARS = 20_000
_PIECE = 1 << 16
_sha256 = hashlib.sha256


class _LastLong:
    """The long text that was digested last, and the hash after each of its pieces: 8 ms of a key in a draft of 1 MB."""

    def __init__(self) -> None:
        self.known: tuple[str, tuple[Any, ...]] = "", ()

    def digest(self, text: str) -> str:
        """Of what begins as the last text did, only the rest is read."""
        before, states = self.known
        same = 0
        while same < len(states) and text.startswith(
            before[same * _PIECE : (same + 1) * _PIECE], same * _PIECE
        ):
            same += 1
        made, state = list(states[:same]), states[same - 1].copy() if same else _sha256()
        for start in range(same * _PIECE, len(text), _PIECE):
            piece = text[start : start + _PIECE]
            state.update(piece.encode("utf-8", "surrogatepass"))
            if len(piece) == _PIECE:
                made.append(state.copy())
        self.known = text, tuple(made)
        digest: str = state.hexdigest()
        return digest


_last = _LastLong()
_long_digest = lru_cache(maxsize=4)(_last.digest)


def digest_chain(digests: tuple[str, ...] | list[str]) -> str:
    """One digest over a sequence of digests, or of short texts, in order."""
    return _sha256("\n".join(digests).encode("utf-8", "surrogatepass")).hexdigest()
