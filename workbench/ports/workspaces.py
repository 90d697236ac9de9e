"""Where workspaces and prompts are kept, beside the chats and in the same encrypted file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from workbench.domain.files.attachment import Artifact
from workbench.domain.workspace import SavedPrompt, Workspace


class WorkspaceStore(Protocol):
    """What a call returned from is on the disk, whole, or was refused with a reason."""

    async def workspaces(self) -> tuple[Workspace, ...]:
        """All of them, by name, deleted ones too; among them what holds everywhere, if anything does."""

    async def save_workspace(self, workspace: Workspace) -> None:
        """Keep a workspace, in place of what was kept under its id."""

    async def prompts(self) -> tuple[SavedPrompt, ...]:
        """The texts under a name, by name."""

    async def save_prompt(self, prompt: SavedPrompt) -> None:
        """Keep a text under a name, in place of what was kept there."""

    async def delete_prompt(self, workspace: str, name: str) -> None:
        """Forget the text under a name."""

    async def share(
        self, workspace: str, before: Sequence[Artifact], after: Sequence[Artifact]
    ) -> tuple[str, ...]:
        """Give every chat of a workspace what its template has now; which chats that changed.

        What a chat has set otherwise, or taken off, stays as it is there.
        """

    async def join(self, chat: str, workspace: str) -> None:
        """Attach to one chat what all of a workspace have, with the copies of its files."""

    async def leave(self, chat: str, workspace: str) -> None:
        """Take off a chat what it had only from a workspace: what is still as its template has it."""
