"""Workspaces for tests: a folder filled in one line, looked at byte for byte, and tools called by name."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from workbench.domain.tool import ToolOutcome, ToolPreview
from workbench.files.folder_handles import CheckedFolder
from workbench.files.folders import DirectoryFolder, Folder
from workbench.ports.tools import Tool, Toolbox
from workbench.tools.toolbox import WorkspaceTools
from workbench.tools.workspace.workspace import Workspace

Tree = dict[str, tuple[int, bytes | None]]

every_way_in = pytest.mark.parametrize(
    "open_root", [DirectoryFolder.at, CheckedFolder.at], ids=["handles", "checked paths"]
)
OpenRoot = Callable[[str], Folder]


def fill(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Put files into a folder; a name that ends in / is an empty folder."""
    for name, content in files.items():
        path = root / name
        if name.endswith("/"):
            path.mkdir(parents=True, exist_ok=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def tree_of(root: Path) -> Tree:
    """Everything in a folder: modes, and the bytes of files."""
    found: Tree = {}
    for path in sorted(root.rglob("*")):
        mode = stat.S_IMODE(os.lstat(path).st_mode)
        content = os.readlink(path).encode() if path.is_symlink() else None
        found[path.relative_to(root).as_posix()] = (mode, path.read_bytes() if _is_file(path) else content)
    return found


def _is_file(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


class Called:
    """The tools of a workspace, called as a model calls them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.toolbox: Toolbox = WorkspaceTools(root)

    def tool(self, name: str) -> Tool:
        return next(tool for tool in self.toolbox.tools if tool.definition.name == name)

    def run(self, name: str, **arguments: Any) -> ToolOutcome:
        return asyncio.run(self.tool(name).run(arguments))

    def preview(self, name: str, **arguments: Any) -> ToolPreview:
        return asyncio.run(self.tool(name).preview(arguments))

    def undo(self, outcome: ToolOutcome) -> ToolOutcome:
        assert outcome.undo is not None
        return asyncio.run(self.toolbox.undo(outcome.undo))

    def text(self, name: str, **arguments: Any) -> str:
        """What a call that works says."""
        outcome = self.run(name, **arguments)
        assert not outcome.failed, outcome.text
        return outcome.text

    def refusal(self, name: str, **arguments: Any) -> str:
        """Why a call does not work; nothing may be changed by it."""
        before = tree_of(self.root)
        outcome = self.run(name, **arguments)
        assert outcome.failed, outcome.text
        assert outcome.undo is None
        assert tree_of(self.root) == before
        return outcome.text


def workspace_in(root: Path, open_root: OpenRoot | None = None) -> Workspace:
    """A workspace, reached one way or the other."""
    return Workspace(root, open_root)
