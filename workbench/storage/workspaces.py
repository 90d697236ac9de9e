"""Workspaces and saved prompts in the encrypted file, and the files that all chats of a workspace share."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, delete, func, insert, select, text
from sqlalchemy.dialects.sqlite import insert as insert_or

from workbench.domain.codec import decode, encode
from workbench.domain.files.attachment import Artifact
from workbench.domain.workspace import SavedPrompt, Workspace, is_template, template_of
from workbench.storage.chats import chats
from workbench.storage.chats.contents import dump
from workbench.storage.database.schema import chat, prompt, workspace
from workbench.storage.history import SqlCipherHistory


class StoreWorkspaces:
    """The workspaces of one store → WorkspaceStore."""

    def __init__(self, store: SqlCipherHistory) -> None:
        self._store = store

    async def workspaces(self) -> tuple[Workspace, ...]:
        return await self._store.run(_all)

    async def save_workspace(self, workspace: Workspace) -> None:
        await self._store.run(_save, workspace)

    async def prompts(self) -> tuple[SavedPrompt, ...]:
        return await self._store.run(_prompts)

    async def save_prompt(self, prompt: SavedPrompt) -> None:
        await self._store.run(_save_prompt, prompt)

    async def delete_prompt(self, workspace: str, name: str) -> None:
        await self._store.run(_delete_prompt, workspace, name)

    async def share(
        self, workspace: str, before: Sequence[Artifact], after: Sequence[Artifact]
    ) -> tuple[str, ...]:
        """Give every chat of a workspace the present files of its template."""
        return await self._store.run(_share, workspace, before, after)

    async def join(self, chat: str, workspace: str) -> None:
        await self._store.run(_join, chat, workspace)

    async def leave(self, chat: str, workspace: str) -> None:
        await self._store.run(_leave, chat, workspace)


def _all(connection: Connection) -> tuple[Workspace, ...]:
    rows = connection.execute(select(workspace.c.body).order_by(func.lower(workspace.c.name), workspace.c.id))
    return tuple(decode(Workspace, json.loads(row.body)) for row in rows)


def _save(connection: Connection, changed: Workspace) -> None:
    values = {"name": changed.name, "body": dump(encode(changed))}
    made = insert_or(workspace).values(id=changed.id, **values)
    connection.execute(made.on_conflict_do_update(index_elements=["id"], set_=values))


def _prompts(connection: Connection) -> tuple[SavedPrompt, ...]:
    rows = connection.execute(select(prompt).order_by(func.lower(prompt.c.name), prompt.c.workspace))
    return tuple(SavedPrompt(row.name, row.text, row.workspace) for row in rows)


def _save_prompt(connection: Connection, new: SavedPrompt) -> None:
    _delete_prompt(connection, new.workspace, new.name)
    connection.execute(insert(prompt).values(workspace=new.workspace, name=new.name, text=new.text))


def _delete_prompt(connection: Connection, where: str, name: str) -> None:
    connection.execute(delete(prompt).where(prompt.c.workspace == where, prompt.c.name == name))


def _share(
    connection: Connection, of: str, before: Sequence[Artifact], after: Sequence[Artifact]
) -> tuple[str, ...]:
    inside = text("SELECT id FROM chat WHERE json_extract(filed, '$.workspace') = :of ORDER BY number")
    found = [one for one in connection.execute(inside, {"of": of}).scalars() if not is_template(one)]
    return tuple(one for one in found if _apply_to_chat(connection, one, of, (before, after)))


def _join(connection: Connection, chat_id: str, of: str) -> None:
    if _has_template(connection, of):
        _apply_to_chat(connection, chat_id, of, ((), chats.attached(connection, template_of(of))))


def _leave(connection: Connection, chat_id: str, of: str) -> None:
    if _has_template(connection, of):
        _apply_to_chat(connection, chat_id, of, (chats.attached(connection, template_of(of)), ()))


def _apply_to_chat(
    connection: Connection, chat_id: str, of: str, change: tuple[Sequence[Artifact], Sequence[Artifact]]
) -> bool:
    """Apply the template's change to one chat; returns whether it changed anything."""
    held = chats.attached(connection, chat_id)
    now = changed(held, *change)
    if now == held:
        return False
    chats.save_attached(connection, chat_id, now)
    known = set(held)
    _copy_files(connection, chat_id, of, (one.key for one in now if one not in known))
    return True


def changed(
    held: Sequence[Artifact], before: Sequence[Artifact], after: Sequence[Artifact]
) -> tuple[Artifact, ...]:
    """Attachments of a chat after its template changed: only those equal to the template's follow it."""
    old = {artifact.key: artifact for artifact in before}
    new = {artifact.key: artifact for artifact in after}
    followed: list[Artifact] = []
    for artifact in held:
        if old.get(artifact.key) != artifact:
            followed.append(artifact)
        elif artifact.key in new:
            followed.append(new[artifact.key])
    there = {artifact.key for artifact in held}
    added = [artifact for key, artifact in new.items() if key not in old and key not in there]
    return (*followed, *added)


def _copy_files(connection: Connection, chat_id: str, of: str, keys: Iterable[str]) -> None:
    """Give the chat its own copies of the template's files, so that they can be refreshed there."""
    for key in keys:
        taken = chats.newest_snapshot(connection, template_of(of), key)
        if taken is not None:
            chats.copy_snapshot(connection, taken, chat_id)


def _has_template(connection: Connection, of: str) -> bool:
    return connection.execute(select(chat.c.id).where(chat.c.id == template_of(of))).first() is not None
