"""The sample chat that comes with the program: a story in a file, and the files it is about."""

from __future__ import annotations

import tomllib
from pathlib import Path

from workbench.domain.attachment import Artifact
from workbench.domain.trajectory import Story, StoryTurn

STORY = "story.toml"


def load_sample(folder: Path) -> Story:
    """The story in a folder."""
    told = tomllib.loads((folder / STORY).read_text(encoding="utf-8"))
    turns = tuple(
        StoryTurn(turn["question"].strip(), turn["answer"].strip(), _files(folder, turn["attach"]))
        for turn in told["turns"]
    )
    return Story(told["title"], turns, told["draft"], _files(folder, told["draft_attach"]))


def _files(folder: Path, names: list[str]) -> tuple[Artifact, ...]:
    return tuple(Artifact(name, "file", (folder / name).read_text(encoding="utf-8")) for name in names)
