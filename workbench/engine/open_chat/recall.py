"""Searches for what fits the question being written, once nothing was typed for a moment."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from workbench.domain.recall import Found, Wanted
from workbench.engine.recall.finding import wants_past
from workbench.engine.recall.providers import gather
from workbench.engine.tasks import Latest, Spawner
from workbench.ports.prompting import ContextProvider

SETTLE_S = 0.12
"""Delay after the last letter: never in the frame of a keystroke."""


@dataclass(slots=True)
class _Look:
    """The last search and its results; `wanted` is what is being searched for now."""

    looks: Latest[Wanted]
    found: tuple[Found, ...] = ()
    done: Wanted | None = None
    wanted: Wanted | None = None


class RecallAhead:
    """Keeps the search results for the drafts of one chat; `done` is called when there are new ones."""

    def __init__(
        self, providers: Sequence[ContextProvider], tasks: Spawner, done: Callable[[], None]
    ) -> None:
        self._providers, self._tasks, self._done = providers, tasks, done
        self._looks: dict[Hashable, _Look] = {}

    def found(self, wanted: Wanted, edited: str = "") -> tuple[Found, ...]:
        """Returns the results known for a draft, and schedules a search where they are outdated."""
        key = (wanted.settings.history, wanted.settings.sections, edited)
        if not wants_past(wanted):
            self._drop(key)
            return ()
        look = self._looks.get(key) or self._look(key)
        if look.done is not None and _same(look.done, wanted):
            look.wanted = None
            look.looks.cancel()  # typed and taken back
        elif look.wanted is None or not _same(look.wanted, wanted):
            look.wanted = wanted
            look.looks.call(f"recall for {wanted.chat}", wanted)
        return look.found

    def _drop(self, key: Hashable) -> None:
        look = self._looks.pop(key, None)
        if look is not None:
            look.looks.cancel()

    def _look(self, key: Hashable) -> _Look:
        async def run(wanted: Wanted) -> None:
            await self._run(key, wanted)

        made = self._looks[key] = _Look(Latest(self._tasks, run, lambda: SETTLE_S))
        return made

    async def _run(self, key: Hashable, wanted: Wanted) -> None:
        found = await gather(wanted, self._providers)
        look = self._looks.get(key)
        if look is None or not look.looks.is_wanted(wanted):
            return
        changed = found != look.found
        look.found, look.done, look.wanted = found, wanted, None
        if changed:
            self._done()


def _same(old: Wanted, new: Wanted) -> bool:
    """Tells whether two queries are equal; long histories are compared by identity."""
    return (
        old.question == new.question
        and old.history is new.history
        and old.attached is new.attached
        and (old.room, old.section_room, old.workspace) == (new.room, new.section_room, new.workspace)
        and (old.folders, old.folder_room, old.always) == (new.folders, new.folder_room, new.always)
    )
