"""One tool server while it is used: started on first use, listed, called, and ended when it is idle.

All of this runs in the event loop of the servers' own thread. One task owns the connection from start to end, as the
library requires; calls run in tasks of their own, and can be cancelled.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from workbench.domain.errors import InvalidInput, WorkbenchError
from workbench.domain.mcp_question import McpAnswer, McpQuestion
from workbench.domain.mcp_server import (
    McpContent,
    McpListing,
    McpServer,
    McpTool,
    SignIn,
    filled,
    secrets_in,
    usable_tools,
)
from workbench.domain.secrets import Secret
from workbench.domain.text import harmless, repair_text
from workbench.domain.tool import ToolOutcome, ToolProgress
from workbench.domain.translation import tr
from workbench.net.connections import Connections
from workbench.net.rules import NotSent, target_of
from workbench.ports.tools import ServerFront, ToolServerFailed
from workbench.tools.mcp.child import NEEDED, CannotStart, Child, Launch
from workbench.tools.mcp.limits import McpLimits
from workbench.tools.mcp.listing import Listed
from workbench.tools.mcp.running_calls import CallClock, RunningCalls

if TYPE_CHECKING:
    from mcp import Client, types


# What a server gave back, as text for a model or as content to attach; what is no text is named.


def outcome_of(result: types.CallToolResult, limits: McpLimits) -> ToolOutcome:
    """Converts the result of a call to text; pictures, sound and files are only named."""
    parts = [_part(one) for one in result.content]
    if not parts and result.structured_content is not None:
        parts = [json.dumps(result.structured_content, ensure_ascii=False)]
    text = cut_text("\n".join(parts), limits.result_chars)
    return ToolOutcome(text or "(It gave nothing back.)", failed=bool(result.is_error))


def contents_of(result: types.ReadResourceResult, limits: McpLimits) -> tuple[McpContent, ...]:
    """Returns the contents of a resource, part by part."""
    made = []
    for one in result.contents:
        mime = harmless(one.mime_type or "")[:100]
        text = getattr(one, "text", None)
        if isinstance(text, str):
            whole = repair_text(text)
            over = len(whole) > limits.result_chars
            made.append(McpContent(one.uri, mime, whole[: limits.result_chars], cut=over))
        else:
            data = _bytes(getattr(one, "blob", ""))
            over = len(data) > limits.resource_bytes
            made.append(McpContent(one.uri, mime, data=b"" if over else data, cut=over))
    return tuple(made)


def prompt_of(messages: Iterable[types.PromptMessage], limits: McpLimits) -> str:
    """Returns the text of a prompt; where it contains answers too, each part names its role."""
    said = list(messages)
    several = any(one.role != "user" for one in said)
    parts = [f"{one.role}: {_part(one.content)}" if several else _part(one.content) for one in said]
    return cut_text("\n\n".join(parts), limits.result_chars)


def cut_text(text: str, longest: int) -> str:
    """Cuts a text to a length, and says how much is missing."""
    text = repair_text(text)
    if len(text) <= longest:
        return text
    return f"{text[:longest]}\n[{len(text) - longest:,} more characters were left out]"


def _part(one: Any) -> str:
    match one.type:
        case "text":
            return str(one.text)
        case "image" | "audio":
            return (
                f"[{one.type}, {_kind(one.mime_type)}, {len(one.data) * 3 // 4:,} bytes: not text, left out]"
            )
        case "resource_link":
            return f"[a resource of the server: {harmless(one.uri)[:500]}]"
        case "resource":
            text = getattr(one.resource, "text", None)
            if isinstance(text, str):
                return text
            size = len(getattr(one.resource, "blob", "")) * 3 // 4
            return f"[a file, {_kind(one.resource.mime_type)}, {size:,} bytes: not text, left out]"
        case _:
            return "[something that is not text, left out]"


def _kind(mime: str | None) -> str:
    return harmless(mime or "unknown")[:100]


def _bytes(blob: str) -> bytes:
    try:
        return base64.b64decode(blob, validate=False)
    except (binascii.Error, ValueError):
        return b""


T = TypeVar("T")
AtFront = Callable[[Callable[[ServerFront], Coroutine[Any, Any, Any]], Any], "asyncio.Future[Any]"]
WORKSPACE_FOLDER = "${workspaceFolder}"
_NOT_INSTALLED = tr(
    'Servers of tools need one more package. Install it: pip install "context-workbench[mcp]"'
)
_SHORTEST_SECRET = 4
_RELIST_S = 1.0
_LONGEST_SAID = 1000


@dataclass(frozen=True, slots=True)
class ServerContext:
    """What a server is started with.

    Attributes:
        environment: that of this program; only what every program needs is passed on.
        folder: of the workspace, or else where programs are started; root: only that of the workspace.
        spawn: starts a task in the loop of the servers' thread.
        told: called for every change of a session.
        net: opens the connections to servers at an address.
        front: does something with who answers for the person; or gives what it is told where there is nobody.
    """

    environment: Mapping[str, str]
    folder: str
    root: str
    secrets: Mapping[str, Secret]
    spawn: Callable[[Coroutine[Any, Any, None]], Any] = field(repr=False)
    told: Callable[[Session, McpListing], None] = field(repr=False)
    net: Connections = field(repr=False)
    front: AtFront = field(repr=False)


class Session:
    """One server, connected or not."""

    def __init__(self, server: McpServer, around: ServerContext, limits: McpLimits) -> None:
        self.server, self._around, self._limits = server, around, limits
        self.listing = McpListing(server.name)
        self._calls = RunningCalls(server.name, limits, self._ask)
        self._client: Client | None = None
        self._child: Child | None = None
        self._patience: asyncio.Timeout | None = None
        self._settled = asyncio.Event()
        self._over = asyncio.Event()
        self._wake = asyncio.Event()
        self._running = self._stopping = self._relist = False
        self._signed_in = False
        self._in_use = self._status = 0
        self._failed_at = float("-inf")

    async def start(self) -> McpListing:
        """Starts the server unless it runs, and waits until it is connected or has failed."""
        if self._stopping:
            await self._over.wait()
        if not self._running:
            self._running, self._stopping, self._relist = True, False, False
            self._settled.clear()
            self._over.clear()
            self._tell(McpListing(self.server.name, "starting"))
            self._around.spawn(self._run_connection())
        await self._settled.wait()
        return self.listing

    async def stop(self) -> None:
        """Stops the server, and waits for its end."""
        if self._running:
            self._stopping = True
            self._wake.set()
            patience = self._patience
            if self._client is None and patience is not None and not patience.expired():
                patience.reschedule(asyncio.get_running_loop().time())
            await self._over.wait()

    async def sign_in(self) -> None:
        """Has the person sign in, and keeps what that gives."""
        from workbench.tools.mcp.sign_in import sign_in

        try:
            self._around.net.rules.check(target_of(self.server.url))
            await sign_in(
                self.server.name,
                self.server.url,
                self._around.net,
                self._ask,
                self._keep_sign_in,
                self._limits,
                self.server.client_id,
            )
        except NotSent as problem:
            raise ToolServerFailed(str(problem)) from None

    async def sign_out(self) -> bool:
        """Forgets the sign-in; returns whether the server has revoked it."""
        from workbench.tools.mcp.sign_in import sign_out

        kept = await self._kept_sign_in()
        try:
            return kept is not None and await sign_out(
                self.server.url, kept, self._around.net, self._keep_sign_in, self._limits
            )
        except NotSent:
            return False

    async def call(
        self, tool: McpTool, arguments: Mapping[str, Any], told: Callable[[ToolProgress], None]
    ) -> ToolOutcome:
        """Calls a tool, and tells of its progress; every failure becomes an outcome."""
        try:
            return await self._request(lambda client: self._call_tool(client, tool, arguments, told))
        except ToolServerFailed as problem:
            return ToolOutcome(tr("{problem} Go on without it.", problem=problem), failed=True)

    async def read(self, uri: str) -> tuple[McpContent, ...]:
        """Reads a resource."""
        return await self._request(
            lambda client: self._in_time(
                lambda clock: client.read_resource(uri), lambda got: contents_of(got, self._limits)
            )
        )

    async def prompt(self, name: str, arguments: Mapping[str, str]) -> str:
        """Returns a prompt as the server writes it."""
        return await self._request(
            lambda client: self._in_time(
                lambda clock: client.get_prompt(name, dict(arguments)),
                lambda got: prompt_of(got.messages, self._limits),
            )
        )

    # Asking.

    async def _request(self, ask: Callable[[Client], Awaitable[T]]) -> T:
        """Runs a request on the server, starting it if needed; after a failure it is not restarted for a while."""
        now = asyncio.get_running_loop().time()
        if not self._running and now - self._failed_at < self._limits.rest_s:
            raise self._unusable()
        await self.start()
        client = self._client
        if client is None:
            raise self._unusable()
        self._in_use += 1
        try:
            return await ask(client)
        finally:
            self._in_use -= 1
            self._wake.set()

    async def _call_tool(
        self,
        client: Client,
        tool: McpTool,
        arguments: Mapping[str, Any],
        told: Callable[[ToolProgress], None],
    ) -> ToolOutcome:
        if tool.digest not in {
            one.digest for one in usable_tools(self.server, self.listing) if one.name == tool.name
        }:
            raise ToolServerFailed(
                tr(
                    "The tool {called} is not the one that was allowed any more: its "
                    "description changed, or it is switched off. A person has to look at "
                    "it again first.",
                    called=tool.called,
                )
            )
        return await self._in_time(
            lambda clock: client.call_tool(
                tool.name, dict(arguments), progress_callback=clock.progress_to(told)
            ),
            lambda got: outcome_of(got, self._limits),
        )

    async def _in_time(self, ask: Callable[[CallClock], Awaitable[Any]], made: Callable[[Any], T]) -> T:
        """Asks, and once more where the server first wants pages to be visited."""
        try:
            async with self._calls.in_time() as clock:
                try:
                    return made(await ask(clock))
                except Exception as problem:
                    if not await self._visited(problem):
                        raise
                    return made(await ask(clock))
        except ToolServerFailed:
            raise
        except Exception as problem:  # noqa: BLE001  (a foreign program, through a foreign library)
            raise ToolServerFailed(self._failure_of_call(problem)) from None

    async def _visited(self, problem: BaseException) -> bool:
        """Has the person visit the pages that a server (of the protocol of 2025-11-25) wants to be visited first."""
        from mcp_types import URL_ELICITATION_REQUIRED, ElicitationRequiredErrorData, ElicitResult

        if getattr(problem, "code", None) != URL_ELICITATION_REQUIRED:
            return False
        wanted = ElicitationRequiredErrorData.model_validate(getattr(problem, "data", None)).elicitations
        for one in wanted:
            answer = await self._calls.on_question(None, one)
            if not isinstance(answer, ElicitResult) or answer.action != "accept":
                return False
        return bool(wanted)

    def _failure_of_call(self, problem: BaseException) -> str:
        from mcp_types import CONNECTION_CLOSED

        while isinstance(problem, BaseExceptionGroup):
            problem = problem.exceptions[0]
        code = getattr(problem, "code", None)
        if code == CONNECTION_CLOSED or (self._child is not None and self._child.ended):
            why = "" if self._child is None else self._child.problem
            said = tr(
                "{name} ended before it answered; it may or may not have done what was asked.",
                name=self.server.name,
            )
            return f"{said} {why}".strip()
        if self._status == 401:
            self._tell(self.listing)
            return tr("{name} wants the user to sign in again.", name=self.server.name)
        if code is not None:
            return f"{self.server.name} refused: {self._sanitise(str(problem))}"
        return tr(
            "{name} gave something that is no answer ({name_2}).",
            name=self.server.name,
            name_2=type(problem).__name__,
        )

    def _unusable(self) -> ToolServerFailed:
        return ToolServerFailed(
            f"The server {self.server.name} cannot be used now. {self.listing.problem}".strip()
        )

    # Owning the connection.

    async def _run_connection(self) -> None:
        failure: str | None = None
        try:
            async with asyncio.timeout(self._limits.start_s) as self._patience:
                async with self._connect() as client:
                    listing = await self._list(client)
                    self._patience.reschedule(None)
                    self._client = client
                    self._tell(listing)
                    self._settled.set()
                    by_itself = await self._until_over(client)
                    self._client = None
            failure = self._how_it_ended() if by_itself else None
        except Exception as problem:  # noqa: BLE001  (a foreign program, through a foreign library)
            failure = None if self._stopping else self._why_failed(problem)
        finally:
            self._client, self._patience, self._running, self._stopping = None, None, False, False
            if failure is not None:
                self._failed_at = asyncio.get_running_loop().time()
            kept = replace(self.listing, state="off", problem="")
            self._tell(kept if failure is None else replace(kept, state="failed", problem=failure))
            self._settled.set()
            self._over.set()

    @asynccontextmanager
    async def _connect(self) -> AsyncIterator[Client]:
        try:
            from mcp import Client
            from mcp_types import Implementation
        except ImportError:
            raise CannotStart(_NOT_INSTALLED) from None
        from workbench import __version__

        # What it writes down is foreign text, perhaps with a secret in it; what matters of it stands in the listing.
        logging.getLogger("mcp").setLevel(logging.CRITICAL + 1)
        streams = await self._web_streams() if self.server.url else self._child_streams()
        client = Client(
            streams,
            client_info=Implementation(name="context-workbench", version=__version__),
            message_handler=self._on_notification,
            elicitation_callback=self._calls.on_question,
            sampling_callback=self._calls.on_sampling if self.server.sampling else None,
            list_roots_callback=self._on_roots if self.server.roots else None,
            input_required_max_rounds=self._limits.questions * 2,
            cache=None,
        )
        async with client:
            # WORKAROUND(mcp 2.3.0): it checks results by the server's own schema, whose patterns may take for ever.
            client.session.validate_tool_result = _skip_validation  # type: ignore[method-assign]
            yield client

    async def _on_roots(self, context: Any) -> types.ListRootsResult:
        """The workspace's folder, for servers that are allowed to be told; nothing where there is none."""
        from mcp_types import ListRootsResult, Root
        from pydantic import FileUrl

        folder = self._around.root
        roots = [Root(uri=FileUrl(Path(folder).as_uri()), name=Path(folder).name)] if folder else []
        return ListRootsResult(roots=roots)

    async def _web_streams(self) -> Any:
        from workbench.tools.mcp.web import web_streams

        server, secrets = self.server, self._around.secrets
        self._status, self._signed_in, tokens = 0, False, None
        headers = {name: _header(name, filled(value, secrets)) for name, value in server.headers.items()}
        if (kept := await self._kept_sign_in()) is not None:
            from workbench.tools.mcp.sign_in import KeptTokens

            tokens = KeptTokens(server.url, kept, self._keep_sign_in)
            self._signed_in = tokens.has_tokens
        return web_streams(server.url, headers, self._limits, self._note_status, self._around.net, tokens)

    def _ask(self, question: McpQuestion) -> asyncio.Future[McpAnswer]:
        return self._around.front(lambda front: front.ask(question), McpAnswer("decline"))

    async def _kept_sign_in(self) -> Secret | None:
        found: Secret | None = await self._around.front(
            lambda front: front.sign_in_kept(self.server.name), None
        )
        return found

    async def _keep_sign_in(self, kept: Secret | None) -> None:
        await self._around.front(lambda front: front.keep_sign_in(self.server.name, kept), None)

    def _child_streams(self) -> Any:
        server = self.server
        environment = {
            name: self._around.environment[name] for name in NEEDED if name in self._around.environment
        }
        environment |= {name: self._fill_placeholders(value) for name, value in server.env.items()}
        launch = Launch(
            self._fill_placeholders(server.command),
            tuple(self._fill_placeholders(one) for one in server.args),
            environment,
            self._fill_placeholders(server.cwd) or self._around.folder,
        )
        self._child = Child(launch, self._limits, self._wake.set)
        return self._child.streams()

    def _note_status(self, status: int) -> None:
        self._status = status

    def _fill_placeholders(self, text: str) -> str:
        return filled(text.replace(WORKSPACE_FOLDER, self._around.folder), self._around.secrets)

    async def _list(self, client: Client) -> McpListing:
        listed = Listed(self.server.name, self._limits)
        has, session = client.server_capabilities, client.session
        if has.tools:
            await self._fetch_pages(session.list_tools, lambda page: listed.add_tools(page.tools), listed)
        if has.resources:
            await self._fetch_pages(
                session.list_resources, lambda page: listed.add_resources(page.resources), listed
            )
        if has.prompts:
            await self._fetch_pages(
                session.list_prompts, lambda page: listed.add_prompts(page.prompts), listed
            )
        return listed.listing()

    async def _fetch_pages(
        self, ask: Callable[..., Awaitable[Any]], take: Callable[[Any], None], listed: Listed
    ) -> None:
        """Fetches all pages of a list; one that does not end is cut off."""
        from mcp_types import PaginatedRequestParams

        seen: set[str] = set()
        cursor: str | None = None
        for _ in range(self._limits.pages):
            page = await ask(params=None if cursor is None else PaginatedRequestParams(cursor=cursor))
            take(page)
            cursor = page.next_cursor
            if cursor is None:
                return
            if cursor in seen:
                break
            seen.add(cursor)
        listed.leave_out(tr("whatever comes after: a list of it does not end"))

    async def _on_notification(self, message: types.ServerNotification | Exception) -> None:
        if str(getattr(message, "method", "")).endswith("/list_changed"):
            self._relist = True
            self._wake.set()

    async def _until_over(self, client: Client) -> bool:
        """Waits until it is stopped, was idle for long, or ended by itself; returns True for the last."""
        while not self._stopping:
            if self._child is not None and self._child.ended:
                return True
            try:
                async with asyncio.timeout(self._limits.idle_s):
                    await self._wake.wait()
            except TimeoutError:
                if not self._in_use:
                    return False
            self._wake.clear()
            if self._relist:
                # However often it says so, it is asked again once in a while only.
                await asyncio.sleep(_RELIST_S)
                self._relist = False
                async with asyncio.timeout(self._limits.start_s):
                    self._tell(await self._list(client))
        return False

    # How it went.

    def _tell(self, listing: McpListing) -> None:
        wanted: SignIn = "needed" if self._status == 401 else "done" if self._signed_in else ""
        self.listing = listing = replace(listing, sign_in=wanted if self.server.url else "")
        self._around.told(self, listing)

    def _how_it_ended(self) -> str:
        said = "" if self._child is None else self._child.problem
        return self._with_error_output(said or tr("It ended on its own."))

    def _why_failed(self, problem: BaseException) -> str:
        while isinstance(problem, BaseExceptionGroup):
            problem = problem.exceptions[0]
        if isinstance(problem, CannotStart):
            return self._sanitise(str(problem))
        if isinstance(problem, InvalidInput):
            return f"{problem.path}: {problem.reason}."
        if isinstance(problem, WorkbenchError):
            return str(problem)
        if isinstance(problem, TimeoutError):
            return self._with_error_output(
                tr(
                    "It was not ready within {start_s:g} seconds. Start it again, or check its settings.",
                    start_s=self._limits.start_s,
                )
            )
        if self._child is not None:
            return self._with_error_output(
                self._child.problem or tr("It did not start properly: {problem}", problem=problem)
            )
        if self._status == 401 and not self.server.headers:
            return tr(
                "{name} wants you to sign in{words}.",
                name=self.server.name,
                words=tr(" again") if self._signed_in else "",
            )
        if self._status in (401, 403):
            return tr(
                "It refused to be asked (status {status}). Check the secrets in its headers.",
                status=self._status,
            )
        if self._status >= 400:
            return tr(
                "It answered with status {status}. Check its address, or try again later.",
                status=self._status,
            )
        return self._sanitise(
            tr(
                "It could not be reached: {name}. Check its address.",
                name=str(problem) or type(problem).__name__,
            )
        )

    def _with_error_output(self, text: str) -> str:
        words = "" if self._child is None else self._child.last_lines()
        return self._sanitise(f"{text}\nIts last words:\n{words}" if words else text)

    def _sanitise(self, text: str) -> str:
        """Returns foreign text shortened, sanitised, and without the server's secrets."""
        for name in secrets_in(self.server):
            secret = self._around.secrets.get(name)
            value = "" if secret is None else secret.reveal_text()
            if len(value) >= _SHORTEST_SECRET:
                text = text.replace(value, "…")
        plain = harmless(text)
        return plain if len(plain) <= _LONGEST_SAID else f"{plain[:300]}\n…\n{plain[-600:]}"


def _header(name: str, value: str) -> str:
    """Checks that a header's value can be sent; the error does not contain it."""
    if not (name + value).isascii() or not (name + value).isprintable() or not name or ":" in name:
        raise InvalidInput(harmless(name), tr("this header cannot be sent: only plain letters, in one line"))
    return value


async def _skip_validation(name: str, result: types.CallToolResult) -> None:
    """Skips the library's check of results, which are only data here."""
