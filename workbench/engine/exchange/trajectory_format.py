"""Imports a trajectory as a chat: its messages, the texts attached, and the settings of its last turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from workbench.context.watch.exports import FORMAT
from workbench.domain.errors import InvalidInput
from workbench.domain.reading.node import Node
from workbench.domain.record import ChatArchive
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.settings.preset import merge_settings
from workbench.domain.translation import tr
from workbench.engine.exchange.foreign_json import to_utc
from workbench.engine.exchange.imported import (
    Fresh,
    Ids,
    Imported,
    ImportedMessage,
    Losses,
    linear_archive,
    started,
)
from workbench.engine.exchange.kept_files import KeptFiles
from workbench.engine.exchange.openai_format import read_messages

__all__ = ["FORMAT", "import_trajectory"]
_KNOWN_FIELDS = ("format", "description", "settings", "history", "turns")
_TURN_FIELDS = ("settings", "user", "reply", "attach", "library", "now")


def import_trajectory(document: Mapping[str, Any], fresh: Fresh) -> Imported:
    """Returns the conversation of a trajectory as one chat."""
    lost = Losses()
    problems: list[str] = []
    lost.note_fields("trajectory", _own(document), _KNOWN_FIELDS)
    settings = _settings(document, problems)
    title = document["description"] if isinstance(document.get("description"), str) else ""
    chat = replace(started(Ids(fresh.new_id).take(), title, fresh.now_utc), settings=settings)
    files = KeptFiles(chat.id, fresh.beside, lost)
    history = list(read_messages(_listed(document, "history"), "history", problems, lost))
    said = [*history, *_turns(document, files, fresh, (problems, lost))]
    archive = linear_archive(chat, said, Ids(fresh.new_id), fresh.now_utc)
    return Imported(
        (ChatArchive(archive.chat, archive.records, snapshots=files.snapshots()),),
        tuple(problems),
        losses=lost,
    )


def _own(table: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a table without remarks, whose names start with an underscore."""
    return {name: value for name, value in table.items() if not name.startswith("_")}


def _listed(table: Mapping[str, Any], name: str) -> list[Any]:
    found = table.get(name)
    return found if isinstance(found, list) else []


def _settings(document: Mapping[str, Any], problems: list[str]) -> ContextSettings:
    """Returns the settings after the last turn; invalid ones are reported, and the earlier ones kept."""
    settings = ContextSettings()
    tables = [document, *(turn for turn in _listed(document, "turns") if isinstance(turn, dict))]
    for table in tables:
        try:
            settings = merge_settings(settings, Node(table.get("settings") or {}, "settings"))
        except InvalidInput as problem:
            problems.append(tr("{problem}; these settings were left out", problem=problem))
    return settings


def _turns(
    document: Mapping[str, Any], files: KeptFiles, fresh: Fresh, told: tuple[list[str], Losses]
) -> Iterator[ImportedMessage]:
    problems, lost = told
    for number, turn in enumerate(_listed(document, "turns"), start=1):
        if not isinstance(turn, dict):
            problems.append(tr("turn {number}: expected an object; left out", number=number))
            continue
        lost.note_fields("turn", _own(turn), _TURN_FIELDS)
        attached = tuple(_attached(turn, files, fresh.now_utc, lost))
        when = to_utc(turn.get("now"))
        if isinstance(turn.get("user"), str):
            yield ImportedMessage("user", (turn["user"],), when, attached=attached)
        reply = turn.get("reply") or []
        answers = [{"role": "assistant", "content": reply}] if isinstance(reply, str) else reply
        yield from read_messages(
            answers if isinstance(answers, list) else [], f"turn {number}", problems, lost
        )


def _attached(turn: Mapping[str, Any], files: KeptFiles, when: str, lost: Losses) -> Iterator[str]:
    for one in (*_listed(turn, "library"), *_listed(turn, "attach")):
        text = one.get("text") if isinstance(one, dict) else None
        if isinstance(text, str):
            yield files.text(one.get("id") or one.get("title") or one.get("kind"), text, when)
        else:
            lost.left_out["attachment without text"] += 1
