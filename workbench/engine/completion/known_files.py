"""The files of folders as they are offered: listed beside the loop, and again when the list is some seconds old."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

from workbench.context.explain.offers import file_offers
from workbench.domain.files.attached import FolderList, ListedFile
from workbench.domain.shown.completion_view import Offer
from workbench.engine.world import World

MOST_FILES = 50_000
FRESH_S = 5.0
_MOST_FOLDERS = 8


@dataclass(frozen=True, slots=True)
class OfferedFiles:
    """One folder's files: as offers, and by the names they are offered under."""

    offers: tuple[Offer, ...] = ()
    by_name: Mapping[str, ListedFile] = field(default_factory=dict)
    read_s: float = 0.0


class KnownFiles:
    """Lists folders; a list that is being made is waited for by all who want it, and no key that is typed ends it."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._known: dict[tuple[str, str], OfferedFiles] = {}
        self._making: dict[tuple[str, str], asyncio.Task[OfferedFiles]] = {}

    def at_hand(self, folder: str, name: str) -> OfferedFiles | None:
        """The files of a folder as they were listed last; None where they never were."""
        return self._known.get((folder, name))

    def is_fresh(self, folder: str, name: str) -> bool:
        """Whether the list needs not be made again."""
        known = self._known.get((folder, name))
        return known is not None and asyncio.get_running_loop().time() - known.read_s < FRESH_S

    async def listed(self, folder: str, name: str) -> OfferedFiles:
        """The files of a folder as they are now; without a path, of the workspace. `name` is what it is called."""
        key = (folder, name)
        if self.is_fresh(*key):
            return self._known[key]
        if key not in self._making:
            task = self._making[key] = self._world.tasks.spawn(f"list files of {name}", self._list(*key))
            task.add_done_callback(lambda _: self._making.pop(key, None))
        return await asyncio.shield(self._making[key])

    async def _list(self, folder: str, name: str) -> OfferedFiles:
        found = await self._world.attachments.list_files(folder, MOST_FILES)
        files = await asyncio.to_thread(_offered, found, name)
        made = OfferedFiles(files.offers, files.by_name, asyncio.get_running_loop().time())
        self._known.pop((folder, name), None)
        while len(self._known) >= _MOST_FOLDERS:
            del self._known[next(iter(self._known))]
        self._known[folder, name] = made
        return made


def _offered(found: FolderList | None, name: str) -> OfferedFiles:
    if found is None:
        return OfferedFiles()
    front = f"{name}/" if name else ""
    return OfferedFiles(file_offers(found, name), {f"{front}{one.path}": one for one in found.files})
