"""What happens while a server is asked for something: its clock, its progress, and its questions to the person."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from workbench.domain.errors import InvalidInput, WorkbenchError
from workbench.domain.mcp_question import McpAnswer, McpQuestion, read_form, read_page, read_sampling
from workbench.domain.text import harmless
from workbench.domain.tool import ToolProgress
from workbench.domain.translation import tr
from workbench.ports.tools import ToolServerFailed
from workbench.tools.mcp.limits import McpLimits

if TYPE_CHECKING:
    from mcp import types

Ask = Callable[[McpQuestion], asyncio.Future[McpAnswer]]
_TOLD_S = 0.1
_LONGEST_WORDS = 200
_NOTHING_ASKED = tr("Nothing was asked of this server, so it has nothing to ask.")
_REFUSED = -1
"""What the protocol's own example says where a person refused a request to a model."""


class RunningCalls:
    """The calls of one server that are running; no clock runs while the person is asked."""

    def __init__(self, server: str, limits: McpLimits, ask: Ask) -> None:
        self._server, self._limits, self._ask = server, limits, ask
        self._clocks: list[CallClock] = []
        self._open: set[asyncio.Future[McpAnswer]] = set()
        self._asked = 0
        self._ended_for = ""

    @asynccontextmanager
    async def in_time(self) -> AsyncIterator[CallClock]:
        """Limits a call in time and in questions; `ToolServerFailed` says which it passed."""
        if not self._clocks:
            self._asked, self._ended_for = 0, ""
        try:
            async with asyncio.timeout(self._limits.call_s) as timeout:
                clock = CallClock(timeout, self._limits)
                self._clocks.append(clock)
                if self._open:
                    clock.pause()
                try:
                    yield clock
                finally:
                    self._clocks.remove(clock)
                    if not self._clocks:
                        self._withdraw()
        except TimeoutError:
            raise ToolServerFailed(
                self._ended_for
                or tr(
                    "{server} did not answer within {call_s:g} seconds; it may or may not "
                    "have done what was asked.",
                    server=self._server,
                    call_s=self._limits.call_s,
                )
            ) from None

    async def on_question(
        self, context: Any, params: types.ElicitRequestParams
    ) -> types.ElicitResult | types.ErrorData:
        """Asks the person what a server wants to know during a call, and gives it the answer."""
        from mcp_types import INVALID_PARAMS, INVALID_REQUEST, ElicitResult, ErrorData

        if not self._clocks:
            return ErrorData(code=INVALID_REQUEST, message=_NOTHING_ASKED)
        try:
            if params.mode == "url":
                question = read_page(self._server, params.message, params.url)
            else:
                question = read_form(self._server, params.message, params.requested_schema)
        except InvalidInput as problem:
            return ErrorData(code=INVALID_PARAMS, message=f"{problem.path}: {problem.reason}")
        answer = await self.asked(question)
        content: dict[str, Any] | None = (
            dict(answer.content) if answer.action == "accept" and not question.url else None
        )
        return ElicitResult(action=answer.action, content=content)

    async def on_sampling(
        self, context: Any, params: types.CreateMessageRequestParams
    ) -> types.CreateMessageResult | types.ErrorData:
        """Has a model asked what a server wants to know of one, where the person agrees."""
        from mcp_types import INVALID_PARAMS, INVALID_REQUEST, CreateMessageResult, ErrorData, TextContent

        if not self._clocks:
            return ErrorData(code=INVALID_REQUEST, message=_NOTHING_ASKED)
        if params.tools or params.tool_choice is not None:
            words = tr("No tools are used in what a server has a model asked.")
            return ErrorData(code=INVALID_PARAMS, message=words)
        turns = tuple((one.role, _text_of(one.content)) for one in params.messages)
        limits = self._limits
        try:
            question = read_sampling(
                self._server, turns, params.system_prompt or "", params.max_tokens,
                limits.sampled_chars, limits.sampled_tokens,
            )  # fmt: skip
        except InvalidInput as problem:
            return ErrorData(code=INVALID_PARAMS, message=f"{problem.path}: {problem.reason}")
        try:
            answer = await self.asked(question)
        except WorkbenchError as problem:
            return ErrorData(code=INVALID_REQUEST, message=str(problem))
        if answer.action != "accept" or "text" not in answer.content:
            return ErrorData(code=_REFUSED, message=tr("The user did not want this to be sent to a model."))
        said = {name: str(answer.content[name]) for name in ("text", "model", "stop")}
        content = TextContent(type="text", text=said["text"])
        return CreateMessageResult(
            role="assistant", content=content, model=said["model"], stop_reason=said["stop"] or None
        )

    async def asked(self, question: McpQuestion) -> McpAnswer:
        """Asks the person; one question too many ends the calls."""
        self._asked += 1
        if self._asked > self._limits.questions:
            self._ended_for = tr(
                "{server} asked the user more than {questions} questions in one call, "
                "so the call was ended; it may or may not have done what was asked.",
                server=self._server,
                questions=self._limits.questions,
            )
            for clock in self._clocks:
                clock.end()
            return McpAnswer("cancel")
        answer = self._ask(question)
        self._open.add(answer)
        for clock in self._clocks:
            clock.pause()
        try:
            return await answer
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if not answer.cancelled() or (task is not None and task.cancelling()):
                raise
            return McpAnswer("cancel")
        finally:
            self._open.discard(answer)
            if not self._open:
                for clock in self._clocks:
                    clock.resume()

    def _withdraw(self) -> None:
        """No call is left to which an answer would matter."""
        for answer in tuple(self._open):
            answer.cancel()


def _text_of(content: Any) -> str | None:
    """The text of a message for a model; None where something of it is no text."""
    parts = content if isinstance(content, list) else [content]
    if any(one.type != "text" for one in parts):
        return None
    return "\n".join(one.text for one in parts)


class CallClock:
    """The time of one call: begun again by each sign of life, up to a limit."""

    def __init__(self, timeout: asyncio.Timeout, limits: McpLimits) -> None:
        self._timeout, self._limits = timeout, limits
        self._loop = asyncio.get_running_loop()
        self._last = self._loop.time() + limits.call_most_s
        self._paused = False
        self._told_at = float("-inf")

    def pause(self) -> None:
        self._paused = True
        self._set(None)

    def resume(self) -> None:
        self._paused = False
        self._set(self._loop.time() + self._limits.call_s)

    def end(self) -> None:
        self._set(self._loop.time())

    def progress_to(self, told: Callable[[ToolProgress], None]) -> Callable[..., Any]:
        """Returns the library's callback for progress; what comes too often is passed over."""

        async def on_progress(progress: float, total: float | None, message: str | None) -> None:
            now = self._loop.time()
            if not self._paused:
                self._set(min(now + self._limits.call_s, self._last))
            share = min(1.0, max(0.0, progress / total)) if total and total > 0 else None
            if now - self._told_at >= _TOLD_S or share == 1.0:
                self._told_at = now
                words = " ".join(harmless((message or "")[: _LONGEST_WORDS * 2]).split())[:_LONGEST_WORDS]
                told(ToolProgress(words, share))

        return on_progress

    def _set(self, when: float | None) -> None:
        if not self._timeout.expired():
            self._timeout.reschedule(when)
