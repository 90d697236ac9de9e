"""Reads the metadata at the head of a GGUF model file, with limits that a malicious file cannot exceed.

Tensors are never read. Lengths and counts in the file are accepted only as far as the file itself reaches, and as far
as any real model goes.
"""

from __future__ import annotations

import hashlib
import re
import struct
from array import array
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from workbench.domain.errors import InvalidInput
from workbench.domain.translation import tr

_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_MOST_ENTRIES = 4_096
_MOST_TEXTS = 1_500_000  # in all lists together: twice what the largest vocabularies have
_MOST_CONTROL_TOKENS = 1_024
_LONGEST_KEY_BYTES = 1_024
_LONGEST_TEXT_BYTES = 1 << 20
_LONGEST_TOKEN_BYTES = 256
_HEADER_BYTES = 64 << 20
_STEP_BYTES = 4 << 20

_STRING, _ARRAY, _INT32 = 8, 9, 5
_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", _INT32: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_CONTROL, _USER_DEFINED = 3, 4
_LOOKS_LIKE_CONTROL = re.compile(r"<[|｜].+[|｜]>")

Value = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class GgufHeader:
    """Metadata that decides how a model is run, counted and protected.

    Attributes:
        context_tokens: the window it was trained for; None where the file does not say.
        control_tokens: texts that its tokenizer reads as control tokens.
        tokenizer_digest: equal for files that count equally, SHA-256 in hex.
    """

    architecture: str
    name: str
    context_tokens: int | None
    layers: int | None
    chat_template: str | None
    control_tokens: tuple[str, ...]
    tokenizer_digest: str


def read_gguf(path: Path) -> GgufHeader:
    """Reads the file's header; raises `InvalidInput` if it is not a GGUF file, truncated or implausible."""
    try:
        if not path.is_file():  # opening a pipe or a device would wait, perhaps for ever
            raise InvalidInput(str(path), tr("there is no model file"))
        with path.open("rb") as file:
            return _header(_Reader(file, str(path)))
    except OSError as error:
        raise InvalidInput(
            str(path), tr("the model file cannot be read ({strerror})", strerror=error.strerror)
        ) from error


class _Reader:
    """Reader of a file's header; every number in it is checked before use."""

    def __init__(self, file: BinaryIO, path: str) -> None:
        self._file, self._path = file, path
        self._bytes = b""
        self._texts = 0
        self.at = 0

    def refuse(self, reason: str) -> InvalidInput:
        return InvalidInput(
            self._path, tr("{reason}. Choose another model file (GGUF, version 2 or 3)", reason=reason)
        )

    def skip(self, length: int) -> int:
        """Advance by some bytes, which must exist; returns where they begin."""
        start, end = self.at, self.at + length
        if end > len(self._bytes):
            self._read_up_to(end)
        self.at = end
        return start

    def number(self, letter: str) -> int:
        start = self.skip(struct.calcsize(f"<{letter}"))  # may read on: only now are the bytes there
        (value,) = struct.unpack_from(f"<{letter}", self._bytes, start)
        return int(value) if letter not in "fd" else 0

    def text(self, most_bytes: int) -> str:
        length = self.number("Q")
        if length > most_bytes:
            raise self.refuse(
                tr(
                    "a text of {length} bytes stands where at most {most_bytes} are expected",
                    length=length,
                    most_bytes=most_bytes,
                )
            )
        return self.slice(self.skip(length), length).decode("utf-8", "replace")

    def slice(self, start: int, length: int) -> bytes:
        return self._bytes[start : start + length]

    def text_places(self, count: int) -> array[int]:
        """Offsets of the texts of a list, at their lengths; all lists together are limited."""
        self._texts += count
        if self._texts > _MOST_TEXTS:
            raise self.refuse(tr("its lists are longer than any model's"))
        places = array("Q")
        for _ in range(count):
            places.append(self.at)
            self.skip(self.number("Q"))
        return places

    def _read_up_to(self, end: int) -> None:
        if end > _HEADER_BYTES:
            raise self.refuse(
                tr("its head is longer than {header_bytes} MB", header_bytes=_HEADER_BYTES >> 20)
            )
        wanted = max(end - len(self._bytes), len(self._bytes), _STEP_BYTES)
        self._bytes += self._file.read(wanted)
        if end > len(self._bytes):
            raise self.refuse(tr("the file is cut off, or not a model"))


