"""E-mail: who wrote to whom, when and about what, the text, and the names of what was attached; and saved pages."""

from __future__ import annotations

import email
import email.policy
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from email.message import EmailMessage, Message
from typing import Any

from workbench.domain.files.document import Document, ReadAs
from workbench.sources.extract.html import read_html
from workbench.sources.extract.prose import Prose, one_line
from workbench.sources.extract.refusal import Unreadable, clean, counted
from workbench.sources.extract.text import decoded

_HEADERS = ("From", "To", "Cc", "Date", "Subject")
_MOST_PARTS = 500
_ADDRESS = re.compile(r"https?://\S+")
_ELSEWHERE = re.compile(r"html|browser|mail(?:client|program|reader)")
_LONGEST_STUB = 300


def read_mail(content: bytes) -> Document:
    """The headers that people read, then the text, then what is attached, which is not opened."""
    message = _parsed(content)
    prose = Prose()
    for name in _HEADERS:
        value = _header(message, name)
        if value:
            prose.block(f"{name}: {value}", close=True)
    nodes = list(_nodes(message))
    parts = [one for one in nodes if not _is_box(one)]
    words = {id(one): _words(one) for one in parts if _is_body(one)}
    left_out = {place for one in nodes for place in _left_out(one, words)}
    for place, said in words.items():
        prose.block(said or "" if place not in left_out else "")
    attached = [one for one in parts if not _is_body(one)]
    for part in attached:
        prose.block(_named(part), close=True)
    text, sections = prose.finished()
    unread = [one for one in parts if words.get(id(one)) is None and _is_body(one)]
    out = [one for one in parts if id(one) in left_out and (words[id(one)] or "").strip()]
    notes = tuple(_notes(attached, out, unread, len(nodes)))
    return Document(text, ReadAs("email", notes=notes), sections)


def read_saved_page(content: bytes) -> Document:
    """A page that a browser saved as one file: its first part that is HTML."""
    for part in _nodes(_parsed(content)):
        if part.get_content_type() in ("text/html", "application/xhtml+xml"):
            found = read_html(_text(part))
            return replace(found, read_as=replace(found.read_as, encoding=_charset(part)))
    raise Unreadable(
        "it is a saved page without a page in it", "Save the page again as HTML, and attach that."
    )


def _parsed(content: bytes) -> Message:
    return email.message_from_bytes(content, policy=email.policy.default)


def _header(message: Message, name: str) -> str:
    """A header as it is read; where it is written wrongly, as it is written."""
    try:
        return one_line(str(message.get(name) or ""))
    except Exception:  # noqa: BLE001  (the parser of headers raises whatever its code stumbles over)
        raw = dict(message.raw_items()).get(name, "")
        return one_line(str(raw))


def _nodes(message: Message) -> Iterator[Any]:
    """A message, its boxes and what they hold, in order; what is attached as a message is one part."""
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


def _is_box(part: Message) -> bool:
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


def _words(part: Message) -> str | None:
    """What a body part says; None where it cannot be read."""
    if part.get_content_type() == "text/plain":
        return clean(_text(part)).replace("\r\n", "\n")
    try:
        return read_html(_text(part)).text
    except Unreadable:
        return None


def _left_out(box: Message, words: Mapping[int, str | None]) -> Iterator[int]:
    """The body parts of alternatives that are not taken: the plain one is, where it really has the words."""
    if box.get_content_type() != "multipart/alternative":
        return
    inside = [[one for one in _nodes(inner) if id(one) in words] for inner in _inside(box)]
    choices = sorted(inside, key=lambda parts: any(one.get_content_type() == "text/html" for one in parts))
    said = [_letters(" ".join(words[id(one)] or "" for one in parts)) for parts in choices]
    taken = next((n for n, one in enumerate(said) if not any(_is_stub(one, other) for other in said)), 0)
    yield from (id(one) for n, parts in enumerate(choices) if n != taken for one in parts)


def _is_stub(one: str, other: str) -> bool:
    """Whether an alternative lacks what another says: it is far shorter, or says no more than where to read it."""
    if 2 * len(one) < len(other):
        return True
    return len(one) < _LONGEST_STUB and _ELSEWHERE.search(one) is not None and one not in other


def _letters(text: str) -> str:
    """A text as it is compared: addresses, marks and line breaks do not count."""
    return "".join(sign for sign in _ADDRESS.sub("", text).casefold() if sign.isalnum())


def _notes(
    attached: Sequence[Message], out: Sequence[Message], unread: Sequence[Message], nodes: int
) -> Iterator[str]:
    """What is not in the text, by kind and count."""
    if attached:
        yield f"{counted(len(attached), 'attachment')} named, not opened"
    html = sum(one.get_content_type() == "text/html" for one in out)
    for number, kind in ((len(out) - html, "plain"), (html, "HTML")):
        if number:
            yield f"{counted(number, f'{kind} alternative')} left out"
    if unread:
        yield f"{counted(len(unread), 'HTML part')} without readable text"
    if nodes == _MOST_PARTS:
        yield f"only the first {_MOST_PARTS} parts read"


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
            return decoded(content, encoding)[0]
        except Unreadable:
            continue
    return content.decode("latin-1")


def _named(part: EmailMessage | Message) -> str:
    payload = part.get_payload(decode=True)
    size = len(payload) if isinstance(payload, bytes) else 0
    how_large = f", {size:,} bytes" if size else ""
    name = _file_name(part) or "unnamed"
    return f"Attachment: {name} ({part.get_content_type()}{how_large})"
