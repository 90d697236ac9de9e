"""Imports chat files: each is recognised by its content and parsed; one that cannot be used stops no other."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from workbench.domain.errors import InvalidInput
from workbench.domain.message import Message
from workbench.domain.record import ChatArchive
from workbench.domain.translation import tr
from workbench.engine.exchange import foreign_json, json_format, trajectory_format, workspace_format
from workbench.engine.exchange.beside import Beside
from workbench.engine.exchange.chatgpt_format import import_chatgpt, is_chatgpt
from workbench.engine.exchange.cherry_format import import_cherry, is_cherry
from workbench.engine.exchange.claude_format import import_claude, is_claude
from workbench.engine.exchange.elara_format import import_elara, is_elara, is_elara_name
from workbench.engine.exchange.gemini_format import import_gemini, is_gemini
from workbench.engine.exchange.imported import Fresh, Imported, Losses
from workbench.engine.exchange.librechat_format import import_librechat, is_librechat
from workbench.engine.exchange.lmstudio_format import import_lmstudio, is_lmstudio
from workbench.engine.exchange.markdown_reading import import_markdown, is_own_markdown
from workbench.engine.exchange.note_format import import_note, is_note
from workbench.engine.exchange.open_webui_format import import_open_webui, is_open_webui
from workbench.engine.exchange.openai_format import import_openai
from workbench.engine.exchange.sharegpt_format import import_sharegpt
from workbench.engine.exchange.source_ids import SourceIds, placeholders
from workbench.ports.exchange_files import LARGEST_FILE_BYTES, FileGroup, FoundFile, NamedFile
from workbench.ports.folder import SealedFiles

# The formats of other programs that are JSON: how each is recognised, and what reads it.


_SHOWN = 8
_LONGEST = 30


@dataclass(frozen=True, slots=True)
class ReadableFormat:
    """One import format: how its first item is recognised, and how the file is parsed, in pieces if it is a list."""

    name: str
    recognise: Callable[[dict[str, Any]], bool]
    read: Callable[[Any, Fresh], Imported]


def _is_sharegpt(one: dict[str, Any]) -> bool:
    return isinstance(one.get("conversations", one.get("conversation")), list)


def _has_messages(one: dict[str, Any]) -> bool:
    return isinstance(one.get("messages"), list)


def _is_message(one: dict[str, Any]) -> bool:
    return isinstance(one.get("role"), str) and "content" in one


FORMATS: tuple[ReadableFormat, ...] = (
    ReadableFormat("chatgpt", is_chatgpt, import_chatgpt),
    ReadableFormat("claude", is_claude, import_claude),
    ReadableFormat("open-webui", is_open_webui, import_open_webui),
    ReadableFormat("takeout", is_gemini, import_gemini),
    ReadableFormat("librechat", is_librechat, import_librechat),
    ReadableFormat("lm-studio", is_lmstudio, import_lmstudio),
    ReadableFormat("cherry-studio", is_cherry, import_cherry),
    ReadableFormat("sharegpt", _is_sharegpt, import_sharegpt),
    ReadableFormat("openai", _has_messages, import_openai),
)
"""The first that recognises a file reads it: those that ask for the least come last."""


def format_of(first: dict[str, Any], document: object) -> ReadableFormat | None:
    """The format of a document that begins with this item; None if unknown."""
    found = next((one for one in FORMATS if one.recognise(first)), None)
    if found is None and isinstance(document, list) and _is_message(first):
        return FORMATS[-1]
    return found


def found_in(content: object) -> str:
    """A short description of an unrecognised document: the fields of its first item."""
    things = content if isinstance(content, list) else [content]
    first = next((one for one in things if isinstance(one, dict)), {})
    fields = _names(first)
    listed = next((value for value in first.values() if isinstance(value, list) and value), ())
    inner = next((one for one in listed if isinstance(one, dict)), {})
    number = tr("{n:,} things with ", n=len(things)) if len(things) > 1 else ""
    said = f"{number}{fields or 'no fields'}"
    return (
        tr("{said}; in a list of {n:,}: {names}", said=said, n=len(listed), names=_names(inner))
        if inner
        else said
    )


def _names(table: dict[str, Any]) -> str:
    names = [str(name)[:_LONGEST] for name in table]
    return ", ".join(names[:_SHOWN]) + ("…" if len(names) > _SHOWN else "")


Read = Callable[[Any, Fresh], Imported]
_OWN: dict[str, tuple[str, str]] = {
    "workbench-chats/": ("json", json_format.FORMAT),
    "workbench-workspace/": ("workspace", workspace_format.FORMAT),
    "workbench-trajectory/": ("trajectory", trajectory_format.FORMAT),
}
_READ: dict[str, Read] = {
    "json": lambda content, fresh: json_format.import_json(content),
    "workspace": lambda content, fresh: workspace_format.import_workspace(content),
    "trajectory": trajectory_format.import_trajectory,
    "markdown": import_markdown,
    "note": import_note,
    **{one.name: one.read for one in FORMATS},
}
_ELARA = "elara"
_AS_IT_IS = ("json", "workspace")
"""What this program wrote itself: a chat in it may be empty, and has the ids it had."""
UNKNOWN = tr(
    "this is none of the formats that can be imported: this program’s JSON or "
    "Markdown, trajectories, the exports of ChatGPT, Claude.ai, Gemini "
    "(Takeout), LibreChat, LM Studio, Open WebUI and Cherry Studio, OpenAI "
    "messages, ShareGPT conversations, Elara's files, notes with **user**: "
    "and **ai**:"
)
STREAMED_BYTES = 4 * 1024 * 1024
"""From here on a list of chats is read some at a time, so that memory holds only those."""
AT_ONCE = 100
_EMPTY_CHAT = tr("chat without messages")
_NO_CHATS = tr("file of the archive that holds no chats")


@dataclass(frozen=True, slots=True)
class Detected:
    """A file's format, its parsed content, and lines that could not be parsed."""

    format: str
    content: Any
    problems: tuple[str, ...] = ()


