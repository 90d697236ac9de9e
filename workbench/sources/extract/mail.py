"""E-mail: who wrote to whom, when and about what, the text, and the names of what was attached; and saved pages."""

from __future__ import annotations

import email
import email.policy
from collections.abc import Iterator
from dataclasses import replace
from email.message import EmailMessage, Message
from typing import Any

from workbench.domain.document import Document, ReadAs
from workbench.sources.extract.html import read_html
from workbench.sources.extract.prose import Prose, one_line
from workbench.sources.extract.refusal import Unreadable, clean, counted
from workbench.sources.extract.text import decoded

_HEADERS = ("From", "To", "Cc", "Date", "Subject")
_MOST_PARTS = 500


def read_mail(content: bytes) -> Document:
    """The headers that people read, then the text, then what is attached, which is not opened."""
    message = _parsed(content)
    prose = Prose()
    for name in _HEADERS:
        value = _header(message, name)
        if value:
            prose.block(f"{name}: {value}", close=True)
    parts = list(_parts(message))
    prose.block(_body(parts))
    attached = [one for one in parts if not _is_body(one)]
    for part in attached:
        prose.block(_named(part), close=True)
    text, sections = prose.finished()
    notes = (f"{counted(len(attached), 'attachment')} named, not opened",) if attached else ()
    return Document(text, ReadAs("email", notes=notes), sections)


def read_saved_page(content: bytes) -> Document:
    """A page that a browser saved as one file: its first part that is HTML."""
    for part in _parts(_parsed(content)):
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


def _parts(message: Message) -> Iterator[Any]:
    """What a message is made of, without the boxes; what is attached as a message is one part."""
    waiting: list[Message] = [message]
    for _ in range(_MOST_PARTS):
        if not waiting:
            return
        part = waiting.pop(0)
        inner = part.get_payload() if part.is_multipart() else None
        if isinstance(inner, list) and part.get_content_maintype() == "multipart":
            waiting[:0] = [one for one in inner if isinstance(one, Message)]
        else:
            yield part


def _is_body(part: Message) -> bool:
    return part.get_content_type() in ("text/plain", "text/html") and not _file_name(part)


def _file_name(part: Message) -> str:
    try:
        name = part.get_filename() or ""
    except (ValueError, TypeError, LookupError, AttributeError, IndexError):
        name = "a file"
    is_attached = str(part.get("Content-Disposition", "")).lower().startswith("attachment")
    return one_line(str(name)) or ("a file" if is_attached else "")


def _body(parts: list[Any]) -> str:
    bodies = [one for one in parts if _is_body(one)]
    plain = [clean(_text(one)) for one in bodies if one.get_content_type() == "text/plain"]
    if any(one.strip() for one in plain):
        return "\n\n".join(one.replace("\r\n", "\n").strip("\n") for one in plain)
    pages = []
    for one in bodies:
        if one.get_content_type() == "text/html":
            try:
                pages.append(read_html(_text(one)).text)
            except Unreadable:
                continue
    return "\n\n".join(pages)


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
