"""Reads e-mail: headers, all bodies, and attachments as parts; and pages saved as messages (MHTML)."""

from __future__ import annotations

import email
import email.policy
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from email.headerregistry import BaseHeader, HeaderRegistry
from email.message import Message
from typing import Any

from workbench.domain.files.document import Document, ReadAs
from workbench.domain.translation import counted, tr
from workbench.sources.extract.html import read_html
from workbench.sources.extract.left_out import left_out, number_of
from workbench.sources.extract.prose import Prose, one_line
from workbench.sources.extract.refusal import MOST_CHARACTERS, Unreadable, clean
from workbench.sources.extract.text import decode_text

Reader = Callable[[str, bytes], Document]
"""Reads an attached file by its name and bytes."""

_HEADERS = ("From", "To", "Cc", "Date", "Subject")
_MOST_PARTS = 500
_MOST_ATTACHED = 100
_DEEPEST = 4
_MOST_NOTES = 20
_LEFT_OUT = (
    "attached picture", "signature", "attached file that cannot be read", "plain alternative", "HTML alternative",
)  # fmt: skip
_SIGNATURES = frozenset(
    {"application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature"}
)
_ADDRESS = re.compile(r"https?://\S+")
_ELSEWHERE = re.compile(r"html|browser|mail(?:client|program|reader)")
_LONGEST_STUB = 300
_LONGEST_VALUE = 4_000
# An alternative that says so much else is no alternative.
_ELSE_SHARE, _ELSE_WORDS = 0.25, 20


def read_mail(content: bytes, read: Reader | None = None) -> Document:
    """Returns the main headers, the text, and then what is attached, which `read` turns into text."""
    writer = _Writer(read)
    writer.message(_parsed(content), 0)
    text, sections = writer.prose.finished()
    return Document(text, ReadAs("email", notes=tuple(writer.notes()), unread=tuple(writer.cut())), sections)


