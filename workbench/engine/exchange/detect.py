"""Tells by its content which format a file is in; its name is only shown, never believed or used as a path."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from workbench.domain.errors import InvalidInput
from workbench.engine.exchange import foreign_json, json_format, workspace_format
from workbench.engine.exchange.elara_format import is_elara
from workbench.engine.exchange.markdown_reading import is_own_markdown
from workbench.engine.exchange.note_format import is_note
from workbench.ports.exchange_files import LARGEST_FILE_BYTES

ImportFormat = Literal["json", "workspace", "markdown", "note", "openai", "sharegpt", "chatgpt", "elara"]
_OWN: dict[str, tuple[ImportFormat, str]] = {
    "workbench-chats/": ("json", json_format.FORMAT),
    "workbench-workspace/": ("workspace", workspace_format.FORMAT),
}
_UNKNOWN = (
    "this is none of the formats that can be imported: our own JSON or Markdown, ChatGPT's conversations.json, "
    "OpenAI messages, ShareGPT conversations, Elara's files, notes with **user**: and **ai**:"
)


@dataclass(frozen=True, slots=True)
class Detected:
    """A file's format, what was parsed of it, and lines that could not be."""

    format: ImportFormat
    content: Any
    problems: tuple[str, ...] = ()


def detect(raw: bytes) -> Detected:
    """The format; `InvalidInput` where there is none."""
    if len(raw) > LARGEST_FILE_BYTES:
        raise InvalidInput("", f"larger than {LARGEST_FILE_BYTES // 1024 // 1024} MiB; import it in parts")
    if raw[:4] == b"PK\x03\x04":
        raise InvalidInput("", "this is an archive; unpack it, and import the conversations.json in it")
    text = foreign_json.read_text(raw)
    if not text.strip():
        raise InvalidInput("", "the file is empty")
    if is_own_markdown(text):
        return Detected("markdown", text)
    if is_note(text):
        return Detected("note", text)
    if text.lstrip()[0] in "{[":
        return _detect_json(text)
    raise InvalidInput("", _UNKNOWN)


def _detect_json(text: str) -> Detected:
    try:
        document = foreign_json.parse(text)
    except InvalidInput:
        return _detect_lines(text)
    if isinstance(document, dict) and str(document.get("format", "")).startswith(tuple(_OWN)):
        return _own_json(document)
    # Only our own format keeps half characters: everything else is read as it can be written again.
    return Detected(_kind(document), foreign_json.repaired(document, text))


def _own_json(document: dict[str, Any]) -> Detected:
    given = str(document["format"])
    kind, known = next(one for start, one in _OWN.items() if given.startswith(start))
    if given != known:
        raise InvalidInput("format", f"expected {known}; a newer program wrote this file")
    return Detected(kind, document)


def _detect_lines(text: str) -> Detected:
    """JSON lines: what is not JSON as a whole may be one value a line."""
    values, problems = foreign_json.parse_lines(text)
    if not values or not isinstance(values[0], dict):
        foreign_json.parse(text)
    return Detected(_kind(values), values, tuple(problems))


def _kind(document: object) -> ImportFormat:
    first = (
        next((one for one in document if isinstance(one, dict)), None)
        if isinstance(document, list)
        else document
    )
    if not isinstance(first, dict):
        raise InvalidInput("", _UNKNOWN)
    if isinstance(first.get("mapping"), dict):
        return "chatgpt"
    if isinstance(first.get("conversations", first.get("conversation")), list):
        return "sharegpt"
    if isinstance(first.get("messages"), list):
        return "openai"
    if is_elara(first) and first is document:
        return "elara"
    if isinstance(document, list) and isinstance(first.get("role"), str) and "content" in first:
        return "openai"
    raise InvalidInput("", _UNKNOWN)
