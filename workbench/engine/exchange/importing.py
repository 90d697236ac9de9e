"""Files in, chats out: each file is recognised by its content and read; one that cannot be used stops no other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from workbench.domain.errors import InvalidInput
from workbench.engine.exchange import foreign_json, json_format, workspace_format
from workbench.engine.exchange.chatgpt_format import import_chatgpt
from workbench.engine.exchange.elara_format import import_elara, is_elara, is_elara_name
from workbench.engine.exchange.imported import Fresh, Imported, merged
from workbench.engine.exchange.json_format import import_json
from workbench.engine.exchange.markdown_reading import import_markdown, is_own_markdown
from workbench.engine.exchange.note_format import import_note, is_note
from workbench.engine.exchange.openai_format import import_openai
from workbench.engine.exchange.sharegpt_format import import_sharegpt
from workbench.engine.exchange.workspace_format import import_workspace
from workbench.ports.exchange_files import LARGEST_FILE_BYTES, NamedFile
from workbench.ports.folder import SealedFiles

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


def import_files(files: Sequence[NamedFile], fresh: Fresh, key: SealedFiles | None = None) -> Imported:
    """Everything the files hold; Elara's, being a message each, together are one chat."""
    parts: list[Imported] = []
    messages: list[NamedFile] = []
    for name, raw in files:
        try:
            found = None if is_elara_name(name) else detect(raw)
            if found is None or found.format == "elara":
                messages.append((name, raw))
            else:
                parts.append(_named(name, _read(found, fresh), found.problems))
        except InvalidInput as problem:
            parts.append(Imported(problems=(f"{name}: {problem}; left out",), refused=1))
    if messages:
        parts.append(import_elara(messages, fresh, key))
    return merged(parts)


def _read(found: Detected, fresh: Fresh) -> Imported:
    match found.format:
        case "json":
            return import_json(found.content)
        case "workspace":
            return import_workspace(found.content)
        case "markdown":
            return import_markdown(found.content, fresh)
        case "note":
            return import_note(found.content, fresh)
        case "openai":
            return import_openai(found.content, fresh)
        case "sharegpt":
            return import_sharegpt(found.content, fresh)
        case _:
            return import_chatgpt(found.content, fresh)


def _named(name: str, imported: Imported, also: Sequence[str]) -> Imported:
    problems = (*also, *imported.problems)
    return replace(imported, problems=tuple(f"{name}: {problem}" for problem in problems))
