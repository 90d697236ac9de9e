"""Chats as Markdown that people read and we read back.

A message is the Markdown it was written in, between two comments with a mark that none of the texts contains. Only what
is no Markdown (tools), and what would run into the next message or pass for one, stands in a fence.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence

from workbench.domain.files.attachment import ArtifactKind
from workbench.domain.message import Message
from workbench.domain.record import ChatArchive, Record
from workbench.domain.text import repair_text
from workbench.engine.exchange.branch import (
    active_branch,
    all_attached,
    file_names,
    quoted_for,
    role_and_texts,
)
from workbench.engine.exchange.context_line import Named, write_context

FORMAT = "workbench-markdown/2"
LEFT_OUT = (
    "other branches and deleted messages, ids and metadata of messages, settings, sent requests, "
    "the contents of attachments, pictures, thinking, what commands of a question gave back"
)
_TICKS = re.compile(r"`+")
_LINES = re.compile(r"\r\n|\r|\n")
_FENCE = re.compile(r"( {0,3})(`{3,}|~{3,})(.*)")
_HTML = re.compile(r" {0,3}<(?!https?:|mailto:)[A-Za-z/!?]")
_HEADING = re.compile(r" {0,3}##? +(system|user|assistant|tool)\b", re.IGNORECASE)


def export_markdown(archive: ChatArchive, paths: bool = False) -> bytes:
    """The branch in view, a heading a message; attached files by their names, or with where they lie."""
    return "\n".join(_lines(archive, {} if paths else file_names(archive))).encode("utf-8")


def _lines(archive: ChatArchive, names: Mapping[str, str]) -> Iterator[str]:
    chat, branch = archive.chat, active_branch(archive)
    mark = _free_mark([text for record in branch for text in role_and_texts(record.entry)[1]])
    yield f'<!-- {FORMAT} chat={_quoted(chat.id)} created={_quoted(chat.created_utc)} mark="{mark}" -->'
    yield f"# {' '.join(repair_text(chat.title).split())}"
    yield ""
    yield f"Left out of this file: {LEFT_OUT}."
    yield ""
    kinds = {artifact.key: artifact.kind for artifact in all_attached(archive)}
    quoted = quoted_for(archive)
    for record in branch:
        attached = [(kinds.get(key) or _guess(key), names.get(key, key)) for key in record.attached]
        yield from _message(record, attached, quoted.get(record.id, ()), mark)


def _message(record: Record, attached: Sequence[Named], quoted: Sequence[str], mark: str) -> Iterator[str]:
    role, texts = role_and_texts(record.entry)
    yield "## " + " · ".join([role.capitalize(), *_facts(record)])
    yield ""
    if attached:
        yield write_context((kind, repair_text(name)) for kind, name in attached)
        yield ""
    if quoted:
        yield f"[Quoted: {'; '.join(quoted)}]".replace("<", "")  # a comment would hide what follows
        yield ""
    if isinstance(record.entry, Message):
        yield from _tool_lines(record.entry)
    for text in texts:
        if role == "tool":
            yield from _fenced(text, "text")
        elif _keeps_to_itself(text):
            yield from (f"<!-- {mark} -->", "", text, "", f"<!-- {mark} -->", "")
        else:
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


def _keeps_to_itself(text: str) -> bool:
    """Whether, read as Markdown, a text ends where it ends and has no heading like those of messages."""
    indent = fence = ""
    for line in _LINES.split(text):
        found = _FENCE.fullmatch(line)
        if fence:
            if line.strip() and not line.startswith(indent):
                return False  # the list that the fence is in ends here, and the fence with it
            if found is not None and found[2].startswith(fence) and not found[3].strip():
                fence = ""
        elif found is not None and not (found[2][0] == "`" and "`" in found[3]):
            indent, fence = found[1], found[2]
        elif _HTML.match(line) or _HEADING.match(line):
            return False
    return not fence


def _free_mark(texts: Sequence[str]) -> str:
    mark = ""
    while not mark or any(mark in text for text in texts):
        # The digest of the list as it is printed, text by text: all at once would stop all threads for two frames.
        digest = hashlib.sha256(f"{mark}[".encode())
        for number, text in enumerate(texts):
            digest.update(f"{', ' if number else ''}{text!r}".encode())
        digest.update(b"]")
        mark = digest.hexdigest()[:8]
    return mark


def _guess(key: str) -> ArtifactKind:
    return "url" if key.startswith(("https://", "http://")) else "file"


def _quoted(text: str) -> str:
    """In quotes, on its line, and unable to end the comment it stands in."""
    return json.dumps(text, ensure_ascii=True).replace(">", "\\u003e")
