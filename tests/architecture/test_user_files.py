"""One function opens what a user names: `files.reading.user_file`. Everything else that opens a file opens its own."""

from __future__ import annotations

import ast
import asyncio
import os
import re
import sys
from functools import cache
from pathlib import Path

from tests.architecture.source_tree import PACKAGE, ROOT, modules, parse, relative
from workbench.domain.files.folder import FolderRules
from workbench.sources.attach import FileAttachments
from workbench.sources.attached_file import Naming
from workbench.sources.extract.process import ChildExtractor
from workbench.tools.toolbox import WorkspaceTools

OPENER = "workbench/files/reading.py"
# Who else opens files, and which.
OWN_FILES = {
    "workbench/__main__.py": "nothing: the system's own empty device",
    "workbench/cli/history/imports.py": "a key's text, which may come through a pipe",
    "workbench/cli/keys.py": "a key's text, which may come through a pipe",
    "workbench/cli/terminal.py": "a trajectory or expected figures, which may come through a pipe",
    "workbench/cli/watch/running.py": "the terminal, to find out who gets its Ctrl-C",
    "workbench/files/": "folders, and what is written",
    "workbench/providers/": "what is shipped or kept for models: catalogues, prices, ranks, weights",
    "workbench/settings/settings_file.py": "the program's settings",
    "workbench/sources/about.py": "what is shipped, and which commit a checkout is at",
    "workbench/sources/desktop.py": "what is shipped, and its copies in the desktop's folder",
    "workbench/sources/extract/": "nothing but pipes to its own child, and bytes in memory",
    "workbench/sources/renderer_plugins.py": "what installed packages declare",
    "workbench/sources/resources.py": "what is shipped",
    "workbench/showroom/": "what is shipped, and its own copies of it",
    "workbench/storage/": "the store and its keys",
    "workbench/ui/dialogs/protect.py": "a new file for the recovery code",
    "workbench/ui/look/": "icons and fonts that are shipped",
    "workbench/wiring/": "what is shipped, and the log",
}
OPENS = {"open", "read_bytes", "read_text", "open_file", "openat", "fdopen", "mmap"}
NAMED = re.compile(rf"\b({'|'.join(OPENS)})\(")


@cache
def openings(path: Path) -> frozenset[str]:
    """Calls that open a file, or something by that name; most files name none of them and are not looked into."""
    if not NAMED.search(path.read_text(encoding="utf-8")):
        return frozenset()
    called = [node.func for node in ast.walk(parse(path)) if isinstance(node, ast.Call)]
    plain = {name.id for name in called if isinstance(name, ast.Name) and name.id == "open"}
    return frozenset(
        plain | {name.attr for name in called if isinstance(name, ast.Attribute) and _opens(name)}
    )


def _opens(called: ast.Attribute) -> bool:
    """Not the `open` of a dialog, a model or an archive: that of `os`, `io` and of paths."""
    if called.attr not in OPENS:
        return False
    if isinstance(called.value, ast.Name) and called.value.id == "foreign_json":
        return False  # of bytes that were read already
    if called.attr != "open":
        return True
    return isinstance(called.value, ast.Name) and called.value.id in ("os", "io", "path")


def test_nobody_else_opens_what_a_user_names():
    found = {relative(path): sorted(openings(path)) for path in modules()}
    others = {
        path: calls
        for path, calls in found.items()
        if calls and path != OPENER and not any(path.startswith(own) for own in OWN_FILES)
    }
    assert others == {}
    assert found[OPENER] == ["open", "open_file"]


def test_a_file_of_a_folder_is_opened_by_its_handle_in_one_place():
    users = [
        relative(path)
        for path in modules()
        if "open_file" in openings(path) and not relative(path).startswith("workbench/files/")
    ]
    assert users == []


def test_whatever_reads_a_users_file_goes_through_it(tmp_path: Path):
    """Watched while it happens: every opening of a file in a user's folder comes from that one function."""
    folder = tmp_path / "work"
    (folder / "src").mkdir(parents=True)
    (folder / "a.md").write_text("# Alpha\nwords\n")
    (folder / "src" / "b.py").write_text("def beta(): pass\n")
    (folder / "c.txt").write_bytes("käse".encode("latin-1"))
    opened: list[str] = []
    watching = True

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if not watching or event != "open" or not isinstance(arguments[0], str | bytes | os.PathLike):
            return
        name = os.fsdecode(arguments[0])
        inside = name.startswith(str(folder)) or name in ("a.md", "b.py", "c.txt")
        flags = arguments[2] if isinstance(arguments[2], int) else 0
        if inside and not flags & getattr(os, "O_DIRECTORY", 0):
            opened.append(_who(sys._getframe(1)))

    sys.addaudithook(hook)
    asyncio.run(_read_in_every_way(folder))
    watching = False
    assert len(opened) >= 8
    assert set(opened) <= {OPENER, "workbench/files/folders.py"}


def _who(frame: object) -> str:
    """The nearest of our own files."""
    while frame is not None:
        name = frame.f_code.co_filename  # type: ignore[attr-defined]
        if name.startswith(str(PACKAGE)):
            return Path(name).relative_to(ROOT).as_posix()
        frame = frame.f_back  # type: ignore[attr-defined]
    return "elsewhere"


async def _read_in_every_way(folder: Path) -> None:
    reader = FileAttachments(ChildExtractor(), naming=Naming(workspace=lambda: str(folder)))
    tools = {tool.definition.name: tool for tool in WorkspaceTools(folder).tools}
    try:
        for path in ("a.md", "a.md#Alpha", "c.txt"):
            await reader.read(f"{folder}/{path}")
            await reader.find(path)
        await reader.read_in(str(folder), "src/b.py")
        await reader.folder_files(str(folder))
        scan = await reader.scan(str(folder), FolderRules())
        assert scan is not None
        while await scan.more():
            pass
        await scan.texts(["a.md", "src/b.py"])
        await scan.close()
        await tools["read"].run({"path": "a.md"})
        await tools["grep"].run({"pattern": "beta"})
    finally:
        await reader.close()