class _Writer:
    """Writes a message, with those attached to it."""

    def __init__(self, read: Reader | None) -> None:
        self.prose = Prose()
        self._read = read
        self._counts: Counter[str] = Counter()
        self._inner: list[str] = []
        self._cut: list[str] = []

    def notes(self) -> Iterator[str]:
        """Yields what is not in the text, by kind and count, and notes about attached files."""
        read, counts = ("attached file", "attached message"), self._counts
        for kind in read:
            if counts[kind]:
                yield tr("{counted} in the text", counted=number_of(kind, counts[kind]))
        yield from left_out({kind: counts[kind] for kind in _LEFT_OUT})
        if counts["HTML part"]:
            yield tr("{counted} without readable text", counted=number_of("HTML part", counts["HTML part"]))
        yield from self._inner[:_MOST_NOTES]
        if len(self._inner) > _MOST_NOTES:
            more = counted(len(self._inner) - _MOST_NOTES, "more note")
            yield tr("{counted} about attached files", counted=more)

    def cut(self) -> Iterator[str]:
        """Yields what was left out because of limits."""
        if self._counts["attachment"]:
            named = counted(self._counts["attachment"], "attachment")
            yield tr("{counted} named, not opened", counted=named)
        if self._counts["full"]:
            yield tr("only the first {n:,} parts read", n=_MOST_PARTS)
        yield from self._cut

    def message(self, message: Message, depth: int) -> None:
        """Writes one message: headers, bodies, attachments."""
        for name in _HEADERS:
            value = _header(message, name)
            if value:
                self.prose.block(f"{name}: {value}", close=True)
        nodes = list(_nodes(message))
        parts = [one for one in nodes if not _is_container(one)]
        words = {id(one): _body_text(one) for one in parts if _is_body(one)}
        left_out = {place for one in nodes for place in _left_out(one, words)}
        for place, said in words.items():
            self.prose.block(said or "" if place not in left_out else "")
        for part in parts:
            if not _is_body(part):
                self._attached(part, depth)
            elif words[id(part)] is None:
                self._counts["HTML part"] += 1
            elif id(part) in left_out and (words[id(part)] or "").strip():
                html = part.get_content_type() == "text/html"
                self._counts["HTML alternative" if html else "plain alternative"] += 1
        self._counts["full"] += len(nodes) == _MOST_PARTS

    def _attached(self, part: Message, depth: int) -> None:
        inner = part.get_payload()
        if part.get_content_type() == "message/rfc822" and isinstance(inner, list) and inner:
            self._nested(inner[0], depth)
            return
        line, title = _part_name(part), _file_name(part) or part.get_content_type()
        self.prose.section_line(line, title, depth + 1)
        if part.get_content_type() in _SIGNATURES:
            self._counts["signature"] += 1
        elif self._read is None or sum(self._counts.values()) > _MOST_ATTACHED:
            self._counts["attachment"] += 1
        else:
            self._open(title, _bytes(part))

    def _open(self, title: str, content: bytes) -> None:
        assert self._read is not None
        try:
            found = self._read(title, content)
            if found.scanned:
                raise Unreadable(tr("its pages are pictures without text"))
            if self.prose.length + len(found.text) > MOST_CHARACTERS:
                raise Unreadable(tr("its text is too long beside the rest"))
        except Unreadable as refusal:
            self._counts["attached file that cannot be read"] += 1
            self.prose.block(f"(Not read: {refusal.reason}.)", close=True)
            return
        if found.read_as.kind == "image":
            self._counts["attached picture"] += 1
            return
        self._counts["attached file"] += 1
        self._cut += [tr("{title}: {note}", title=title, note=one) for one in found.read_as.unread]
        self._inner += [tr("{title}: {note}", title=title, note=note) for note in found.read_as.notes]
        self.prose.block(found.text)

    def _nested(self, message: Any, depth: int) -> None:
        if depth >= _DEEPEST or not isinstance(message, Message):
            self._counts["attachment"] += 1
            return
        self._counts["attached message"] += 1
        title = _header(message, "Subject") or "message"
        self.prose.section_line(f"Attached message: {title}", title, depth + 1)
        self.message(message, depth + 1)


def read_saved_page(content: bytes) -> Document:
    """Reads a page that a browser saved as one file: its first HTML part."""
    for part in _nodes(_parsed(content)):
        if part.get_content_type() in ("text/html", "application/xhtml+xml"):
            found = read_html(_text(part))
            return replace(found, read_as=replace(found.read_as, encoding=_charset(part)))
    raise Unreadable(
        tr("it is a saved page without a page in it"), tr("Save the page again as HTML, and attach that.")
    )


def _parsed(content: bytes) -> Message:
    # Headers are parsed anew at every look, and a long value in quotation marks by the square of its length.
    known, registry = dict[tuple[str, str], BaseHeader](), HeaderRegistry()

    def header(name: str, value: str) -> BaseHeader:
        if name.lower().startswith("content-"):
            value = value[:_LONGEST_VALUE]
        if (name, value) not in known:
            known[name, value] = registry(name, value)
        return known[name, value]

    return email.message_from_bytes(content, policy=email.policy.default.clone(header_factory=header))


def _header(message: Message, name: str) -> str:
    """Returns a decoded header; one that cannot be parsed is returned as written."""
    try:
        return one_line(str(message.get(name) or ""))
    except Exception:  # noqa: BLE001  (the parser of headers raises whatever its code stumbles over)
        raw = dict(message.raw_items()).get(name, "")
        return one_line(str(raw))


def _nodes(message: Message) -> Iterator[Any]:
    """Yields a message, its multipart containers and their parts, in order; an attached message is one part."""
    waiting: list[Message] = [message]
    for _ in range(_MOST_PARTS):
        if not waiting:
            return
        part = waiting.pop(0)
        waiting[:0] = _inside(part)
        yield part


