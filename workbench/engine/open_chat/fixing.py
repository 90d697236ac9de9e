"""Ways to make a chat's next request fit, looked for in the background: what is shown does not wait for them."""

from __future__ import annotations

from functools import partial

from workbench.domain.errors import WorkbenchError
from workbench.engine.assembly.prepare import Prepared
from workbench.engine.conversation import Conversation
from workbench.engine.open_chat.asking import Asking
from workbench.engine.shown.fixes import Tight, find_fixes
from workbench.engine.shown_events import chat_shows
from workbench.engine.state import ChatState, Fix


class Fixing:
    """Keeps the fixes of a request that is over its limit; one look at a time."""

    def __init__(self, asking: Asking) -> None:
        self._asking = asking
        self._found: tuple[Conversation, tuple[Fix, ...]] | None = None
        self._looking = False

    def known(self, state: ChatState) -> tuple[Fix, ...]:
        """What was found for the chat as it stands: after any change of it, a fix may do what it does not say."""
        if self._found is None or self._found[0] is not state.conversation:
            return ()
        return self._found[1]

    def look(self) -> None:
        """Look for fixes, if the request that is shown needs any."""
        if not self._looking and self._tight() is not None:
            self._looking = True
            self._asking.world.tasks.spawn(f"look for fixes in {self._asking.chat}", self._run())

    async def _run(self) -> None:
        """Until the newest request has its fixes: typing goes on meanwhile."""
        done: Prepared | None = None
        try:
            while (tight := self._tight()) is not None and tight.prepared is not done:
                fixes = await find_fixes(tight, self._asking.world)
                done = tight.prepared
                self._found = (tight.conversation, fixes)
                self._show(tight, fixes)
        except WorkbenchError:
            return  # without a count there is nothing to offer
        finally:
            self._looking = False

    def _show(self, tight: Tight, fixes: tuple[Fix, ...]) -> None:
        state = self._asking.scope.state
        if state is not None and state.view is tight.view:
            self._asking.scope.emit(chat_shows(state.chat.id, fixes=fixes))

    def _tight(self) -> Tight | None:
        """What the newest request is, where it is over its limit."""
        state = self._asking.scope.state
        if state is None or state.view is None or state.prepared is None or not state.view.over_tokens:
            return None
        return Tight(
            state.conversation, state.chat.settings, state.prepared, state.view, partial(self._asking.ask, state),
            self._asking.scope.states.state.models or (),
        )  # fmt: skip
