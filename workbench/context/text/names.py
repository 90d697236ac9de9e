"""What an artifact is called where there is little room: the end of a path says which file it is."""

from __future__ import annotations

from workbench.domain.attachment import Artifact

_PARTS = 2


def short_name(artifact: Artifact) -> str:
    """Its title; of a path from the root, the folder and the file."""
    if artifact.title:
        return artifact.title
    key = artifact.key
    rooted = key.startswith("/") or key[1:3] in (":/", ":\\")
    return "/".join(key.replace("\\", "/").split("/")[-_PARTS:]) if rooted else key
