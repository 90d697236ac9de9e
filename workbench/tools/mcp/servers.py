"""The tool servers of a workspace, in a thread with an event loop of its own, apart from the window's."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Lock, Thread
from typing import Any, TypeVar

from workbench.domain.errors import InvalidInput
from workbench.domain.mcp_server import (
    McpContent,
    McpListing,
    McpServer,
    McpTool,
    check_server,
    paths_outside,
    secrets_in,
    usable_tools,
)
from workbench.domain.secrets import Secret
from workbench.domain.text import harmless
from workbench.domain.tool import ToolDefinition, ToolOutcome, ToolPreview, ToolProgress
from workbench.domain.translation import tr
from workbench.net.connections import Connections
from workbench.net.rules import UNSEEN_OFFLINE
from workbench.ports.tools import ServerFront, Tool, ToolServerFailed
from workbench.tools.mcp.limits import McpLimits
from workbench.tools.mcp.session import WORKSPACE_FOLDER, ServerContext, Session

T = TypeVar("T")
Told = Callable[[McpListing], None]
Progressed = Callable[[ToolProgress], None]
_LONGEST_SHOWN = 2000
_CLOSE_S = 10.0


class McpServers:
    """Tool servers over stdio and streamable HTTP → ToolServers; the thread exists once something was started.

    `may_send` raises `InvalidInput` while nothing may be started or sent. While offline is on no program runs, since
    its connections cannot be seen; servers at an address follow the rules of all connections.
    """

    def __init__(
        self,
        environment: Mapping[str, str],
        folder: str = "",
        limits: McpLimits | None = None,
        may_send: Callable[[], None] = lambda: None,
        net: Connections | None = None,
    ) -> None:
        self._may_send, self._net = may_send, net or Connections()
        self._environment, self._folder, self._limits = environment, folder, limits or McpLimits()
        self._servers: dict[str, McpServer] = {}
        self._secrets: dict[str, Secret] = {}
        self._sessions: dict[str, Session] = {}
        self._listings: dict[str, McpListing] = {}
        self._hearers: dict[object, tuple[asyncio.AbstractEventLoop, Told]] = {}
        self._front: tuple[asyncio.AbstractEventLoop, ServerFront] | None = None
        self._thread: _LoopThread | None = None
        self._changing = Lock()
        self._unwatch = self._net.watch(self._stop_when_offline)

    def configure(self, servers: Sequence[McpServer], secrets: Mapping[str, Secret]) -> None:
        """Replaces the configured servers; those that changed are stopped."""
        for server in servers:
            check_server(server)
        wanted = {server.name: server for server in servers}
        with self._changing:
            for name, session in list(self._sessions.items()):
                now = wanted.get(name)
                if (
                    now is not None
                    and _starts_alike(session.server, now)
                    and self._same_secrets(now, secrets)
                ):
                    session.server = now
                else:
                    del self._sessions[name]
                    self._listings.pop(name, None)
                    self._send(session.stop())
            self._servers, self._secrets = wanted, dict(secrets)

    @property
    def folder(self) -> str:
        """The workspace's folder; empty where it has none."""
        return self._folder

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the servers."""
        return tuple(self._servers)

    def listing(self, server: str) -> McpListing:
        """Returns a server's state and what it offers."""
        return self._listings.get(server) or McpListing(server)

    async def start(self, server: str) -> McpListing:
        """Starts a server, and lists what it offers."""
        if server not in self._servers or not self._servers[server].enabled:
            return McpListing(server, problem=tr("It is switched off, or not among the servers here."))
        try:
            self._check(server)
        except ToolServerFailed as problem:
            return McpListing(server, problem=str(problem))
        return await self._ask(lambda: self._session(server).start())

    def tools(self, server: str) -> tuple[Tool, ...]:
        """Returns the tools of a server that may be used."""
        known = self._servers.get(server)
        if known is None:
            return ()
        return tuple(ServerTool(known, tool, self) for tool in usable_tools(known, self.listing(server)))

    async def read(self, server: str, uri: str) -> tuple[McpContent, ...]:
        """Reads a resource."""
        self._check(server)
        return await self._ask(lambda: self._session(server).read(uri))

    async def prompt(self, server: str, name: str, arguments: Mapping[str, str]) -> str:
        """Returns a prompt as the server writes it."""
        self._check(server)
        return await self._ask(lambda: self._session(server).prompt(name, arguments))

    async def call(
        self,
        server: str,
        tool: McpTool,
        arguments: Mapping[str, Any],
        told: Progressed = lambda progress: None,
    ) -> ToolOutcome:
        """Calls a tool; `told` hears of its progress, in the event loop of the caller."""
        try:
            self._check(server)
        except ToolServerFailed as problem:
            return ToolOutcome(tr("{problem} Go on without it.", problem=problem), failed=True)
        loop = asyncio.get_running_loop()

        def tell(progress: ToolProgress) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(told, progress)

        return await self._ask(lambda: self._call(server, tool, arguments, tell))

    def subscribe(self, told: Told) -> Callable[[], None]:
        """Calls `told` for every change, in the event loop of the caller; returns a function that ends this."""
        mark = object()
        self._hearers[mark] = (asyncio.get_running_loop(), told)

        def end() -> None:
            self._hearers.pop(mark, None)

        return end

    def attend(self, front: ServerFront) -> None:
        """Has questions answered by `front`, in the event loop of the caller."""
        self._front = (asyncio.get_running_loop(), front)

    async def sign_in(self, server: str) -> McpListing:
        """Has the person sign in to a server at an address, and starts it."""
        self._check(server)
        if not self._servers[server].url:
            raise ToolServerFailed(
                tr("{server} is a program on this computer: there is nothing to sign in to.", server=server)
            )
        await self._ask(lambda: self._session(server).sign_in())
        await self.stop(server)
        return await self.start(server)

    async def sign_out(self, server: str) -> bool:
        """Forgets a sign-in; the server is told where it can be told."""
        known = self._servers.get(server)
        if known is None or not known.url:
            return False
        revoked = await self._ask(lambda: self._session(server).sign_out())
        await self.stop(server)
        return revoked

    async def stop(self, server: str) -> None:
        session = self._sessions.get(server)
        if session is not None:
            await self._ask(session.stop)

    async def close(self) -> None:
        """Stops all servers and the thread."""
        self._unwatch()
        self._hearers.clear()
        self._servers, thread, self._thread = {}, self._thread, None
        if thread is None:
            return
        sessions, self._sessions = list(self._sessions.values()), {}
        await thread.ask(_stop_all(sessions))
        await asyncio.to_thread(thread.close)

    def _check(self, server: str) -> None:
        known = self._servers.get(server)
        if known is None or not known.enabled:
            raise ToolServerFailed(
                tr("The server {server} is switched off, or not here any more.", server=server)
            )
        if known.command and self._net.rules.offline:
            raise ToolServerFailed(UNSEEN_OFFLINE.format(server=server))
        try:
            self._may_send()
        except InvalidInput as problem:
            raise ToolServerFailed(str(problem)) from None

    def _stop_when_offline(self) -> None:
        """Stops running programs when offline was switched on."""
        if self._net.rules.offline:
            with self._changing:
                running = [one for one in self._sessions.values() if one.server.command]
            for session in running:
                self._send(session.stop())

    async def _ask(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Runs something in the thread, and waits for it."""
        if self._thread is None:
            self._thread = _LoopThread()
        return await self._thread.ask(_start(work))

    async def _call(
        self, server: str, tool: McpTool, arguments: Mapping[str, Any], told: Progressed
    ) -> ToolOutcome:
        try:
            session = self._session(server)
        except ToolServerFailed as problem:
            return ToolOutcome(tr("{problem} Go on without it.", problem=problem), failed=True)
        return await session.call(tool, arguments, told)

    def _at_front(
        self, work: Callable[[ServerFront], Coroutine[Any, Any, T]], otherwise: T
    ) -> asyncio.Future[T]:
        """Does something in the loop of the program; called in the thread, and cancelled there where it is here."""
        if self._front is None or self._front[0].is_closed():
            nobody: asyncio.Future[T] = asyncio.get_running_loop().create_future()
            nobody.set_result(otherwise)
            return nobody
        loop, front = self._front
        return asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work(front), loop))

    def _send(self, work: Coroutine[Any, Any, None]) -> None:
        if self._thread is None:
            work.close()
        else:
            self._thread.spawn_soon(work)

    def _session(self, server: str) -> Session:
        """Returns the session of a server; called in the thread."""
        with self._changing:
            found = self._sessions.get(server)
            if found is None:
                if self._thread is None or server not in self._servers:
                    raise ToolServerFailed(tr("The server {server} is not here any more.", server=server))
                known = self._servers[server]
                texts = (*known.args, known.cwd, *known.env.values())
                if not self._folder and any(WORKSPACE_FOLDER in text for text in texts):
                    raise ToolServerFailed(
                        tr(
                            "{server} works in the workspace's folder, and there is none. Choose one first.",
                            server=server,
                        )
                    )
                folder = self._folder or self._environment.get("HOME", "")
                around = ServerContext(
                    self._environment,
                    folder,
                    self._folder,
                    self._secrets,
                    self._thread.spawn,
                    self._tell,
                    self._net,
                    self._at_front,
                )
                found = self._sessions[server] = Session(self._servers[server], around, self._limits)
            return found

    def _same_secrets(self, server: McpServer, secrets: Mapping[str, Secret]) -> bool:
        return all(secrets.get(name) == self._secrets.get(name) for name in secrets_in(server))

    def _tell(self, session: Session, listing: McpListing) -> None:
        """Stores a changed listing and notifies subscribers in their own loops; called in the thread."""
        if self._sessions.get(listing.server, session) is not session:
            return  # of one that another has taken the place of
        self._listings[listing.server] = listing
        for loop, told in list(self._hearers.values()):
            if not loop.is_closed():
                loop.call_soon_threadsafe(told, listing)


@dataclass(frozen=True, slots=True)
class ServerTool:
    """A tool of a server → Tool, TellingTool. Whatever the server says about it, a person is asked."""

    server: McpServer
    tool: McpTool
    servers: McpServers

    @property
    def definition(self) -> ToolDefinition:
        """The definition sent to the model."""
        return self.tool.definition

    @property
    def has_side_effects(self) -> bool:
        """True: what a server does is unknown."""
        return True

    @property
    def searches(self) -> bool:
        """False: whether it searches is unknown."""
        return False

    async def preview(self, arguments: Mapping[str, Any]) -> ToolPreview:
        """Shows the server, the tool and the arguments; only the server knows what the call does."""
        said = harmless(json.dumps(dict(arguments), ensure_ascii=False, indent=2))
        if len(said) > _LONGEST_SHOWN:
            said = tr(
                "{said}\n[{n:,} more characters]", said=said[:_LONGEST_SHOWN], n=len(said) - _LONGEST_SHOWN
            )
        summary = tr(
            "Use {name} (server {name_2}), with:\n{said}",
            name=self.tool.name,
            name_2=self.server.name,
            said=said,
        )
        outside = paths_outside(arguments, self.servers.folder)
        return ToolPreview(summary, outside=outside, reads=self.tool.says_read_only)

    async def run(self, arguments: Mapping[str, Any]) -> ToolOutcome:
        return await self.servers.call(self.server.name, self.tool, arguments)

    async def run_telling(self, arguments: Mapping[str, Any], told: Progressed) -> ToolOutcome:
        """Runs the call and tells of its progress."""
        return await self.servers.call(self.server.name, self.tool, arguments, told)


class _LoopThread:
    """A thread with an event loop in which tasks run until it is closed."""

    def __init__(self) -> None:
        self._loop = _new_loop()
        self._closing = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._thread = Thread(target=self._run, name="tool-servers", daemon=True)
        self._thread.start()

    async def ask(self, work: Coroutine[Any, Any, T]) -> T:
        """Runs a coroutine in the thread and awaits it here; cancelling here cancels it there."""
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._loop))

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Starts a task that is awaited at the end; called in the thread."""
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def spawn_soon(self, work: Coroutine[Any, Any, None]) -> None:
        """Starts a task; called from another thread."""
        self._loop.call_soon_threadsafe(self.spawn, work)

    def close(self) -> None:
        """Waits for running tasks, and ends the thread. Blocks."""
        self._loop.call_soon_threadsafe(self._closing.set)
        self._thread.join(_CLOSE_S)

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._main())
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        finally:
            self._loop.close()

    async def _main(self) -> None:
        await self._closing.wait()
        # Whoever waits for an answer gets one before the loop is gone.
        others = asyncio.all_tasks() - {asyncio.current_task()}
        if others:
            _, late = await asyncio.wait(others, timeout=_CLOSE_S / 2)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)


# Not the policy's loop: in a window that is Qt's.
def _new_loop() -> asyncio.AbstractEventLoop:
    if sys.platform == "win32":
        return asyncio.ProactorEventLoop()
    return asyncio.SelectorEventLoop()


async def _start(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    return await work()


async def _stop_all(sessions: Sequence[Session]) -> None:
    await asyncio.gather(*(session.stop() for session in sessions))


def _starts_alike(one: McpServer, other: McpServer) -> bool:
    """Tells whether two servers are started the same way, ignoring which tools are used."""
    return replace(one, approved=(), tools_off=frozenset()) == replace(
        other, approved=(), tools_off=frozenset()
    )
