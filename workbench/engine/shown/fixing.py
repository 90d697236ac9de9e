"""Looks for ways to make requests fit, in the background: what is shown does not wait for them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from workbench.domain.errors import WorkbenchError
from workbench.domain.preferences import ContextSettings
from workbench.engine.assembly.prepare import Ask, Prepared
from workbench.engine.conversation import Conversation
from workbench.engine.events import RequestShown
from workbench.engine.shown.fixes import Tight, find_fixes
from workbench.engine.state import ChatState, Fix
from workbench.engine.store import StateStore
from workbench.engine.world import World

AskUnder = Callable[[ChatState, ContextSettings], Ask]


class Fixing:
    """Keeps the fixes of requests that are over their limit; one look at a time for each chat."""

    def __init__(self, world: World, states: StateStore, ask: AskUnder) -> None:
        self._world, self._states, self._ask = world, states, ask
        self._found: dict[str, tuple[Conversation, tuple[Fix, ...]]] = {}
        self._looking: set[str] = set()

    def known(self, state: ChatState) -> tuple[Fix, ...]:
        """What was found for the chat as it stands: after any change of it, a fix may do what it does not say."""
        conversation, fixes = self._found.get(state.chat.id, (None, ()))
        return fixes if conversation is state.conversation else ()

    def look(self, chat: str) -> None:
        """Look for fixes, if the request that is shown needs any."""
        if chat not in self._looking and self._tight(chat) is not None:
            self._looking.add(chat)
            self._world.tasks.spawn(f"look for fixes in {chat}", self._run(chat))

    def forget(self, chat: str) -> None:
        """A chat is no longer in view."""
        self._found.pop(chat, None)

    async def _run(self, chat: str) -> None:
        """Until the newest request has its fixes: typing goes on meanwhile."""
        done: Prepared | None = None
        try:
            while (tight := self._tight(chat)) is not None and tight.prepared is not done:
                fixes = await find_fixes(tight, self._world)
                done = tight.prepared
                self._found[chat] = (tight.conversation, fixes)
                self._show(chat, tight, fixes)
        except WorkbenchError:
            return  # without a count there is nothing to offer
        finally:
            self._looking.discard(chat)

    def _show(self, chat: str, tight: Tight, fixes: tuple[Fix, ...]) -> None:
        state = self._states.state.open.get(chat)
        if state is not None and state.view is tight.view:
            self._states.emit(RequestShown(chat, tight.view, state.attachments, fixes))

    def _tight(self, chat: str) -> Tight | None:
        """What the newest request of a chat is, where it is over its limit."""
        state = self._states.state.open.get(chat)
        if state is None or state.view is None or state.prepared is None or not state.view.over_tokens:
            return None
        return Tight(
            state.conversation, state.chat.settings, state.prepared, state.view, partial(self._ask, state),
            self._states.state.models or (),
        )  # fmt: skip
