"""Plans and writes a tuned copy of a watched conversation's session, which its own program can go on with."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from workbench.context.watch.comparing import compared
from workbench.context.watch.reading import read_request
from workbench.context.watch.session_copies import copied_session
from workbench.domain.errors import NotKept
from workbench.domain.record import Chat, TurnRecord, noted_table, noted_text
from workbench.domain.text import digest_text
from workbench.domain.translation import tr
from workbench.domain.watch.exchange import Exchange, WatchedFormat, program_name
from workbench.domain.watch.request import AgainstBefore, WatchedRequest
from workbench.domain.watch.session_copy import SessionCopy, SessionTuning
from workbench.domain.watch.switch import SessionKind
from workbench.engine.watch.kept_turn import watched_turn
from workbench.engine.watch.turn_of import WATCHED
from workbench.ports.history import HistoryStore
from workbench.ports.watching import SessionFiles

_PROGRAMS: dict[str, SessionKind] = {
    "claude-cli": "claude", "codex_exec": "codex", "codex_cli_rs": "codex", "codex-tui": "codex",
}  # fmt: skip
_FORMATS: dict[SessionKind, tuple[WatchedFormat, str]] = {
    "claude": ("anthropic", "/v1/messages"), "codex": ("responses", "/v1/responses"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class CopyPlan:
    """A copy that is ready to be written: of which session, from which file, and to which."""

    session: str
    original: str
    target: str
    copy: SessionCopy


async def plan_copy(
    store: HistoryStore, chat: Chat, tuning: SessionTuning, files: SessionFiles, seed: str
) -> CopyPlan:
    """Plan the copy; nothing is written. `WorkbenchError` says why this session cannot be."""
    kind = _kind_of(chat)
    turn = await store.last_turn(chat.id)
    session = "" if turn is None else session_of(turn)
    path, lines = files.find(kind, session)
    copy = copied_session(kind, lines, tuning, seed)
    known = [one for one in files.versions if one.kind == kind]
    if not any(one.has(copy.version) for one in known):
        tried = ", ".join(
            one.since if one.since == one.until else f"{one.since} to {one.until}" for one in known
        )
        raise NotKept(
            tr(
                "This session is of version {version}; its form is known of {tried} "
                "alone. Nothing was written.",
                version=copy.version or "unknown",
                tried=tried,
            )
        )
    folder, _, name = path.rpartition("/")
    return CopyPlan(session, path, f"{folder}/{name.replace(session, copy.id)}", copy)


def write_copy(plan: CopyPlan, files: SessionFiles, target: str = "") -> None:
    """Write the planned file, which must not be there yet."""
    files.create(
        target or plan.target, "".join(f"{line}\n" for line in plan.copy.lines).encode("utf-8", "replace")
    )


async def compare_resumed(
    store: HistoryStore, chat: Chat, original: str, number: int | None, copy: SessionCopy
) -> tuple[int, AgainstBefore]:
    """Compare what was predicted of a copy with a chat's first request of another session; return its number, too."""
    turns, path = await store.turns(chat.id), await store.path(chat.id)
    came = next(
        (one for one in turns if one.number == number or (number is None and session_of(one) != original)),
        None,
    )
    if came is None:
        raise NotKept(tr("No request of another session was watched in this conversation; --turn names one."))
    return came.number, against_prediction(copy, watched_turn(chat, came, path).request)


def against_prediction(copy: SessionCopy, came: WatchedRequest) -> AgainstBefore:
    """Compare a request with what was predicted of a copy: as predicted, it extends it.

    What stands before the messages, tools and instructions, is not compared: the program writes it anew.
    """
    name, path = _FORMATS[copy.kind]
    predicted = read_request(Exchange(0, name, "POST", path, 0.0), json.loads(copy.request))
    return compared(_said(predicted), _said(came))


def session_of(turn: TurnRecord) -> str:
    """What its program calls the session of a stored request."""
    return noted_text(noted_table(turn.usage or {}, WATCHED), "session")


def _kind_of(chat: Chat) -> SessionKind:
    mark = chat.filed.watched
    client = "" if mark is None else mark.client
    kind = _PROGRAMS.get(client.partition("/")[0])
    if kind is None:
        program = program_name(client) or tr("This program")
        raise NotKept(
            tr(
                "{program} keeps its sessions in a form of its own, or in a database, "
                "which is never written. Sessions of Claude Code and Codex can be.",
                program=program,
            )
        )
    if mark is not None and mark.parent:
        raise NotKept(
            tr("This is a sub-agent’s conversation, which its program cannot resume. Nothing was written.")
        )
    return kind


def _said(request: WatchedRequest) -> WatchedRequest:
    """The messages alone, without the white space around them that programs add and remove."""
    said = (replace(one, text=one.text.strip()) for one in request.pieces if one.layer != "L1_SYSTEM")
    pieces = tuple(replace(one, digest=digest_text(f"{one.kind}\0{one.text}")) for one in said)
    return replace(request, model="", parameters=(), pieces=pieces)
