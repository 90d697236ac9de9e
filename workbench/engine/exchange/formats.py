"""The export formats, and what each of them leaves out."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from workbench.domain.errors import InvalidInput
from workbench.domain.message import Message
from workbench.domain.record import ChatArchive
from workbench.domain.translation import tr
from workbench.engine.exchange import markdown_format
from workbench.engine.exchange.branch import active_branch
from workbench.engine.exchange.elara_format import export_elara
from workbench.engine.exchange.json_format import export_json
from workbench.engine.exchange.markdown_format import export_markdown
from workbench.engine.exchange.openai_format import export_openai
from workbench.engine.exchange.sharegpt_format import export_sharegpt
from workbench.engine.exchange.watched_formats import (
    export_commands,
    export_lines,
    export_spans,
    export_trajectories,
)

Archives = Sequence[ChatArchive]
Files = tuple[tuple[str, bytes], ...]
"""Names, perhaps with one folder, made of letters, digits and signs that every file system takes; and contents."""

_WORDS = re.compile(r"[^A-Za-z0-9]+")
_BRANCH_ONLY = tr(
    "other branches and deleted messages, times, metadata, settings, sent "
    "requests, attachments, pictures, thinking, what commands of a "
    "question gave back"
)
_HTML_LEFT_OUT = tr("deleted messages, settings, sent requests, files other than their text and pictures")
_LONGEST_NAME = 40


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """An export format: its name, what it cannot hold, how chats become files, and whether it has all branches.

    `with_paths` makes the same files with where attached files lie; None where a format says either all or nothing.
    """

    name: str
    leaves_out: str
    export: Callable[[Archives], Files]
    has_branches: bool = False
    with_paths: Callable[[Archives], Files] | None = None


def _markdown(archives: Archives, paths: bool = False) -> Files:
    stems = file_stems(archives)
    return tuple(
        (f"{stem}.md", export_markdown(one, paths)) for stem, one in zip(stems, archives, strict=True)
    )


def _elara(archives: Archives) -> Files:
    """One chat is a folder of files; several are a folder each, since Elara knows only one conversation."""
    folders = [f"{stem}/" for stem in file_stems(archives)] if len(archives) > 1 else [""]
    pairs = zip(folders, archives, strict=False)
    return tuple((folder + name, body) for folder, one in pairs for name, body in export_elara(one))


def _html(archives: Archives, paths: bool = False) -> Files:
    # What reads Markdown takes a while to load, and is needed for this alone.
    from workbench.engine.exchange.html_format import export_html

    stems = file_stems(archives)
    return tuple((f"{stem}.html", export_html(one, paths)) for stem, one in zip(stems, archives, strict=True))


FORMATS: tuple[ExportFormat, ...] = (
    ExportFormat("json", "", lambda archives: (("chats.workbench.json", export_json(archives)),)),
    ExportFormat(
        "markdown", markdown_format.LEFT_OUT, _markdown, with_paths=lambda archives: _markdown(archives, True)
    ),
    ExportFormat(
        "html", _HTML_LEFT_OUT, _html, has_branches=True, with_paths=lambda archives: _html(archives, True)
    ),
    ExportFormat(
        "openai",
        tr("{branch_only}, titles", branch_only=_BRANCH_ONLY),
        lambda archives: (("chats.jsonl", export_openai(archives)),),
    ),
    ExportFormat(
        "sharegpt",
        tr("{branch_only}, titles, tool calls", branch_only=_BRANCH_ONLY),
        lambda archives: (("chats.json", export_sharegpt(archives)),),
    ),
    ExportFormat(
        "elara",
        tr(
            "other branches and deleted messages, titles, settings, sent requests, "
            "attachments, pictures, thinking, what commands of a question gave "
            "back, tool calls (results of tools become system messages)"
        ),
        _elara,
    ),
)


_ALL_BUT_REQUESTS = tr("messages beside its requests, titles, settings")
WATCHED_FORMATS: tuple[ExportFormat, ...] = (
    ExportFormat("trajectory", _ALL_BUT_REQUESTS, export_trajectories),
    ExportFormat("curl", tr("answers, titles, settings, keys"), export_commands),
    ExportFormat("lines", tr("texts, titles, settings"), export_lines),
    ExportFormat("otlp", tr("texts, titles, settings"), export_spans),
)
"""Formats of watched chats alone."""


def find_format(name: str) -> ExportFormat:
    """The format of that name; raises `InvalidInput` if there is none."""
    for one in (*FORMATS, *WATCHED_FORMATS):
        if one.name == name:
            return one
    raise InvalidInput(
        "format",
        tr("expected one of {value}, got {name!r}", value=", ".join(one.name for one in FORMATS), name=name),
    )


def left_out(chosen: ExportFormat, archives: Archives) -> str:
    """What an export of these chats does not hold: in general, and counted."""
    if not chosen.leaves_out:
        return tr("Nothing is left out.")
    counts = _counts_with_branches(archives) if chosen.has_branches else _counts(archives)
    return tr("Left out: {leaves_out}. Here: {counts}.", leaves_out=chosen.leaves_out, counts=counts)


def file_stems(archives: Archives) -> tuple[str, ...]:
    """A unique, valid file name for each chat."""
    stems: dict[str, None] = {}
    for archive in archives:
        words = _WORDS.sub("-", f"{archive.chat.created_utc[:10]} {archive.chat.title}").strip("-").lower()
        stem = words[:_LONGEST_NAME].strip("-") or "chat"
        number = 1
        while (f"{stem}-{number}" if number > 1 else stem) in stems:
            number += 1
        stems[f"{stem}-{number}" if number > 1 else stem] = None
    return tuple(stems)


def _counts_with_branches(archives: Archives) -> str:
    deleted = sum(one.deleted_utc is not None for archive in archives for one in archive.records)
    return tr(
        "deleted messages: {deleted}, requests: {sum}",
        deleted=deleted,
        sum=sum(len(one.turns) for one in archives),
    )


def _counts(archives: Archives) -> str:
    branches = [active_branch(one) for one in archives]
    messages = sum(len(one.records) for one in archives) - sum(map(len, branches))
    turns = sum(len(one.turns) for one in archives)
    attachments = sum(len(one.snapshots) for one in archives)
    pictures = sum(
        len(record.entry.images)
        for branch in branches
        for record in branch
        if isinstance(record.entry, Message)
    )
    results = sum(len(record.commands) for branch in branches for record in branch)
    return tr(
        "messages of other branches or deleted: {messages}, requests: {turns}, "
        "attachments: {attachments}, pictures: {pictures}, results of "
        "commands: {results}",
        messages=messages,
        turns=turns,
        attachments=attachments,
        pictures=pictures,
        results=results,
    )
