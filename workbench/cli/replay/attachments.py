"""Reads what a turn of a trajectory attaches and detaches."""

from __future__ import annotations

from workbench.domain.files.attachment import (
    ARTIFACT_KINDS,
    EPHEMERAL_KINDS,
    PRIORITY_ESSENTIAL,
    PRIORITY_LOW,
    PRIORITY_MEDIUM,
    Artifact,
    ArtifactKind,
    artifact_key,
)
from workbench.domain.reading.node import Fields, Node, nullable, show

_ARTIFACT = (
    "id", "kind", "title", "text", "priority", "essential", "pinned", "recoverable", "most_tokens",
    "by_relevance", "whole",
)  # fmt: skip


def read_attach(node: Node) -> tuple[Artifact, ...]:
    """What a turn attaches; of the same id twice, the last stands at the place of the first."""
    read = [item.fields(_ARTIFACT) for item in node.items()]
    # Ids given anywhere in the turn are taken, so that no selection without one is overwritten by them.
    taken = {given.text() for fields in read if (given := fields.given("id")) is not None}
    attached: dict[str, Artifact] = {}
    for fields in read:
        artifact = _artifact(fields, taken)
        taken.add(artifact.key)
        attached[artifact.key] = artifact
    return tuple(attached.values())


def read_detach(node: Node, attached: set[str]) -> tuple[str, ...]:
    """The ids a turn detaches, taken out of `attached`; each must be attached at that moment."""
    detached = []
    for item in node.items():
        key = item.text()
        if key not in attached:
            raise item.error(f"{show(key)} is not attached")
        attached.remove(key)
        detached.append(key)
    return tuple(detached)


def _artifact(fields: Fields, taken: set[str]) -> Artifact:
    kind: ArtifactKind = fields.read("kind", _kind, "file")
    text = fields.require("text").text()
    given = fields.given("id")
    priority = fields.read("priority", _priority, PRIORITY_MEDIUM)
    return Artifact(
        key=artifact_key(kind, text, taken) if given is None else given.name(),
        kind=kind,
        text=text,
        title=fields.read("title", Node.text, ""),
        priority=priority,
        essential=_essential(fields, kind, priority),
        recoverable=fields.read("recoverable", Node.flag, kind not in EPHEMERAL_KINDS),
        most_tokens=fields.read("most_tokens", nullable(lambda node: node.integer(1)), None),
        by_relevance=fields.read("by_relevance", Node.flag, False),
        whole=fields.read("whole", Node.flag, False),
    )


def _essential(fields: Fields, kind: ArtifactKind, priority: int) -> bool:
    pinned = fields.read("pinned", Node.flag, False)
    said = fields.read("essential", Node.flag, kind in EPHEMERAL_KINDS)
    return said or pinned or priority == PRIORITY_ESSENTIAL


def _kind(node: Node) -> ArtifactKind:
    return node.choice(ARTIFACT_KINDS)


def _priority(node: Node) -> int:
    return node.integer(PRIORITY_ESSENTIAL, PRIORITY_LOW)
