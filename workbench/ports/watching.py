"""Watching other programs: what listens for their requests, and what makes sense of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, Protocol

from workbench.domain.model import ModelCard
from workbench.domain.shown.sessions_view import SessionLine
from workbench.domain.watch.exchange import Exchange
from workbench.domain.watch.request import WatchedRequest, WatchedTurn
from workbench.domain.watch.rules import Changed, Decision
from workbench.domain.watch.switch import SessionKind, SessionVersions


class CopiedRequest(Protocol):
    """A request and the copies of its bodies, which are not read yet.

    Attributes:
        n: its place in the order of arrival.
    """

    @property
    def n(self) -> int: ...

    def begun(self) -> Exchange:
        """Reads the request alone, once it has passed whole; may take a while."""

    def more(self) -> bytes:
        """Returns what arrived of the answer since the last call, decompressed, a limited amount at a time."""

    def exchange(self) -> Exchange:
        """Reads request and answer, once both have passed; may take a while."""


class Listening(NamedTuple):
    """Where it listens, and what programs read their address from with its value here, the best known one first."""

    address: str
    lines: tuple[tuple[str, str], ...]


class Gate(Protocol):
    """Decides whether a request may be sent on."""

    def is_on(self) -> bool:
        """Whether any may be refused; while not, requests pass without being waited for."""

    async def refusal(self, copied: CopiedRequest) -> str:
        """Why a request that has arrived whole is not sent on; empty where it is."""


class Acting(Protocol):
    """Applies rules to requests; called where they pass, so that none waits for anything else."""

    def is_on(self) -> bool:
        """Whether there are rules; while not, requests pass without being waited for."""

    def change(self, exchange: Exchange, body: bytes | None) -> Changed:
        """What is to be sent of a request; `exchange` has no bodies, and None is one that is too large to be read."""

    def refused(self, exchange: Exchange, changed: Changed, accepted: bool) -> Changed:
        """The server refused a changed request, and was sent it unchanged; what became of the rules in the end."""


class Holding(Protocol):
    """Lets requests wait until a person has decided about them."""

    def is_on(self) -> bool:
        """Whether the next request waits."""

    async def decide(self, exchange: Exchange, body: bytes, timeout_s: float | None) -> Decision:
        """Wait for the decision; `timeout_s`: when its program gives up, where that is known."""


class Ears(NamedTuple):
    """Who is told of requests: that one begins, has passed whole, that its answer grew, and that it is over.

    `gate` is asked before a request is sent on, if there is one; then rules act, and it may be held.
    """

    began: Callable[[], None]
    asked: Callable[[CopiedRequest], None]
    grew: Callable[[CopiedRequest], None]
    ended: Callable[[CopiedRequest], None]
    gate: Gate | None = None
    acting: Acting | None = None
    holding: Holding | None = None


class ProgramWatch(Protocol):
    """Runs a proxy on this computer that passes requests on and reports them."""

    async def start(self, ears: Ears, to: str = "") -> Listening:
        """Starts listening, and passes requests on to that address, or to each vendor's own.

        Callbacks run on the calling loop. `WorkbenchError` says why it cannot listen.
        """

    def remember(self, turn: WatchedTurn, exchange: Exchange) -> None:
        """Restores the last request of a conversation that was watched before; called before `understand`."""

    def begin(self, exchange: Exchange) -> WatchedTurn | None:
        """What a request is before its answer; None where no model is asked, or nothing could be read.

        Called in a thread, one after the other, as `understand`.
        """

    def understand(self, exchange: Exchange) -> WatchedTurn | None:
        """Analyses a finished request; None where no model was asked."""

    def card(self, request: WatchedRequest) -> ModelCard:
        """The model that a request asks, at the server that it is sent to."""

    async def close(self) -> None:
        """Stops listening."""


class DiskSession(Protocol):
    """A session that was read: its rebuilt requests in order, and what could not be used."""

    @property
    def notes(self) -> tuple[str, ...]: ...

    @property
    def turns(self) -> Iterable[WatchedTurn]: ...


class SessionsOnDisk(Protocol):
    """Reads sessions that Claude Code and Codex left on this computer, in a thread and on demand."""

    def listed(self, most: int) -> tuple[tuple[SessionLine, ...], int]:
        """The newest sessions, and how many more there are."""

    def read(self, kind: SessionKind, file: str) -> Iterator[DiskSession]:
        """A session and those of its sub-agents. `WorkbenchError` where it is gone."""


class SessionFiles(Protocol):
    """Finds the file of one session, and writes a new one beside it; never another program's database."""

    @property
    def versions(self) -> tuple[SessionVersions, ...]:
        """Of which versions of a program sessions can be written."""

    def find(self, kind: SessionKind, session: str) -> tuple[str, Iterable[str]]:
        """The path of a session's file, and its lines. `WorkbenchError` where there is none, or it cannot be read."""

    def create(self, path: str, content: bytes) -> None:
        """Writes a new file for its owner alone. `WorkbenchError` where there is something already."""
