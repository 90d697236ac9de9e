"""A file's bytes as text and back, with its encoding and its line ends as they were."""

from __future__ import annotations

import codecs

from workbench.tools.workspace.refusals import Refused

_SNIFFED_BYTES = 8192
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def text_of(content: bytes) -> str | None:
    """The text for reading and searching, line ends as `\\n`; None where the bytes are not text."""
    try:
        decoded = content.decode("utf-16") if content.startswith(_UTF16) else content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    if "\0" in decoded[:_SNIFFED_BYTES]:
        return None
    return decoded.replace("\r\n", "\n")


def utf8_text(content: bytes, name: str) -> str:
    """The text for changing, exactly as it is in the file; anything but UTF-8 is refused."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(
            f"{name} is not UTF-8 text, so it is not edited; use write to replace it whole."
        ) from None
    if "\0" in text[:_SNIFFED_BYTES]:
        raise Refused(f"{name} looks like a binary file, so it is not edited.")
    return text


def uses_crlf(text: str) -> bool:
    """Whether most lines end as on Windows."""
    return text.count("\r\n") * 2 > text.count("\n")


def written_like(text: str, old: bytes | None) -> bytes:
    """New text as bytes, with the line ends and the byte order mark of the file it replaces."""
    try:
        content = text.encode("utf-8")
    except UnicodeEncodeError:
        raise Refused("The text holds half of a surrogate pair, which no file can hold.") from None
    if old is None:
        return content
    if old.count(b"\r\n") * 2 > old.count(b"\n") and b"\r" not in content:
        content = content.replace(b"\n", b"\r\n")
    if old.startswith(codecs.BOM_UTF8) and not content.startswith(codecs.BOM_UTF8):
        content = codecs.BOM_UTF8 + content
    return content
