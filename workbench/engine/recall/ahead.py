"""What of the past fits the question that is being written: looked for once nothing was typed for a moment."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from workbench.domain.recall import Found, Wanted
from workbench.engine.recall.finding import wants_past
from workbench.engine.recall.gathering import gather
from workbench.engine.tasks import Tasks
from workbench.ports.prompting import ContextProvider

SETTLE_S = 0.12
"""So long nothing may be typed before it is looked for: never in the frame of a keystroke."""

_Slot = tuple[str, object]


@dataclass(slots=True)
class _Look:
    """What is wanted, and what was found for what was wanted last."""

    wanted: Wanted
    found: tuple[Found, ...] = ()
    done: Wanted | None = None
    running: bool = False


class RecallAhead:
    """Keeps what was found for drafts; `done` is told of a chat with news."""

    def __init__(
        self, providers: Sequence[ContextProvider], tasks: Tasks, done: Callable[[str], None]
    ) -> None:
        self._providers, self._tasks, self._done = providers, tasks, done
        self._looks: dict[_Slot, _Look] = {}

    def found(self, wanted: Wanted, edited: str = "") -> tuple[Found, ...]:
        """What fits a draft, as far as it is known; what is wanted now is looked for soon.

        `edited` names a question that is being changed in its place; without it the draft is meant.
        """
        settings = wanted.settings
        slot = (wanted.chat, (settings.history, settings.sections, edited))
        if not wants_past(wanted):
            self._looks.pop(slot, None)
            return ()
        look = self._looks.setdefault(slot, _Look(wanted))
        look.wanted = wanted
        if not look.running and (look.done is None or not _same(look.done, wanted)):
            look.running = True
            self._tasks.spawn(f"recall for {wanted.chat}", self._run(slot, look))
        return look.found

    def forget(self, chat: str) -> None:
        """A chat is no longer in view."""
        for slot in [slot for slot in self._looks if slot[0] == chat]:
            del self._looks[slot]

    async def _run(self, slot: _Slot, look: _Look) -> None:
        try:
            while self._looks.get(slot) is look and (look.done is None or not _same(look.done, look.wanted)):
                wanted = look.wanted
                await asyncio.sleep(SETTLE_S)
                if look.wanted is not wanted:
                    continue  # something was typed meanwhile
                found = await gather(wanted, self._providers)
                changed = found != look.found
                look.found, look.done = found, wanted
                if changed and self._looks.get(slot) is look:
                    self._done(slot[0])
        finally:
            look.running = False


def _same(old: Wanted, new: Wanted) -> bool:
    """Whether the same is looked for, in the same; long histories are the same objects as long as nothing was said."""
    return (
        old.question == new.question
        and old.history is new.history
        and old.attached is new.attached
        and (old.room, old.section_room, old.workspace) == (new.room, new.section_room, new.workspace)
    )
