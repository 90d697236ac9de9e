"""What servers of tools ask the person: shown until it is answered, or not needed any more; and sign-ins to them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from workbench.domain.mcp_question import McpAnswer, McpQuestion, check_answer
from workbench.domain.secrets import Secret
from workbench.engine.events import ProgramShown
from workbench.engine.store import StateStore
from workbench.engine.workspace_intents import AnswerServer
from workbench.engine.workspaces.sampling import Sampler
from workbench.engine.world import World

SIGN_INS = "mcp-sign-in:"
"""What the names of kept sign-ins to servers begin with, beside the origins of providers."""


class ServerQuestions:
    """Questions of all servers, each answered once."""

    def __init__(self, world: World, states: StateStore) -> None:
        self._world, self._states = world, states
        self._asked: dict[str, tuple[McpQuestion, asyncio.Future[McpAnswer]]] = {}
        self._sampler = Sampler(world, states, self._answered)

    async def ask(self, question: McpQuestion) -> McpAnswer:
        """Show a question and wait for its answer; where that sends something to a model, the model's is in it."""
        if question.sampling is not None:
            return await self._sampler.sample(question, question.sampling)
        return await self._answered(question)

    async def _answered(self, question: McpQuestion) -> McpAnswer:
        """What the person says; cancelled, the question is withdrawn."""
        question = replace(question, id=self._world.new_id())
        answer: asyncio.Future[McpAnswer] = asyncio.get_running_loop().create_future()
        self._asked[question.id] = (question, answer)
        self._show()
        try:
            return await answer
        finally:
            del self._asked[question.id]
            self._show()

    def answer(self, intent: AnswerServer) -> None:
        """Answer a question, if it still waits; `InvalidInput` where a field does not fit."""
        question, answer = self._asked.get(intent.question, (None, None))
        if question is None or answer is None or answer.done():
            return
        accepted = intent.action == "accept" and not question.url
        content = check_answer(question, intent.values) if accepted else {}
        answer.set_result(McpAnswer(intent.action, content))

    def _show(self) -> None:
        self._states.emit(ProgramShown({"questions": tuple(one for one, _ in self._asked.values())}))


@dataclass(frozen=True, slots=True)
class WorkspaceFront:
    """The person before the servers of one workspace → ServerFront."""

    workspace: str
    questions: ServerQuestions
    world: World

    async def ask(self, question: McpQuestion) -> McpAnswer:
        """Ask the person."""
        return await self.questions.ask(replace(question, workspace=self.workspace))

    async def sign_in_kept(self, server: str) -> Secret | None:
        """What is kept of a sign-in."""
        keys = self.world.keys
        return None if keys is None else await keys.find(self._place(server))

    async def keep_sign_in(self, server: str, kept: Secret | None) -> None:
        """Keep a sign-in, or forget it."""
        if self.world.keys is not None:
            await self.world.keys.keep(self._place(server), kept)

    def _place(self, server: str) -> str:
        return f"{SIGN_INS}{self.workspace}/{server}"
