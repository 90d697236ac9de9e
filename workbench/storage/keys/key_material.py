"""Reads `--key-file`: at least 32 random bytes, raw, in hexadecimal or in base64."""

from __future__ import annotations

import base64
import binascii
import string
from pathlib import Path

from workbench.domain.errors import (
    UnusableSecret,
)
from workbench.domain.keys.secret import Secret

LEAST_BYTES = 32
MOST_RAW_BYTES = 64 * 1024
# 32 random bytes with fewer different values do not occur by chance.
LEAST_DIFFERENT = 16
_TEXT = frozenset(string.printable.encode())
_ADVICE = "Make one with `openssl rand -out FILE 32`, and keep a copy where the store is not."


def read_key_file(path: Path) -> Secret:
    """The random bytes in the file; a file of words, or of one byte repeated, is refused."""
    try:
        with open(path, "rb") as stream:
            content = stream.read(MOST_RAW_BYTES + 1)
    except OSError as problem:
        reason = problem.strerror or type(problem).__name__
        raise UnusableSecret(f"The key file {path} cannot be read: {reason}.", _ADVICE) from None
    if len(content) > MOST_RAW_BYTES:
        raise UnusableSecret(f"The key file {path} is longer than {MOST_RAW_BYTES} bytes.", _ADVICE)
    return Secret(_checked(path, _decoded(path, content)))


def _decoded(path: Path, content: bytes) -> bytes:
    if not set(content) <= _TEXT:
        return content
    # Only line ends are left out: with the spaces removed, a sentence would be valid base64.
    text = b"".join(content.strip().splitlines())
    if len(text) % 2 == 0 and set(text) <= set(string.hexdigits.encode()):
        return bytes.fromhex(text.decode())
    try:
        return _from_base64(text)
    except binascii.Error:
        # Words would be a weak key: a key file is not stretched as a passphrase is.
        raise UnusableSecret(f"The key file {path} holds text, not random bytes.", _ADVICE) from None


def _from_base64(text: bytes) -> bytes:
    if text in (text.lower(), text.upper()):
        raise binascii.Error("random bytes give letters of both cases; this is a word")
    altchars = b"-_" if set(text) & set(b"-_") else b"+/"
    return base64.b64decode(text + b"=" * (-len(text) % 4), altchars=altchars, validate=True)


def _checked(path: Path, material: bytes) -> bytes:
    if len(material) < LEAST_BYTES:
        raise UnusableSecret(f"The key file {path} holds fewer than {LEAST_BYTES} bytes.", _ADVICE)
    if len(set(material)) < LEAST_DIFFERENT:
        raise UnusableSecret(f"The key file {path} is not random.", _ADVICE)
    return material
