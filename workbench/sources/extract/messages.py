"""The protocol between the program and its child process: a JSON head and a body of bytes, each with its length.

Messages contain no code, and the program checks whatever comes back: a reader that a malicious file has taken over can
only answer with a document, a picture, or a refusal.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from dataclasses import replace
from io import BytesIO
from typing import IO, Any

from workbench.domain.codec import decode, encode
from workbench.domain.errors import InvalidInput
from workbench.domain.files.document import Document, Section
from workbench.domain.translation import tr, with_noted_values, with_values_noted
from workbench.sources.extract.refusal import MOST_CHARACTERS

MOST_HEAD_BYTES = 16 * 1024 * 1024
MOST_ANSWER_BYTES = 64 * 1024 * 1024
MOST_ASKED_BYTES = 1024 * 1024 * 1024
IDLE_SECONDS = 30
_PIECE_BYTES = 1024 * 1024
_LENGTHS = struct.Struct(">IQ")

Head = dict[str, Any]


class WholeReads:
    """A raw pipe whose `read` returns everything asked for; it does not read ahead, so that `select` sees the rest."""

    def __init__(self, raw: IO[bytes]) -> None:
        self._raw = raw

    def read(self, length: int) -> bytes:
        """Reads `length` bytes; fewer only where the pipe ends."""
        pieces = bytearray()
        while len(pieces) < length:
            piece = self._raw.read(min(_PIECE_BYTES, length - len(pieces)))
            if not piece:
                break
            pieces += piece
        return bytes(pieces)


def write_all(stream: IO[bytes], content: bytes) -> None:
    """Writes everything to a raw pipe, which may accept less at once."""
    rest = memoryview(content)
    while rest:
        rest = rest[stream.write(rest) :]


def is_page(name: str) -> bool:
    """Tells whether a file is called as a web page is; a folder may have thousands, each read in a moment."""
    return name.lower().endswith((".html", ".htm"))


class BadMessage(Exception):
    """What was read is not a message, or is too long."""


class NoMessage(BadMessage):
    """The stream has ended."""


def frame_message(head: Mapping[str, object], body: bytes = b"") -> bytes:
    """Returns a message as it is sent: lengths, head, body."""
    written = json.dumps(head).encode()
    return _LENGTHS.pack(len(written), len(body)) + written + body


def read_message(stream: WholeReads, most_bytes: int) -> tuple[Head, bytes]:
    """Reads the next message, blocking; `NoMessage` at the end, `BadMessage` where it is malformed."""
    lengths = stream.read(_LENGTHS.size)
    if not lengths:
        raise NoMessage(tr("nothing came"))
    if len(lengths) != _LENGTHS.size:
        raise BadMessage(tr("it was cut off"))
    head_bytes, body_bytes = _LENGTHS.unpack(lengths)
    if head_bytes > MOST_HEAD_BYTES or body_bytes > most_bytes:
        raise BadMessage(tr("it is too long"))
    return _head(_all(stream, head_bytes)), _all(stream, body_bytes)


def is_one_message(content: bytes) -> bool:
    """Tells whether bytes are exactly one message: anything after it would be taken for the next answer."""
    if len(content) < _LENGTHS.size:
        return False
    head_bytes, body_bytes = _LENGTHS.unpack_from(content)
    return len(content) == _LENGTHS.size + int(head_bytes) + int(body_bytes)


def _all(stream: WholeReads, length: int) -> bytes:
    content = stream.read(length)
    if len(content) != length:
        raise BadMessage(tr("it was cut off"))
    return content


def _head(written: bytes) -> Head:
    try:
        head = json.loads(written)
    except (ValueError, RecursionError):
        raise BadMessage(tr("it is not JSON")) from None
    if not isinstance(head, dict):
        raise BadMessage(tr("it is not an object"))
    return head


def document_message(document: Document) -> bytes:
    """Returns a document as a message, whose body is the text."""
    written = encode(replace(document, text=""))
    written["read_as"] = with_values_noted(written["read_as"])
    return frame_message({"document": written}, document.text.encode())


def document_in(head: Mapping[str, Any], body: bytes) -> Document:
    """Returns the document of a message; `BadMessage` where it is malformed or its sections lie outside its text."""
    try:
        text = body.decode()
        noted = with_noted_values(head["document"].get("read_as", {}))
        document = replace(decode(Document, {**head["document"], "read_as": noted}), text=text)
    except (KeyError, AttributeError, UnicodeDecodeError, InvalidInput, TypeError, RecursionError):
        raise BadMessage(tr("it is not a document")) from None
    sections = (*document.sections, *document.pages)
    if len(text) > MOST_CHARACTERS or not all(_lies_within(one, len(text)) for one in sections):
        raise BadMessage(tr("its sections do not lie in its text"))
    return document


def _lies_within(section: Section, length: int) -> bool:
    return 0 <= section.start <= section.end <= length and section.level >= 1


def answers_in(head: Mapping[str, Any], body: bytes) -> list[tuple[Head, bytes]]:
    """Returns the answers for several files that one message holds."""
    stream, found = WholeReads(BytesIO(body)), list[tuple[Head, bytes]]()
    while len(found) != head.get("answers"):
        found.append(read_message(stream, MOST_ANSWER_BYTES))
    if stream.read(1):
        raise BadMessage(tr("it is too long"))
    return found


def pictures_in(head: Mapping[str, Any], body: bytes) -> tuple[tuple[int, bytes], ...]:
    """Returns the pictures of a message, each with its number."""
    place, found = 0, []
    try:
        for number, length in head["pictures"]:
            found.append((int(number), body[place : place + int(length)]))
            place += int(length)
    except (KeyError, TypeError, ValueError):
        raise BadMessage(tr("it holds no pictures")) from None
    return tuple(found)
