"""Chats as Markdown that people read and we read back: words stand in fences, so none can pass for a heading."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from workbench.domain.files.attachment import Artifact, ArtifactKind
from workbench.domain.message import Message
from workbench.domain.record import ChatArchive, Record
from workbench.domain.text import repair_text
from workbench.engine.exchange.branch import active_branch, role_and_texts
from workbench.engine.exchange.context_line import write_context

FORMAT = "workbench-markdown/1"
LEFT_OUT = (
    "other branches and deleted messages, ids and metadata of messages, settings, requests with their envelopes, "
    "the contents of attachments, pictures, thinking, what commands of a question gave back"
)
_TICKS = re.compile(r"`+")


def export_markdown(archive: ChatArchive) -> bytes:
    """The branch in view, a heading a message."""
    return "\n".join(_lines(archive)).encode("utf-8")


def _lines(archive: ChatArchive) -> Iterator[str]:
    chat = archive.chat
    yield f"<!-- {FORMAT} chat={_quoted(chat.id)} created={_quoted(chat.created_utc)} -->"
    yield f"# {' '.join(repair_text(chat.title).split())}"
    yield ""
    yield f"Left out of this file: {LEFT_OUT}."
    yield ""
    kinds = _kinds(archive)
    for record in active_branch(archive):
        yield from _message(record, kinds)


def _message(record: Record, kinds: Mapping[str, ArtifactKind]) -> Iterator[str]:
    role, texts = role_and_texts(record.entry)
    yield "## " + " · ".join([role.capitalize(), *_facts(record)])
    yield ""
    if record.attached:
        yield write_context((kinds.get(key) or _guess(key), repair_text(key)) for key in record.attached)
        yield ""
    if isinstance(record.entry, Message):
        yield from _tool_lines(record.entry)
    for text in texts:
        yield from _fenced(text, "markdown")


def _facts(record: Record) -> Iterator[str]:
    # A time with a blank in it would not be read back; only foreign ones can have one.
    yield "".join(repair_text(record.created_utc).split()) or "-"
    if record.state != "complete":
        yield record.state


def _tool_lines(message: Message) -> Iterator[str]:
    if message.tool_call_id is not None:
        yield f"[Answers call: {_quoted(message.tool_call_id)}]"
        yield ""
    for call in message.tool_calls:
        written = {"id": call.id, "name": call.name, "arguments": call.arguments}
        yield from _fenced(json.dumps(written, ensure_ascii=True), "tool-call")


def _fenced(text: str, kind: str) -> Iterator[str]:
    """A text between two lines of backticks, one longer than any run of them in it."""
    fence = "`" * max(3, 1 + max((len(run) for run in _TICKS.findall(text)), default=0))
    yield f"{fence}{kind}"
    yield text
    yield fence
    yield ""


def _kinds(archive: ChatArchive) -> dict[str, ArtifactKind]:
    artifacts: list[Artifact] = [taken.artifact for taken in archive.snapshots]
    artifacts += [one for turn in archive.turns for one in turn.built.inputs.attached]
    return {artifact.key: artifact.kind for artifact in (*artifacts, *archive.attached)}


def _guess(key: str) -> ArtifactKind:
    return "url" if key.startswith(("https://", "http://")) else "file"


def _quoted(text: str) -> str:
    """In quotes, on its line, and unable to end the comment it stands in."""
    return json.dumps(text, ensure_ascii=True).replace(">", "\\u003e")
