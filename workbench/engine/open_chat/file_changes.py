"""An attached file held against what lies on the disk now: read when somebody looks, compared beside the loop."""

from __future__ import annotations

import asyncio

from workbench.context.text.changed_text import changed_lines
from workbench.domain.files.attached import CannotAttach
from workbench.domain.files.attachment import Artifact
from workbench.domain.files.document import AS_FOUND
from workbench.domain.shown.file_changes import FileChanges
from workbench.engine.attaching_intents import CompareFile
from workbench.engine.chats.attached_parts import with_part
from workbench.engine.chats.file_keeping import earlier_copy
from workbench.engine.events import ChatShown
from workbench.engine.open_chat.scope import ChatScope

MOST_LINES = 2_000
LONGEST_LINE = 400


class FileComparing:
    """Shows how one attached file differs from the disk; nothing of what is read is kept."""

    def __init__(self, scope: ChatScope) -> None:
        self._scope, self._world = scope, scope.world
        self._task: asyncio.Task[None] | None = None

    def look(self, intent: CompareFile) -> None:
        if self._task is not None:
            self._task.cancel()
        state = self._scope.state
        attached = () if state is None else state.conversation.attached
        held = next((one for one in attached if one.key == intent.key), None)
        if held is None:
            self._scope.emit(ChatShown(intent.chat, {"changes": None}))
            return
        self._scope.emit(ChatShown(intent.chat, {"changes": FileChanges(held.key, reading=True)}))
        self._task = self._scope.spawn(f"compare {held.key}", self._compare(held))

    async def _compare(self, held: Artifact) -> None:
        chat, state = self._scope.chat, self._scope.state
        if state is not None and state.disk.get(held.key, ("unknown", ""))[0] == "renewed":
            # It was read anew by itself: what somebody wants to know is what became another by that.
            earlier = await earlier_copy(chat, held.key, self._world)
            await self._show(held.key, held.text if earlier is None else earlier.artifact.text, held.text)
            return
        copies = [copy for copy in await self._world.store.copies(chat) if copy.key == held.key]
        place = (copies[-1].place if copies else "") or held.key
        reading = copies[-1].read_as.chosen if copies else AS_FOUND
        try:
            now = await self._world.attachments.read(with_part(place, held.key), reading)
        except CannotAttach as refusal:
            words = f"It cannot be read now: {refusal.reason}. The copy stays attached."
            self._tell(FileChanges(held.key, problem=words))
            return
        await self._show(held.key, held.text, now.artifact.text)

    async def _show(self, key: str, before: str, after: str) -> None:
        lines = await asyncio.to_thread(changed_lines, before, after)
        kept = tuple(line._replace(text=line.text[:LONGEST_LINE]) for line in lines[:MOST_LINES])
        self._tell(FileChanges(key, kept, max(0, len(lines) - MOST_LINES)))

    def _tell(self, changes: FileChanges) -> None:
        state = self._scope.state
        if state is not None and state.changes is not None and state.changes.key == changes.key:
            self._scope.emit(ChatShown(state.chat.id, {"changes": changes}))
