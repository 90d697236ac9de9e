"""What text must satisfy before it is counted, digested or sent, and its digest."""

from __future__ import annotations

import hashlib
import re

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def repair_text(text: str) -> str:
    """Replace lone surrogates, which no encoding can carry, by U+FFFD; all other text is returned as it is."""
    if text.isascii():
        return text
    return _LONE_SURROGATE.sub("\ufffd", text)


def digest_text(text: str) -> str:
    """The SHA-256 of the text in UTF-8, as lower-case hex; different texts differ even in lone surrogates."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def digest_chain(digests: tuple[str, ...] | list[str]) -> str:
    """One digest over a sequence of digests, in order."""
    return hashlib.sha256("\n".join(digests).encode("ascii")).hexdigest()