def _inside(part: Message) -> list[Message]:
    inner = part.get_payload() if part.is_multipart() else None
    if isinstance(inner, list) and part.get_content_maintype() == "multipart":
        return [one for one in inner if isinstance(one, Message)]
    return []


def _is_container(part: Message) -> bool:
    return bool(_inside(part))


def _is_body(part: Message) -> bool:
    return part.get_content_type() in ("text/plain", "text/html") and not _file_name(part)


def _file_name(part: Message) -> str:
    try:
        name = part.get_filename() or ""
    except (ValueError, TypeError, LookupError, AttributeError, IndexError):
        name = "a file"
    is_attached = str(part.get("Content-Disposition", "")).lower().startswith("attachment")
    return one_line(str(name)) or ("a file" if is_attached else "")


def _body_text(part: Message) -> str | None:
    """Returns the text of a body part; None where it cannot be read."""
    if part.get_content_type() == "text/plain":
        return clean(_text(part)).replace("\r\n", "\n")
    try:
        return read_html(_text(part)).text
    except Unreadable:
        return None


def _left_out(box: Message, words: Mapping[int, str | None]) -> Iterator[int]:
    """Yields the alternatives of a body that are left out: the plain one is used if it really has the text."""
    if box.get_content_type() != "multipart/alternative":
        return
    inside = [[one for one in _nodes(inner) if id(one) in words] for inner in _inside(box)]
    choices = sorted(inside, key=lambda parts: any(one.get_content_type() == "text/html" for one in parts))
    said = [_letters(" ".join(words[id(one)] or "" for one in parts)) for parts in choices]
    taken = next((n for n, one in enumerate(said) if not any(_is_stub(one, other) for other in said)), 0)
    seen = _distinct(choices[taken], words) if choices else frozenset[str]()
    for n, parts in enumerate(choices):
        if n != taken and not _has_other_words(_distinct(parts, words), seen):
            yield from (id(one) for one in parts)


def _distinct(parts: Sequence[Message], words: Mapping[int, str | None]) -> frozenset[str]:
    said = " ".join(words[id(one)] or "" for one in parts)
    return frozenset(re.findall(r"\w+", _ADDRESS.sub("", said).casefold()))


def _has_other_words(other: frozenset[str], taken: frozenset[str]) -> bool:
    """Tells whether an alternative has many words that the chosen one lacks."""
    new = len(other - taken)
    return new >= _ELSE_WORDS and new >= _ELSE_SHARE * len(other)


def _is_stub(one: str, other: str) -> bool:
    """Tells whether an alternative lacks the text of another: far shorter, or only a pointer to where to read it."""
    if 2 * len(one) < len(other):
        return True
    return len(one) < _LONGEST_STUB and _ELSEWHERE.search(one) is not None and one not in other


def _letters(text: str) -> str:
    """Returns only the letters and digits of a text, for comparison."""
    return "".join(sign for sign in _ADDRESS.sub("", text).casefold() if sign.isalnum())


def _charset(part: Message) -> str:
    try:
        return part.get_content_charset() or ""
    except (LookupError, ValueError, AttributeError):
        return ""


def _text(part: Message) -> str:
    payload = part.get_payload(decode=True)
    content = payload if isinstance(payload, bytes) else b""
    for encoding in (_charset(part), ""):
        try:
            return decode_text(content, encoding)[0]
        except Unreadable:
            continue
    return content.decode("latin-1")


def _bytes(part: Message) -> bytes:
    """Returns the bytes of an attachment; of a delivery report, the messages it contains."""
    payload = part.get_payload(decode=True)
    if isinstance(payload, bytes):
        return payload
    inner = part.get_payload()
    return (
        b"\n".join(one.as_bytes() for one in inner if isinstance(one, Message))
        if isinstance(inner, list)
        else b""
    )


def _part_name(part: Message) -> str:
    size = len(_bytes(part))
    how_large = tr(", {size:,} bytes", size=size) if size else ""
    name = _file_name(part) or "unnamed"
    return f"Attachment: {name} ({part.get_content_type()}{how_large})"
