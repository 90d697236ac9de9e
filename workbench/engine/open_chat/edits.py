"""Messages of a chat edited in place, and the request that the newest edit would make."""

from __future__ import annotations

from dataclasses import dataclass, replace

from workbench.context.explain.differences import price_tag
from workbench.domain.errors import WorkbenchError
from workbench.domain.message import Message
from workbench.domain.shown.envelope_view import EnvelopeView, PriceTag
from workbench.engine.conversation import Conversation
from workbench.engine.events import EditShown, NoticeGiven
from workbench.engine.intents import EditQuestion
from workbench.engine.open_chat.requests import DRAFT_ID, ChatRequests
from workbench.engine.state import ChatState, EditedQuestion
from workbench.engine.tuning_intents import TuneMessages, edit_message
from workbench.engine.turn.planning import TurnPlan, plan_edit


@dataclass(frozen=True, slots=True)
class Edit:
    """A message being edited: its newest text, and a question's turn plan once that is read.

    Attributes:
        step: what gives an answer these words; after: the conversation then. Both are for `standing`.
    """

    text: str
    plan: TurnPlan | None = None
    step: TuneMessages | None = None
    standing: Conversation | None = None
    after: Conversation | None = None


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
        if known is None and self.answer(question) is None:
            await self._read(question)

    def answer(self, key: str) -> Message | None:
        """The answer or tool's result of this id on the branch in view; None for anything else."""
        state = self._asking.scope.state
        found = (
            next((one.entry for one in state.records if one.id == key), None) if state is not None else None
        )
        return found if isinstance(found, Message) and found.role in ("assistant", "tool") else None

    def read_soon(self) -> None:
        """Read the plans of edits that were started while the chat was closed."""
        if any(edit.plan is None for edit in self.edited.values()):
            scope = self._asking.scope
            scope.spawn(f"read what edits in {scope.chat} stand on", self._read_all())

    async def _read_all(self) -> None:
        for question, edit in tuple(self.edited.items()):
            if edit.plan is None and self.answer(question) is None:
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
            if self.answer(question) is not None:
                self._emit(question, self._version(state, question, edit, known))
                continue
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

    def _version(
        self, state: ChatState, key: str, edit: Edit, known: EditedQuestion | None
    ) -> EditedQuestion:
        """An answer with other words, the next request with them, and what that costs."""
        before = known or EditedQuestion(key, edit.text, None, PriceTag())
        message, asking = self.answer(key), self._asking
        if message is None or state.view is None or key != next(reversed(self.edited)):
            return replace(before, text=edit.text)
        if not edit.text.strip() or edit.text == message.text:
            return EditedQuestion(key, edit.text, None, PriceTag())
        do, _ = edit_message(asking.chat, state.conversation.tuning, message, edit.text, "")
        if edit.standing is not state.conversation or edit.step != do:
            after = replace(state.conversation, tuning=do.of(state.conversation.tuning))
            edit = replace(edit, step=do, standing=state.conversation, after=after)
            self.edited[key] = edit
        assert edit.after is not None
        ask = asking.ask(state, state.chat.settings)
        prepared = asking.prepared(asking.requests.edit, edit.after, ask, self.show)
        view = before.view
        if prepared is not None:
            asking.count_soon(prepared)
            foretold = asking.cache.foretold(prepared, key)
            view = asking.requests.edit.viewer.view(foretold, asking.requests.scene(state))
        if view is None:
            return replace(before, text=edit.text)
        # Priced against the request as it is now, though the one with the words is still being built.
        forecast = None if state.prepared is None else state.prepared.forecast
        return EditedQuestion(key, edit.text, view, price_tag(state.view, view, forecast))

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
