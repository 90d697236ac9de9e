"""Finds sessions of other programs on this computer; the code that reads them is loaded when needed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from workbench.domain.shown.sessions_view import SessionLine
from workbench.domain.watch.switch import SessionKind, SessionVersions
from workbench.ports.watching import DiskSession
from workbench.wiring.folder import ProgramFolder

_KINDS: tuple[SessionKind, ...] = ("claude", "codex")


class HomeSessions:
    """Sessions in the folders where programs usually leave them → SessionsOnDisk."""

    def __init__(self, place: ProgramFolder) -> None:
        self._place = place

    def listed(self, most: int) -> tuple[tuple[SessionLine, ...], int]:
        """Lists the sessions of all programs, newest first, and how many more there are."""
        from workbench.engine.watch.importing import describe
        from workbench.engine.watch.turn_of import utc_of
        from workbench.sources.session_files import FOLDERS, newest_sessions

        lines: list[SessionLine] = []
        more = 0
        for kind in _KINDS:
            heads, left = newest_sessions(str(Path.home() / FOLDERS[kind]), most)
            for head in heads:
                line = SessionLine(kind, head.file, utc_of(head.modified), head.bytes)
                found = describe(line, head.lines, head.whole)
                lines += [] if found is None else [found]
            more += left
        lines.sort(key=lambda one: one.used_utc, reverse=True)
        return tuple(lines[:most]), more + max(0, len(lines) - most)

    def read(self, kind: SessionKind, file: str) -> Iterator[DiskSession]:
        """Reads one session, with its sub-agents."""
        from workbench.wiring.watch import sessions_on_disk

        return sessions_on_disk(self._place, kind, "", file)


class FolderSessions:
    """Sessions in one folder, or where programs usually leave them → SessionFiles."""

    def __init__(self, folder: str = "") -> None:
        self._folder = folder

    @property
    def versions(self) -> tuple[SessionVersions, ...]:
        """Of which versions sessions can be written."""
        from workbench.providers.clients import load_clients
        from workbench.sources.resources import resource_path

        return load_clients(resource_path("clients.toml")).sessions

    def find(self, kind: SessionKind, session: str) -> tuple[str, Iterable[str]]:
        """Finds a session by its id."""
        from workbench.sources.session_files import FOLDERS, find_session

        return find_session(self._folder or str(Path.home() / FOLDERS[kind]), session)

    def create(self, path: str, content: bytes) -> None:
        """Writes a new session file."""
        from workbench.sources.session_files import create_session

        create_session(path, content)
