"""What a server wants the chat's model to be asked: built like every request, shown whole, and sent when agreed to."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import replace

from workbench.domain.answer import FinishReason, ModelFailed
from workbench.domain.errors import WorkbenchError
from workbench.domain.mcp_question import McpAnswer, McpQuestion, Sampling
from workbench.domain.mcp_server import BETWEEN
from workbench.domain.message import Message
from workbench.domain.request import ModelRequest
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.translation import N_, tr
from workbench.engine.assembly.building import prepare_in_thread
from workbench.engine.assembly.prepare import Ask
from workbench.engine.conversation import Conversation
from workbench.engine.hearing import hear
from workbench.engine.metering import expected_of
from workbench.engine.state import ChatState
from workbench.engine.store import StateStore
from workbench.engine.wire_forms import outgoing_request
from workbench.engine.world import World

_STOPS: dict[FinishReason | None, str] = {"stop": "endTurn", "length": "maxTokens", None: ""}


class Sampler:
    """Has the model of a chat asked for a server, one request at a time; the chat is charged."""

    def __init__(
        self, world: World, states: StateStore, ask: Callable[[McpQuestion], Awaitable[McpAnswer]]
    ) -> None:
        self._world, self._states, self._ask = world, states, ask
        self._one_by_one = asyncio.Lock()

    async def sample(self, question: McpQuestion, wanted: Sampling) -> McpAnswer:
        """Show the request, and send it if the person agrees; `WorkbenchError` says why it can't be sent."""
        async with self._one_by_one:
            request = await self._built(question, wanted)
            record = None if self._world.spending is None else self._world.spending.record(request)
            shown = replace(
                wanted,
                text="\n\n".join(f"[{one.role}]\n{one.text}" for one in request.messages),
                model=request.model,
                tokens=0 if request.expected is None else request.expected.tokens,
                usd=None if record is None else record.usd,
            )
            answer = await self._ask(replace(question, sampling=shown))
            if answer.action != "accept":
                return answer
            try:
                heard = await hear(self._world.models.open(request.model), request, self._world.builder.clock)
            except ModelFailed as failed:
                raise WorkbenchError(failed.failure.message) from failed
            stop = _STOPS.get(heard.finish, heard.finish or "")
            # Not where it runs: the address of a server of the person's is nothing for others.
            name = re.sub(r"^[a-z]+:(?:.*#)?", "", request.model)
            return McpAnswer("accept", {"text": heard.text, "model": name or "model", "stop": stop})

    async def _built(self, question: McpQuestion, wanted: Sampling) -> ModelRequest:
        opened, world = self._asking(question), self._world
        inputs = opened.prepared.built.inputs if opened.prepared is not None else None
        settings = ContextSettings(
            model=opened.chat.settings.model if inputs is None else inputs.settings.model,
            system_prompt=wanted.system,
            reserved_output_tokens=wanted.answer_tokens,
        )
        *before, last = (Message(world.new_id(), role, (text,)) for role, text in wanted.turns)
        ask = Ask(settings, last, card=None if inputs is None else inputs.model)
        conversation = Conversation(world.new_id(), history=tuple(before))
        prepared = await prepare_in_thread(conversation, ask, world.builder)
        envelope = prepared.built.envelope
        if not envelope.fits:
            words = N_("The text is {over:,} tokens too long for the model of the chat.")
            raise WorkbenchError(tr(words, over=envelope.over_by_tokens))
        sent = outgoing_request(prepared.built, world.parameters, {}, world.limits)
        expected = expected_of(prepared, question.workspace)
        return replace(sent, conversation=opened.chat.id, expected=expected)

    def _asking(self, question: McpQuestion) -> ChatState:
        """The chat for which the server works right now."""
        called = f"{question.server}{BETWEEN}"
        for opened in self._states.state.open.values():
            running = () if opened.running is None else opened.running.tools
            at_it = any(
                one.progress is not None and one.outcome is None and one.call.name.startswith(called)
                for one in running
            )
            if at_it and opened.chat.filed.workspace == question.workspace:
                return opened
        raise WorkbenchError(tr("No chat waits for this server, so there is no model to ask."))