class UnknownFormat(InvalidInput):
    """Raised for a readable file without chats in a known format."""


def detect(raw: bytes) -> Detected:
    """Detect the format of a file; `InvalidInput` if there is none."""
    if len(raw) > LARGEST_FILE_BYTES:
        raise InvalidInput(
            "",
            tr(
                "larger than {largest_file_bytes} MiB; import it in parts",
                largest_file_bytes=LARGEST_FILE_BYTES // 1024 // 1024,
            ),
        )
    text = foreign_json.read_text(raw)
    first = next((sign for sign in text if not sign.isspace()), "")
    if not first:
        raise InvalidInput("", tr("the file is empty"))
    if is_own_markdown(text):
        return Detected("markdown", text)
    if first in "{[":
        try:
            return _detect_json(text)
        except InvalidInput:
            if not is_note(text):
                raise
    # Last: looking for its signs stops all threads for a frame in 10 MB, and no JSON has them.
    if is_note(text):
        return Detected("note", text)
    raise UnknownFormat("", UNKNOWN)


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
        raise InvalidInput("format", tr("expected {known}; a newer program wrote this file", known=known))
    return Detected(kind, document)


def _detect_lines(text: str) -> Detected:
    """Detect JSON lines: one value per line."""
    values, problems = foreign_json.parse_lines(text)
    if not values or not isinstance(values[0], dict):
        foreign_json.parse(text)
    return Detected(_kind(values), values, tuple(problems))


def _kind(document: object) -> str:
    first = (
        next((one for one in document if isinstance(one, dict)), None)
        if isinstance(document, list)
        else document
    )
    found = format_of(first, document) if isinstance(first, dict) else None
    if found is not None:
        return found.name
    if isinstance(first, dict) and is_elara(first) and first is document:
        return _ELARA
    raise UnknownFormat("", UNKNOWN)


