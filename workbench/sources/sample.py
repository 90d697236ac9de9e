"""The sample chat that comes with the program: its turns in a file, and the files it is about."""

from __future__ import annotations

import tomllib
from pathlib import Path

from workbench.domain.files.attachment import Artifact
from workbench.domain.sample_chat import SampleChat, SampleTurn

SAMPLE = "story.toml"


def load_sample(folder: Path) -> SampleChat:
    """The sample chat in a folder."""
    told = tomllib.loads((folder / SAMPLE).read_text(encoding="utf-8"))
    turns = tuple(
        SampleTurn(turn["question"].strip(), turn["answer"].strip(), _files(folder, turn["attach"]))
        for turn in told["turns"]
    )
    attached = _files(folder, told["draft_attach"])
    return SampleChat(told["title"], turns, told["draft"], attached, told.get("budget_tokens"))


def _files(folder: Path, names: list[str]) -> tuple[Artifact, ...]:
    return tuple(Artifact(name, "file", (folder / name).read_text(encoding="utf-8")) for name in names)
