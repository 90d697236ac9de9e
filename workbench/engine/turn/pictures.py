"""Pictures of a turn: those attached go with the question once, and the bytes of all that are sent are found."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import replace

from workbench.domain.attachment import Artifact
from workbench.domain.message import Entry, Image, Message
from workbench.domain.pictures import picture_in
from workbench.domain.record import Snapshot
from workbench.domain.request import Picture
from workbench.engine.turn.plan import TurnPlan
from workbench.ports.history import HistoryStore


async def with_pictures(plan: TurnPlan, store: HistoryStore) -> TurnPlan:
    """The plan with its pictures; one that the conversation has already seen is not sent a second time."""
    attached = [artifact for artifact in plan.conversation.attached if artifact.kind == "image"]
    seen = {image.digest for image in _images((*plan.conversation.history, plan.question))}
    if not attached and not seen:
        return plan
    snapshots = [one for one in await store.snapshots(plan.chat) if one.artifact.kind == "image"]
    found = {
        _digest(one.content): Picture(shown.media_type, one.content)
        for one in snapshots
        if (shown := picture_in(one.content)) is not None
    }
    fresh = () if plan.kept else _fresh(attached, snapshots, seen)
    question = replace(plan.question, images=(*plan.question.images, *fresh))
    return replace(plan, question=question, pictures=found)


def _fresh(attached: Sequence[Artifact], snapshots: Sequence[Snapshot], seen: set[str]) -> tuple[Image, ...]:
    newest = {one.artifact.key: one.content for one in snapshots}
    contents = [newest[artifact.key] for artifact in attached if artifact.key in newest]
    images = [
        Image(_digest(content), shown.tokens)
        for content in contents
        if (shown := picture_in(content)) is not None
    ]
    return tuple(image for image in dict.fromkeys(images) if image.digest not in seen)


def _images(entries: Iterable[Entry]) -> Iterable[Image]:
    return (image for entry in entries if isinstance(entry, Message) for image in entry.images)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
