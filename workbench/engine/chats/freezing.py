"""Copies of attached files that somebody goes on with, though the file has changed since."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import replace

from workbench.domain.files.attached import KeptCopy
from workbench.domain.files.attachment import Artifact
from workbench.domain.record import Snapshot
from workbench.engine.chats.file_keeping import keep_copy, settled
from workbench.engine.conversation import reattach
from workbench.engine.intents import FreezeArtifacts
from workbench.engine.tuning_intents import PutBackAttached
from workbench.engine.world import World


async def freeze_files(intent: FreezeArtifacts, world: World) -> None:
    """Go on with copies of files that have changed, until they change once more; what is not there is passed over."""
    chat, wanted = intent.chat, set(intent.keys)
    async with world.locks.of(chat):
        held = await world.store.attached(chat)
        kept = await _kept_files(chat, world)
        last = await world.store.last_turn(chat) if intent.earlier else None
        frozen = []
        for artifact in held:
            copies = kept.get(artifact.key, []) if artifact.key in wanted else []
            chosen = (
                _earlier(copies, "" if last is None else last.started_utc) if intent.earlier else copies[-1:]
            )
            for copy in chosen:
                newer = await _digest_now(copies[-1], world)
                frozen.append(await _chosen_over(copy, newer, artifact, world))
        await world.store.save_attached(chat, reattach(held, (), frozen))


async def put_back(intent: PutBackAttached, world: World) -> None:
    """Attach copies from before; of files that were read anew since, that is a choice against the newer content."""
    async with world.locks.of(intent.chat):
        held = intent.of(await world.store.attached(intent.chat))
        newest = {copy.key: copy for copy in await world.store.copies(intent.chat)}
        back = {one.key: one.content_digest for one in intent.artifacts}
        older = [key for key, digest in back.items() if key in newest and newest[key].text_digest != digest]
        kept = await _kept_files(intent.chat, world) if older else {}
        for artifact in held:
            same = [
                copy
                for copy in kept.get(artifact.key, [])
                if copy.artifact.content_digest == artifact.content_digest
            ]
            if artifact.key in older and same:
                await _chosen_over(same[-1], newest[artifact.key].sha256, artifact, world)
        await world.store.save_attached(intent.chat, held)


async def earlier_copy(chat: str, key: str, world: World) -> Snapshot | None:
    """The copy that a file had before it was read anew by itself; None where there is no other."""
    copies = (await _kept_files(chat, world)).get(key, [])
    last = await world.store.last_turn(chat)
    found = _earlier(copies, "" if last is None else last.started_utc) if copies else []
    return found[0] if found else None


async def _kept_files(chat: str, world: World) -> dict[str, list[Snapshot]]:
    """The copies of each file of a chat, oldest first."""
    kept: dict[str, list[Snapshot]] = {}
    for snapshot in await world.store.snapshots(chat):
        if snapshot.modified_utc is not None:
            kept.setdefault(snapshot.artifact.key, []).append(snapshot)
    return kept


def _earlier(copies: Sequence[Snapshot], sent_utc: str) -> list[Snapshot]:
    """The copy that went out last, else the one before the newest; none where there is no other."""
    others = [copy for copy in copies if copy.content != copies[-1].content]
    went_out = [copy for copy in others if copy.taken_utc <= sent_utc]
    return (went_out or others)[-1:]


async def _digest_now(newest: Snapshot, world: World) -> str:
    """What the file is now; where it cannot be read, what it was when it was read last."""
    made = await asyncio.to_thread(hashlib.sha256, newest.content)
    place = newest.place or newest.artifact.key
    copy = KeptCopy(place, "", len(newest.content), made.hexdigest(), place, bound=newest.bound)
    (sight,) = await world.attachments.look([(copy, None)])
    return sight.sha256 or made.hexdigest()


async def _chosen_over(copy: Snapshot, newer: str, held: Artifact, world: World) -> Artifact:
    """Keep a copy as the one to go on with, and what it was chosen over."""
    artifact = settled(copy.artifact, held)
    again = replace(copy, artifact=artifact, taken_utc=world.utc.utc_now(), refused=newer)
    await world.store.keep_snapshot(again)
    if (
        artifact.kind == "image"
        and (sent := await world.attachments.sendable_picture(copy.content)) != copy.content
    ):
        await keep_copy(copy.chat, artifact, sent, world)
    return artifact
