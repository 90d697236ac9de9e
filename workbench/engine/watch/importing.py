"""Imports session files as watched conversations: rebuilds their requests and analyses them."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from workbench.context.watch.sessions import Session, first_question, read_claude, read_codex
from workbench.domain.shown.sessions_view import SessionLine
from workbench.domain.translation import joined
from workbench.domain.watch.request import WatchedTurn
from workbench.domain.watch.switch import SessionKind
from workbench.engine.watch.stored_requests import Keeper
from workbench.engine.watch.understanding import Knowledge, Understanding
from workbench.ports.watching import DiskSession

SessionFile = tuple[str, Iterable[str]]
"""A file's name, and its lines."""
_LONGEST_ASKED = 200


@dataclass(frozen=True, slots=True)
class ImportedSession:
    """A session: its requests in order, and what of its file could not be used."""

    file: str
    session: Session
    turns: Iterator[WatchedTurn]

    @property
    def notes(self) -> tuple[str, ...]:
        return self.session.notes


def import_sessions(
    kind: SessionKind, files: Iterable[SessionFile], knowledge: Knowledge
) -> Iterator[ImportedSession]:
    """Yields every session in these files that has requests, or something unreadable."""
    understanding = Understanding(knowledge)
    for name, lines in files:
        session = read_claude(lines) if kind == "claude" else read_codex(lines)
        if session.asked or session.notes:
            yield ImportedSession(name, session, _turns(session, understanding))


def _turns(session: Session, understanding: Understanding) -> Iterator[WatchedTurn]:
    for exchange in session.exchanges():
        turn = understanding.take(exchange)
        if turn is not None:
            yield turn


def describe(line: SessionLine, beginning: Iterable[str], whole: bool) -> SessionLine | None:
    """Returns a session's line for a list, from its first lines; None for a complete one without requests."""
    session = read_claude(beginning) if line.kind == "claude" else read_codex(beginning)
    problem = joined(session.notes) if whole else ""
    if whole and not session.asked and not problem:
        return None
    asked = " ".join((session.title or first_question(session)).split())[:_LONGEST_ASKED]
    return replace(line, folder=session.folder, asked=asked, problem=problem)


async def keep_session(
    session: DiskSession, keeper: Keeper | None, told: Callable[[WatchedTurn], None] = lambda _turn: None
) -> tuple[str, int]:
    """Stores the requests of a session; returns its first conversation, and how many requests were new."""
    seen: Counter[str] = Counter()
    known: dict[str, int] = {}
    turns = iter(session.turns)
    while (turn := await asyncio.to_thread(next, turns, None)) is not None:
        told(turn)
        name = turn.conversation
        if keeper is not None and name not in known:
            known[name] = await keeper.requests(name)
        seen[name] += 1
        if keeper is not None and seen[name] > known[name]:
            await keeper.keep(turn)
    new = sum(max(0, many - known[name]) for name, many in seen.items() if name in known)
    return next(iter(seen), ""), new