class _Found:
    """The values found while reading the entries."""

    def __init__(self) -> None:
        self.values: dict[str, Value] = {}
        self.tokens = array("Q")
        self.kinds = array("i")
        self.digest = hashlib.sha256()


def _header(reader: _Reader) -> GgufHeader:
    if reader.slice(reader.skip(4), 4) != _MAGIC:
        raise reader.refuse(tr("this is not a GGUF model file"))
    version = reader.number("I")
    if version not in _VERSIONS:
        raise reader.refuse(
            tr("GGUF version {version} is not known, or its byte order is not", version=version)
        )
    reader.number("Q")  # tensors
    entries = reader.number("Q")
    if entries > _MOST_ENTRIES:
        raise reader.refuse(tr("it claims {entries} entries", entries=entries))
    found = _Found()
    for _ in range(entries):
        _entry(reader, found)
    return _facts(reader, found)


def _entry(reader: _Reader, found: _Found) -> None:
    start = reader.at
    key = reader.text(_LONGEST_KEY_BYTES)
    kind = reader.number("I")
    if kind == _STRING:
        found.values[key] = _string(reader)
    elif kind == _ARRAY:
        _list(reader, key, found)
    elif kind in _NUMBERS:
        found.values[key] = reader.number(_NUMBERS[kind])
    else:
        raise reader.refuse(tr("an entry has the unknown type {kind}", kind=kind))
    if key.startswith("tokenizer."):
        found.digest.update(reader.slice(start, reader.at - start))


def _string(reader: _Reader) -> str | None:
    """A text; None if it is too long to be relevant."""
    length = reader.number("Q")
    start = reader.skip(length)
    return reader.slice(start, length).decode("utf-8", "replace") if length <= _LONGEST_TEXT_BYTES else None


def _list(reader: _Reader, key: str, found: _Found) -> None:
    kind, length = reader.number("I"), reader.number("Q")
    if kind == _STRING:
        places = reader.text_places(length)
        if key == "tokenizer.ggml.tokens":
            found.tokens = places
    elif kind in _NUMBERS:
        size = struct.calcsize(f"<{_NUMBERS[kind]}")
        start = reader.skip(size * length)
        if key == "tokenizer.ggml.token_type" and kind == _INT32:
            found.kinds = array("i", struct.unpack_from(f"<{length}i", reader.slice(start, size * length)))
    else:
        raise reader.refuse(tr("a list of lists is not expected"))


def _facts(reader: _Reader, found: _Found) -> GgufHeader:
    architecture = _word(found, "general.architecture")
    if not architecture:
        raise reader.refuse(tr("it does not say which kind of model it is"))
    return GgufHeader(
        architecture=architecture,
        name=_word(found, "general.name") or architecture,
        context_tokens=_positive(found.values.get(f"{architecture}.context_length")),
        layers=_positive(found.values.get(f"{architecture}.block_count")),
        chat_template=_word(found, "tokenizer.chat_template") or None,
        control_tokens=_control_tokens(reader, found),
        tokenizer_digest=found.digest.hexdigest(),
    )


def _word(found: _Found, key: str) -> str:
    value = found.values.get(key)
    return value if isinstance(value, str) else ""


def _positive(value: Value) -> int | None:
    return value if isinstance(value, int) and value > 0 else None


def _control_tokens(reader: _Reader, found: _Found) -> tuple[str, ...]:
    """Control tokens, and added tokens that look like them."""
    kept = []
    for place, kind in zip(found.tokens, found.kinds, strict=False):
        if kind not in (_CONTROL, _USER_DEFINED):
            continue
        reader.at = place
        length = reader.number("Q")
        text = reader.slice(reader.at, min(length, _LONGEST_TOKEN_BYTES + 1)).decode("utf-8", "replace")
        if length <= _LONGEST_TOKEN_BYTES and (kind == _CONTROL or _LOOKS_LIKE_CONTROL.fullmatch(text)):
            kept.append(text)
    # What the template writes comes first; thousands of reserved tokens are no use to anybody.
    template = _word(found, "tokenizer.chat_template")
    kept.sort(key=lambda text: text not in template)
    return tuple(kept[:_MOST_CONTROL_TOKENS])