def read_groups(
    groups: Sequence[FileGroup], fresh: Fresh, key: SealedFiles | None = None
) -> Iterator[Imported]:
    """Chats of the files in batches, each with the share of the files read so far."""
    files = [file for group in groups for file in group.files]
    reading = _Reading(fresh, key, sum(file.size_bytes for file in files) or 1)
    # By names and sizes: it is wanted before the files are read, and an import that was cut off is known by it.
    names = "\0".join(f"{file.name}\0{file.size_bytes}" for file in files)
    source = hashlib.sha256(names.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    for group in groups:
        for part in reading.group(group):
            yield replace(part, source=source)


@dataclass(slots=True)
class _Reading:
    fresh: Fresh
    key: SealedFiles | None
    whole_bytes: int
    done_bytes: int = 0

    def group(self, group: FileGroup) -> Iterator[Imported]:
        """Import files that belong together; Elara's files, one message each, make one chat."""
        fresh = replace(self.fresh, new_id=placeholders(), beside=Beside(group.beside))
        sealed: list[NamedFile] = []
        recognised, unknown = 0, []
        for file in group.files:
            if group.archive and recognised and not _is_json(file.name):
                continue
            ids = SourceIds()
            try:
                for part in self._file(file, fresh, sealed):
                    recognised += 1
                    yield ids.settled(part)
            except UnknownFormat as problem:
                unknown.append(
                    Imported(
                        said=(tr("{name}: {problem}; left out", name=file.name, problem=problem),), refused=1
                    )
                )
            except InvalidInput as problem:
                yield Imported(
                    said=(tr("{name}: {problem}; left out", name=file.name, problem=problem),), refused=1
                )
            self.done_bytes += file.size_bytes
        if sealed:
            yield SourceIds().settled(import_elara(sealed, fresh, self.key))
        if group.archive and recognised:
            # Beside its chats an export has lists of feedback, of the user's own data, and the like.
            yield Imported(losses=Losses(+Counter({_NO_CHATS: len(unknown)})))
        else:
            yield from unknown

    def _file(self, file: FoundFile, fresh: Fresh, sealed: list[NamedFile]) -> Iterator[Imported]:
        raw = file.load()
        if len(raw) >= STREAMED_BYTES and foreign_json.opens_list(raw):
            yield from self._without_empty(file, self._streamed(raw, fresh), None)
            return
        name = file.name.rpartition("/")[2]
        found = None if is_elara_name(name) else detect(raw)
        if found is None or found.format == _ELARA:
            sealed.append((name, raw))
            return
        part = replace(_READ[found.format](found.content, fresh), share=self._share(file.size_bytes))
        part = replace(part, said=(*found.problems, *part.said))
        if found.format in _AS_IT_IS:
            yield _named(file.name, part)
        else:
            yield from self._without_empty(file, (part,), found.content)

    def _without_empty(
        self, file: FoundFile, parts: Iterable[Imported], content: object
    ) -> Iterator[Imported]:
        """The parts of one file without empty chats; if nothing is left, the file is refused with a description."""
        chats = refused = 0
        for part in parts:
            full = tuple(archive for archive in part.archives if _is_not_empty(archive))
            chats, refused = chats + len(full), refused + part.refused
            empty = len(part.archives) - len(full)
            lost = Losses(+Counter({_EMPTY_CHAT: empty if full else 0}))
            if full or part.refused or part.said or content is None:
                yield _named(file.name, replace(part, archives=full, losses=part.losses.plus(lost)))
        if not chats and not refused:
            found = tr("; found: {found_in}", found_in=found_in(content)) if content is not None else ""
            raise InvalidInput("", tr("no message in it says anything{found}", found=found))

    def _streamed(self, raw: bytes, fresh: Fresh) -> Iterator[Imported]:
        kind, first = "", 1
        for some, at in foreign_json.listed(raw, AT_ONCE):
            kind = kind or _kind(some)
            part = _READ[kind](some, replace(fresh, first=first))
            first += len(some)
            yield replace(part, share=self._share(at))

    def _share(self, more_bytes: int) -> float:
        return min(1.0, (self.done_bytes + more_bytes) / self.whole_bytes)


def _is_json(name: str) -> bool:
    return name.lower().endswith((".json", ".jsonl"))


def _is_not_empty(archive: ChatArchive) -> bool:
    for record in archive.records:
        entry = record.entry
        if (
            not isinstance(entry, Message)
            or any(entry.texts)
            or entry.tool_calls
            or entry.images
            or entry.thinking
        ):
            return True
    return any(record.attached for record in archive.records)


def _named(name: str, imported: Imported) -> Imported:
    return replace(imported, said=tuple(f"{name}: {problem}" for problem in imported.said))
