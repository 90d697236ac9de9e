"""`workbench watch --import-claude` and `--import-codex`: sessions on disk become watched conversations."""

from __future__ import annotations

import argparse

from workbench.cli.services import Services
from workbench.cli.terminal import counted, tell, visible_line
from workbench.cli.watch.keeping import keeping
from workbench.cli.watch.said import Lines
from workbench.domain.shown.sessions_view import SessionKind
from workbench.domain.watch.exchange import Exchange
from workbench.domain.watch.request import WatchedTurn
from workbench.engine.watch.importing import keep_session


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
        if keeper is not None:
            keeper.imported_utc = services.utc_now()
        for session in services.sessions(kind, folder, arguments.session):
            for note in session.notes:
                tell(visible_line(f"{session.file}: {note}"))
            _, new = await keep_session(session, keeper, lambda turn: lines.tell(_passed(turn), turn))
            kept += new
    said = lines.summary()
    if not said:
        tell("workbench watch: no session with a request was found; name the folder they are in")
        return 1
    for line in said:
        tell(visible_line(line))
    if not arguments.no_keep:
        tell(f"Saved: {counted(kept, 'new request')}")
    return 0


def _passed(turn: WatchedTurn) -> Exchange:
    """The exchange of a request that passed long ago, of which nothing but the turn is known."""
    return Exchange(turn.n, turn.request.format, "POST", "", turn.started_at, status=turn.status)
