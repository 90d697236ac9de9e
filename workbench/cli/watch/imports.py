"""`workbench watch --import-claude` and `--import-codex`: sessions on disk become watched conversations."""

from __future__ import annotations

import argparse
from collections import Counter

from workbench.cli.services import Services
from workbench.cli.terminal import counted, tell, visible_line
from workbench.cli.watch.keeping import keeping
from workbench.cli.watch.said import Lines
from workbench.domain.watch.exchange import Exchange
from workbench.domain.watch.request import WatchedTurn
from workbench.engine.watch.importing import ImportedSession, SessionKind
from workbench.engine.watch.keeping import Keeper


def wanted(arguments: argparse.Namespace) -> tuple[SessionKind, str] | None:
    """Whose sessions are to be imported, and from which folder; empty for where they usually lie."""
    if arguments.import_claude is not None:
        return "claude", arguments.import_claude
    return None if arguments.import_codex is None else ("codex", arguments.import_codex)


async def import_sessions(
    kind: SessionKind, folder: str, arguments: argparse.Namespace, services: Services
) -> int:
    """Read them, keep what is not kept yet, and say what they held; the exit code."""
    lines, kept = Lines(None, arguments.json), 0
    async with keeping(services, not arguments.no_keep) as keeper:
        for session in services.sessions(kind, folder):
            for note in session.notes:
                tell(visible_line(f"{session.file}: {note}"))
            kept += await _take(session, keeper, lines)
    said = lines.summary()
    if not said:
        tell("workbench watch: no session with a request was found; name the folder they are in")
        return 1
    for line in said:
        tell(visible_line(line))
    if not arguments.no_keep:
        tell(f"Saved: {counted(kept, 'new request')}")
    return 0


async def _take(session: ImportedSession, keeper: Keeper | None, lines: Lines) -> int:
    """Keep the requests of a session; how many were new. One that was imported before goes on where it ended."""
    seen: Counter[str] = Counter()
    known: dict[str, int] = {}
    for turn in session.turns:
        lines.tell(_passed(turn), turn)
        if keeper is None:
            continue
        if turn.conversation not in known:
            known[turn.conversation] = await keeper.requests(turn.conversation)
        seen[turn.conversation] += 1
        if seen[turn.conversation] > known[turn.conversation]:
            await keeper.keep(turn)
    return sum(max(0, many - known[name]) for name, many in seen.items())


def _passed(turn: WatchedTurn) -> Exchange:
    """The exchange of a request that passed long ago, of which nothing but the turn is known."""
    return Exchange(turn.n, turn.request.format, "POST", "", turn.started_at, status=turn.status)
