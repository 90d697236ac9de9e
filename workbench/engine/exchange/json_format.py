"""Our own format, `workbench-chats/1`: everything there is about a chat, envelopes and attached bytes included."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from workbench.domain.codec import decode, encode
from workbench.domain.errors import InvalidInput
from workbench.domain.files.attachment import Artifact
from workbench.domain.files.document import ReadAs
from workbench.domain.record import IMPORTED, Chat, ChatArchive, Record, Snapshot, TurnRecord
from workbench.domain.text import digest_text
from workbench.domain.translation import tr
from workbench.domain.turn import Tuning
from workbench.engine.exchange.imported import Imported
from workbench.engine.exchange.soundness import make_sound

FORMAT = "workbench-chats/1"
_PIECES_AT_ONCE, _FREED_AT_ONCE = 10_000, 500


def export_json(archives: Sequence[ChatArchive]) -> bytes:
    """All chats in one document; long texts and files are in it once."""
    tables = Tables()
    chats = [chat_document(archive, tables) for archive in archives]
    document = {"format": FORMAT, "chats": chats, "texts": tables.texts, "files": tables.files}
    # ASCII only: half characters survive, which UTF-8 cannot carry. In portions: joining and encoding all of it at once
    # would stop all threads for a frame or two, and so would freeing it.
    pieces = json.JSONEncoder(ensure_ascii=True, indent=1).iterencode(document)
    portions = iter(lambda: "".join(islice(pieces, _PIECES_AT_ONCE)).encode("ascii"), b"")
    written = b"".join([*portions, b"\n"])
    for records in (chat["records"] for chat in chats):
        while records:
            del records[-_FREED_AT_ONCE:]
    return written


def import_json(document: Mapping[str, Any]) -> Imported:
    """The chats as exported; an invalid one is named, the others are imported."""
    tables = Tables(document.get("texts"), document.get("files"))
    given = document.get("chats")
    if not isinstance(given, list):
        raise InvalidInput("chats", tr("expected a list"))
    archives: list[ChatArchive] = []
    problems: list[str] = []
    refused = 0
    for number, one in enumerate(given):
        try:
            archive, findings = make_sound(read_archive(one, tables))
        except InvalidInput as problem:
            refused += 1
            problems.append(tr("chats[{number}] was left out: {problem}", number=number, problem=problem))
            continue
        archives.append(archive)
        problems.extend(findings)
    return Imported(tuple(archives), tuple(problems), refused=refused)


class Tables:
    """Long texts and files by digest, so that damage is detected."""

    def __init__(self, texts: object = None, files: object = None) -> None:
        self.texts: dict[str, Any] = texts if isinstance(texts, dict) else {}
        self.files: dict[str, Any] = files if isinstance(files, dict) else {}
        self._checked: set[str] = set()

    def keep_text(self, text: str) -> str:
        digest = digest_text(text)
        self.texts[digest] = text
        return digest

    def find_text(self, digest: object) -> str:
        text = self.texts.get(digest) if isinstance(digest, str) else None
        if not isinstance(digest, str) or not isinstance(text, str):
            raise InvalidInput("texts", tr("a text that is referred to is missing"))
        if digest not in self._checked and digest_text(text) != digest:
            raise InvalidInput(
                "texts", tr("the text {digest}… is not the one that was exported", digest=digest[:12])
            )
        self._checked.add(digest)
        return text

    def keep_file(self, content: bytes) -> str:
        digest = hashlib.sha256(content).hexdigest()
        self.files[digest] = base64.b64encode(content).decode("ascii")
        return digest

    def find_file(self, digest: object) -> bytes:
        written = self.files.get(digest) if isinstance(digest, str) else None
        if not isinstance(written, str):
            raise InvalidInput("files", tr("a file that is referred to is missing"))
        try:
            content = base64.b64decode(written, validate=True)
        except (binascii.Error, ValueError):
            raise InvalidInput("files", tr("a file is not written in base64")) from None
        if hashlib.sha256(content).hexdigest() != digest:
            raise InvalidInput(
                "files", tr("the file {digest}… is not the one that was exported", digest=str(digest)[:12])
            )
        return content


def chat_document(archive: ChatArchive, tables: Tables) -> dict[str, Any]:
    """A chat as JSON; its long texts and files go into the tables."""
    keep = tables.keep_text
    chat = encode(replace(archive.chat, parameters={}), keep)
    del chat["used_utc"]  # the last message says it
    del chat["filed"]["brought"], chat["filed"]["temporary"]
    return {
        # Free JSON is written as it is: the codec would not know it again behind a digest.
        "chat": {**chat, "parameters": dict(archive.chat.parameters)},
        "records": [_record_document(record, tables) for record in archive.records],
        "turns": [_turn_document(turn, tables) for turn in archive.turns],
        "snapshots": [_snapshot_document(taken, tables) for taken in archive.snapshots],
        "attached": encode(archive.attached, keep),
        "tuning": encode(archive.tuning),
        "draft": encode(archive.draft, keep),
    }


def _record_document(record: Record, tables: Tables) -> dict[str, Any]:
    bare = replace(record, metadata={}, hints={})
    notes = {"metadata": dict(record.metadata), "hints": dict(record.hints)}
    return {**encode(bare, tables.keep_text), **notes}


def _turn_document(turn: TurnRecord, tables: Tables) -> dict[str, Any]:
    # Where a turn was sent is no part of the chat: whoever imports it notes that for himself.
    usage = None if turn.usage is None else {k: v for k, v in turn.usage.items() if k != IMPORTED}
    return {**encode(replace(turn, usage=None), tables.keep_text), "usage": usage}


def _snapshot_document(taken: Snapshot, tables: Tables) -> dict[str, Any]:
    return {
        "chat": taken.chat,
        "artifact": encode(taken.artifact, tables.keep_text),
        "taken_utc": taken.taken_utc,
        "modified_utc": taken.modified_utc,
        "content": tables.keep_file(taken.content),
        **({} if taken.read_as == ReadAs() else {"read_as": encode(taken.read_as)}),
    }


def read_archive(document: object, tables: Tables) -> ChatArchive:
    """Parse a chat from its JSON."""
    if not isinstance(document, dict):
        raise InvalidInput("", tr("expected an object"))
    find = tables.find_text
    return ChatArchive(
        chat=decode(Chat, document.get("chat"), find),
        records=decode(tuple[Record, ...], document.get("records", []), find),
        turns=decode(tuple[TurnRecord, ...], document.get("turns", []), find),
        snapshots=tuple(_snapshot(one, tables) for one in _listed(document, "snapshots")),
        attached=decode(tuple[Artifact, ...], document.get("attached", []), find),
        tuning=decode(Tuning, document.get("tuning", {}), find),
        draft=decode(str, document.get("draft", ""), find),
    )


def _listed(document: Mapping[str, Any], name: str) -> list[Any]:
    found = document.get(name, [])
    if not isinstance(found, list):
        raise InvalidInput(name, tr("expected a list"))
    return found


def _snapshot(document: object, tables: Tables) -> Snapshot:
    if not isinstance(document, dict):
        raise InvalidInput("snapshots", tr("expected an object"))
    return Snapshot(
        chat=decode(str, document.get("chat")),
        artifact=decode(Artifact, document.get("artifact"), tables.find_text),
        taken_utc=decode(str, document.get("taken_utc")),
        content=tables.find_file(document.get("content")),
        modified_utc=decode(str | None, document.get("modified_utc")),  # type: ignore[arg-type]
        read_as=decode(ReadAs, document.get("read_as", {})),
    )
