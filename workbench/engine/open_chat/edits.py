"""Questions of a chat edited in place, and the request that the newest edit would send."""

from __future__ import annotations

from dataclasses import dataclass, replace

from workbench.domain.errors import WorkbenchError
from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.engine.conversation import Conversation
from workbench.engine.events import EditShown, NoticeGiven
from workbench.engine.intents import EditQuestion
from workbench.engine.open_chat.requests import DRAFT_ID, ChatRequests
from workbench.engine.state import ChatState, EditedQuestion
from workbench.engine.turn.planning import TurnPlan, plan_edit


@dataclass(frozen=True, slots=True)
class Edit:
    """A question being edited: its newest text, and its turn plan once that is read."""

    text: str
    plan: TurnPlan | None = None


Edited = dict[str, Edit]
"""The edits of a chat by question, the newest last."""


class Edits:
    """Keeps the edits of an open chat in its state.

    Attributes:
        edited: by question; their words outlive the chat's view, so the dictionary is handed in.
    """

    def __init__(self, asking: ChatRequests, edited: Edited) -> None:
        self._asking, self.edited = asking, edited

    async def edit(self, question: str, text: str) -> None:
        known = self.edited.pop(question, None)
        self.edited[question] = Edit(text) if known is None else replace(known, text=text)
        self.show()
        if known is None:
            await self._read(question)

    def read_soon(self) -> None:
        """Read the plans of edits that were started while the chat was closed."""
        if any(edit.plan is None for edit in self.edited.values()):
            scope = self._asking.scope
            scope.spawn(f"read what edits in {scope.chat} stand on", self._read_all())

    async def _read_all(self) -> None:
        for question, edit in tuple(self.edited.items()):
            if edit.plan is None:
                await self._read(question)

    def show(self) -> None:
        """Show the edits on the branch in view, and the request of the newest one."""
        state = self._asking.scope.state
        if state is None or not self.edited:
            return
        here = {record.id for record in state.records}
        for question in [question for question in state.edits if question not in here]:
            self._emit(question, None)
        for question, edit in [(key, edit) for key, edit in self.edited.items() if key in here]:
            known = state.edits.get(question)
            view = None if known is None else known.view
            if question == next(reversed(self.edited)):
                view = self._view(state, question, edit) or view
            self._emit(question, EditedQuestion(question, edit.text, view))

    def _emit(self, question: str, edited: EditedQuestion | None) -> None:
        self._asking.scope.emit(EditShown(self._asking.chat, question, edited))

    def _view(self, state: ChatState, question: str, edit: Edit) -> EnvelopeView | None:
        """The request an edit would send; None while its plan is read or it is being built."""
        if edit.plan is None:
            return None
        asking, before = self._asking, self._conversation_before(state, question, edit.plan)
        words = replace(edit.plan.question, texts=(edit.text,))
        asked = asking.pictures(state).asked(before, words)
        results = asking.commands.results(edit.text, before.turn + 1, question)
        ask = asking.ask(state, state.chat.settings)
        known = ask.card or asking.world.builder.catalogue.find(ask.settings.model)
        wanted = replace(
            asking.wanted(state, edit.text, ask.settings, known), history=before.said, times=before.times
        )
        found = asking.recall.found(wanted, question)
        ask = replace(ask, question=asked, tool_results=results, found=found)
        prepared = asking.prepared(asking.requests.edit, before, ask, self.show)
        if prepared is None:
            return None
        asking.count_soon(prepared)
        foretold = asking.cache.foretold(prepared, question)
        return asking.requests.edit.viewer.view(foretold, asking.requests.scene(state))

    def _conversation_before(self, state: ChatState, question: str, plan: TurnPlan) -> Conversation:
        """The conversation before the edited question, with the present attachments and tuning."""
        before, now = plan.conversation, state.conversation
        if before.attached == now.attached and before.tuning == now.tuning:
            return before
        standing = replace(before, attached=now.attached, tuning=now.tuning)
        self.edited[question] = replace(self.edited[question], plan=replace(plan, conversation=standing))
        return standing

    async def _read(self, question: str) -> None:
        chat = self._asking.chat
        try:
            plan = await plan_edit(EditQuestion(chat, question, ""), self._asking.world, DRAFT_ID)
        except WorkbenchError as problem:
            self.edited.pop(question, None)
            self._emit(question, None)
            self._asking.scope.emit(NoticeGiven(chat, str(problem)))
            return
        if question in self.edited:
            self.edited[question] = replace(self.edited[question], plan=plan)
            self.show()
