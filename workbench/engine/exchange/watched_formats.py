"""Exports watched conversations: a trajectory or command per request, or all requests as JSON lines or spans."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from workbench.context.watch.exports import as_curl, as_json_lines, as_spans, as_trajectory
from workbench.domain.errors import InvalidInput
from workbench.domain.record import ChatArchive, TurnRecord
from workbench.domain.translation import tr
from workbench.domain.watch.request import WatchedTurn
from workbench.engine.exchange.branch import active_branch
from workbench.engine.watch.kept_turn import watched_exchange, watched_turn

Files = tuple[tuple[str, bytes], ...]
_NOT_WATCHED = tr("is for watched chats; choose one, or another format")


def understood(archive: ChatArchive) -> list[tuple[TurnRecord, WatchedTurn]]:
    """Returns the requests of a watched chat, each stored turn with its parsed form."""
    path = active_branch(archive)
    return [(one, watched_turn(archive.chat, one, path)) for one in archive.turns if one.built.inputs.passed]


def export_lines(archives: Sequence[ChatArchive]) -> Files:
    """Returns a JSON line for each request, as `workbench watch --json` prints it."""
    return (("requests.jsonl", as_json_lines(_all(archives, "lines")).encode()),)


def export_spans(archives: Sequence[ChatArchive]) -> Files:
    """Returns OpenTelemetry spans in OTLP's JSON, without texts."""
    return (("spans.json", json.dumps(as_spans(_all(archives, "otlp")), indent=1).encode()),)


def export_trajectories(archives: Sequence[ChatArchive]) -> Files:
    """Returns a trajectory for each request, which `workbench replay` can build again."""
    return _each(
        archives, "trajectory", "workbench.json", lambda turn, known: _document(as_trajectory(known))
    )


def export_commands(archives: Sequence[ChatArchive]) -> Files:
    """Returns a curl command for each request, which sends it again once a key is set."""
    return _each(archives, "curl", "sh", lambda turn, known: as_curl(watched_exchange(turn)).encode())


def _document(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=1).encode("utf-8", "replace")


def _all(archives: Sequence[ChatArchive], name: str) -> list[WatchedTurn]:
    found = [known for archive in archives for _, known in understood(archive)]
    if not found:
        raise InvalidInput("format", f"{name} {_NOT_WATCHED}")
    return found


def _each(
    archives: Sequence[ChatArchive],
    name: str,
    ending: str,
    written: Callable[[TurnRecord, WatchedTurn], bytes],
) -> Files:
    made = [
        (f"{name}-{place}-{turn.number}.{ending}", written(turn, known))
        for place, archive in enumerate(archives, 1)
        for turn, known in understood(archive)
    ]
    if not made:
        raise InvalidInput("format", f"{name} {_NOT_WATCHED}")
    return tuple(made)
