"""Sessions on disk as watched conversations: their requests are made again from what was kept, and understood."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from workbench.context.watch.claude_session import read_claude
from workbench.context.watch.codex_session import read_codex
from workbench.context.watch.sessions import Session
from workbench.domain.watch.request import WatchedTurn
from workbench.engine.watch.understanding import Knowledge, Understanding

SessionKind = Literal["claude", "codex"]
SessionFile = tuple[str, Iterable[str]]
"""A file's name, and its lines."""


@dataclass(frozen=True, slots=True)
class ImportedSession:
    """A session: its requests, one after the other, and what of its file could not be used."""

    file: str
    session: Session
    turns: Iterator[WatchedTurn]

    @property
    def notes(self) -> tuple[str, ...]:
        return self.session.notes


def import_sessions(
    kind: SessionKind, files: Iterable[SessionFile], knowledge: Knowledge
) -> Iterator[ImportedSession]:
    """Every session in files that has requests, or something that could not be read.

    The files of sub-agents stand after that of their session: its conversation is then known as their parent. The same
    file gives the same conversations again.
    """
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
