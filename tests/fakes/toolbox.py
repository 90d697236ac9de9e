"""Tools over files in a dictionary: read, search and write, with a preview and a way back."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from workbench.domain.tool import ToolDefinition, ToolOutcome, ToolPreview
from workbench.ports.tools import Tool


@dataclass
class FakeTool:
    """One tool of a fake toolbox → Tool."""

    name: str
    box: FakeToolbox
    has_side_effects: bool = False
    searches: bool = False

    @property
    def definition(self) -> ToolDefinition:
        """How the model is told of it."""
        return ToolDefinition(self.name, f"{self.name} a file")

    async def preview(self, arguments: Mapping[str, Any]) -> ToolPreview:
        """What it would do."""
        self.box.previewed.append(dict(arguments))
        path = str(arguments.get("path"))
        return ToolPreview(f"{self.name} {path}", outside=(path,) if path.startswith("/") else ())

    async def run(self, arguments: Mapping[str, Any]) -> ToolOutcome:
        """Do it, as slowly or as badly as the test wants."""
        if self.box.waits_s:
            await asyncio.sleep(self.box.waits_s)
        if self.box.breaks is not None:
            raise self.box.breaks
        return self.box.done(self.name, arguments)


@dataclass
class FakeToolbox:
    """A workspace in memory → Toolbox.

    Attributes:
        files: what there is to read.
        written, previewed, undone: arguments and notes, in order.
        waits_s: how long a call takes.
        breaks: what a call raises, as only a bug does.
    """

    files: dict[str, str] = field(default_factory=dict)
    written: list[dict[str, Any]] = field(default_factory=list)
    previewed: list[dict[str, Any]] = field(default_factory=list)
    undone: list[dict[str, Any]] = field(default_factory=list)
    waits_s: float = 0.0
    breaks: Exception | None = None

    @property
    def tools(self) -> tuple[Tool, ...]:
        """First those that look, then the one that changes something."""
        return (
            FakeTool("read", self),
            FakeTool("grep", self, searches=True),
            FakeTool("write", self, has_side_effects=True),
        )

    async def undo(self, note: Mapping[str, Any]) -> ToolOutcome:
        """Take a write back, unless the file has changed since."""
        if self.files.get(note["path"]) != note["now"]:
            return ToolOutcome(f"{note['path']} was changed since; nothing was undone.", failed=True)
        if note["before"] is None:
            del self.files[note["path"]]
        else:
            self.files[note["path"]] = note["before"]
        self.undone.append(dict(note))
        return ToolOutcome(f"{note['path']} is as it was.")

    def done(self, name: str, arguments: Mapping[str, Any]) -> ToolOutcome:
        """What a call gives back."""
        path = str(arguments.get("path", ""))
        if name == "write":
            note: dict[str, Any] = {
                "path": path,
                "before": self.files.get(path),
                "now": str(arguments.get("text", "")),
            }
            self.files[path] = note["now"]
            self.written.append(dict(arguments))
            return ToolOutcome(f"{path} was written.", undo=note)
        if name == "grep":
            found = [key for key, text in self.files.items() if str(arguments.get("pattern")) in text]
            return ToolOutcome("\n".join(found) or "nothing found")
        if path not in self.files:
            return ToolOutcome(f"There is no {path!r}.", failed=True)
        return ToolOutcome(self.files[path])
