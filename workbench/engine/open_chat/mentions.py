"""Files that a question names (`@notes.md`, `@spec.pdf#p3-5`): attached while it is written, at the latest when sent.

A name is followed once: who detaches what it brought does not have it brought again by the same words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from workbench.context.text.mentions import mentions
from workbench.domain.memo import Memo
from workbench.domain.shown.completion_view import CompletionView
from workbench.engine.chats.attaching import Told
from workbench.engine.chats.mentioned import Mentioned, attach_mentioned, keep_mentioned, read_mentioned
from workbench.engine.events import NoticeGiven
from workbench.engine.open_chat.scope import ChatScope, Shared
from workbench.engine.tasks import Debounced

SETTLE_S = 0.6
"""Delay after the last change of the names: the longer one that a name grows into may be another file."""

Names = tuple[str, ...]


@dataclass(slots=True)
class _Text:
    """A text that is being written: the names in it that were followed, and those that will be."""

    settles: Debounced[Names]
    followed: set[str] = field(default_factory=set)
    wanted: Names = ()


class Mentions:
    """Follows the names in the draft and in questions that are edited, by their content and never by the key."""

    def __init__(self, scope: ChatScope, shared: Shared) -> None:
        self._scope, self._world, self._shared = scope, scope.world, shared
        self._texts: dict[str, _Text] = {}  # by question; the draft has none
        self._memo = Memo()

    def opened(self, draft: str) -> None:
        """The chat is shown with a draft from before: its names brought what they did when they were written.

        They are words from now on: opening a chat, perhaps of somebody else, must attach nothing.
        """
        if "" not in self._texts:
            self._text("").followed.update(self._named("", draft))

    def written(self, draft: str) -> None:
        """The draft changed: what it names is attached as soon as it stands still."""
        self._look("", draft)

    def edited(self, question: str, text: str | None) -> None:
        """A question is being changed in its place: what it names anew is attached alike; None ends that."""
        if text is None:
            self._taken(question)
        elif question not in self._texts:
            self._text(question).followed.update(self._named(question, text))
        else:
            self._look(question, text)

    async def before_sending(self, text: str, question: str = "") -> None:
        """Attach what a question names and nobody followed yet; called by who holds the chat's order."""
        followed = self._taken(question)
        names = [name for name in self._named(question, text) if name not in followed]
        if names:
            await self._tell(await attach_mentioned(self._scope.chat, names, self._world))

    def follow(self, offered: CompletionView | None) -> None:
        """Where nothing is offered any more, a name means what it says."""
        state = self._scope.state
        if state is not None and (offered is None or not offered.offers):
            self.written(state.draft)

    def _text(self, question: str) -> _Text:
        async def bring(names: Names) -> None:
            await self._bring(question, names)

        if question not in self._texts:
            self._texts[question] = _Text(Debounced(self._scope, lambda: SETTLE_S, bring))
        return self._texts[question]

    def _taken(self, question: str) -> set[str]:
        """What was followed of a text that is no longer written."""
        text = self._texts.pop(question, None)
        if text is None:
            return set()
        text.settles.cancel()
        return text.followed

    def _look(self, question: str, text: str) -> None:
        names = self._named(question, text)
        # What is written no more may be meant when it is written again.
        self._text(question).followed.intersection_update(names)
        self._want(question, self._named(question, text, self._typed_at(question)) if names else ())

    def _want(self, question: str, names: Names) -> None:
        text = self._text(question)
        if text.followed.issuperset(names):
            text.settles.cancel()
            return
        if names != text.wanted:
            text.wanted = names  # else the same object: other letters do not hold up a name
        text.settles.call(f"names in what is written in {self._scope.chat}", text.wanted)

    def _named(self, question: str, text: str, typed_at: int | None = None) -> Names:
        if "@" not in text:
            return ()
        found = self._memo.kept(f"names {question}", (text,), lambda: mentions(text))
        return tuple(one.name for one in found if one.start != typed_at)

    async def _bring(self, question: str, names: Names) -> None:
        text = self._texts.get(question)
        if text is None:
            return
        if names != (now := self._now(question)):
            self._want(question, now)  # a name is completed by now, or typed on
            return
        chat, fresh = self._scope.chat, [name for name in names if name not in text.followed]
        await self._shared.new.write_down(chat)
        # Read before it is this change's turn: others of the chat do not wait for a document.
        read = await read_mentioned(chat, fresh, self._world)
        await self._scope.finish(f"attach what is named in {chat}", self._keep(question, text, fresh, read))

    async def _keep(self, question: str, text: _Text, fresh: Sequence[str], read: Mentioned) -> None:
        chat = self._scope.chat
        async with self._shared.orders.of(chat):
            # Sent meanwhile, the question has taken what it names along; closed, nobody wants it.
            if self._texts.get(question) is text and not self._scope.closed:
                text.followed.update(fresh)
                await self._tell(await keep_mentioned(chat, read, self._world))

    def _now(self, question: str) -> Names:
        state = self._scope.state
        if state is None or (question and question not in state.edits):
            return ()
        text = state.edits[question].text if question else state.draft
        return self._named(question, text, self._typed_at(question))

    def _typed_at(self, question: str) -> int | None:
        """Where a name is being typed for which something is offered: it may become another one."""
        state = self._scope.state
        view = None if state is None or question else state.completion
        return view.begun.start if view is not None and view.offers else None

    async def _tell(self, told: Told) -> None:
        if told.text:
            self._scope.emit(NoticeGiven(self._scope.chat, told.text, told.left_out))
        if told.changed:
            await self._scope.reload()
