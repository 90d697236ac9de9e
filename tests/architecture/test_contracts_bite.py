"""Each import contract in pyproject.toml fails when it is broken, also in rooms that do not exist yet."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from tests.architecture.source_tree import ROOT

SKELETON = [
    *("__init__", "__main__", "wiring", "ports", "settings", "domain/__init__", "domain/segment"),
    *("context/__init__", "context/assemble", "context/render"),
    *("engine/__init__", "engine/state", "engine/intents", "engine/turn"),
    *(
        "cli/__init__",
        "cli/ask",
        "storage/__init__",
        "storage/history",
        "providers/__init__",
        "providers/openai",
    ),
    *("files/__init__", "files/writing", "net/__init__", "net/connections"),
    *(
        "sources/__init__",
        "sources/files",
        "tools/__init__",
        "tools/grep",
        "tools/mcp/__init__",
        "ui/__init__",
        "ui/bridge",
    ),
    *("ui/chat/__init__", "ui/chat/pane", "ui/attachments/__init__", "ui/attachments/pane"),
    *("ui/inspector/__init__", "ui/inspector/pane"),
    *("showroom/__init__", "showroom/script", "showroom/scenes"),
]
ALLOWED = {
    "__main__": "import workbench.wiring",
    "showroom/scenes": "import PySide6.QtWidgets, workbench.ui.bridge, workbench.providers.openai, workbench.cli.ask",
    "wiring": "import workbench.showroom.scenes, workbench.cli.ask, workbench.storage.history, workbench.settings",
    "settings": "import os, pathlib, tomlkit, workbench.ports",
    "context/assemble": "import hashlib, workbench.context.render, workbench.domain.segment",
    "engine/turn": "import asyncio, workbench.context.assemble, workbench.ports",
    "cli/ask": "import workbench.engine.turn, workbench.context.assemble, workbench.files.writing",
    "storage/history": "import sqlalchemy.orm, cryptography, workbench.files.writing, workbench.ports",
    "files/writing": "import os, pathlib, workbench.domain.segment",
    "net/connections": "import httpx2, httpcore2, socket, workbench.domain.segment",
    "providers/openai": "import openai, tiktoken, workbench.domain.segment, workbench.net.connections",
    "sources/files": "import pathspec, pypdfium2, workbench.files.writing",
    "tools/mcp/session": "import mcp, mcp_types, httpx2, workbench.ports",
    "ui/bridge": "import PySide6.QtCore, qasync, workbench.engine.turn",
    "ui/chat/pane": "import PySide6.QtWidgets, workbench.engine.state, workbench.domain.segment",
    "ui/inspector/pane": "import workbench.engine.intents",
}
LAYERS = "Imports point from the edge to the core"
ADAPTERS = "Driven adapters see only files, net, ports and domain"
FILES = "Files is the standard library and nothing else"
CYCLES = "No import cycles"
CORE = "The core has no I/O, clock or randomness"
QT = "Qt only in ui, and in what draws scenes"
DATABASE = "Database and cryptography only in storage"
VENDORS = "Vendors only in providers, and what they send with only in net"
TOOL_SERVERS = "The library of tool servers only where it is used"
SETTINGS = "Settings files only in settings"
IGNORING = "Ignore files only in sources"
READERS = "Readers of documents only in sources"
SEPARATE = "Panes do not know each other"
PANES = "Panes see only the engine's state, its intents and domain"
BROKEN = [
    (LAYERS, "domain/segment", "workbench.context.render"),
    (LAYERS, "context/assemble", "workbench.engine.turn"),
    (LAYERS, "sources/files", "workbench.tools.grep"),
    (LAYERS, "extra", "nothing"),
    (LAYERS, "ui/bridge", "workbench.showroom.script"),
    (LAYERS, "showroom/script", "workbench.wiring"),
    (LAYERS, "engine/turn", "workbench.files.writing"),
    (LAYERS, "context/render", "workbench.files.writing"),
    (LAYERS, "files/writing", "workbench.storage.history"),
    (ADAPTERS, "storage/history", "workbench.engine.turn"),
    (ADAPTERS, "files/writing", "workbench.context.render"),
    (FILES, "files/writing", "workbench.ports"),
    (FILES, "files/writing", "pygments"),
    (ADAPTERS, "settings", "workbench.context.render"),
    (CYCLES, "context/render", "workbench.context.assemble"),
    (CORE, "domain/segment", "pathlib"),
    (CORE, "context/render", "asyncio"),
    (CORE, "ports", "time"),
    (QT, "engine/turn", "PySide6"),
    (QT, "wiring", "qasync"),
    (QT, "showroom/script", "PySide6"),
    (DATABASE, "settings", "sqlite3"),
    (DATABASE, "ui/bridge", "sqlalchemy"),
    (VENDORS, "storage/history", "tiktoken"),
    (VENDORS, "cli/ask", "openai"),
    (VENDORS, "showroom/script", "tiktoken"),
    (VENDORS, "sources/files", "httpx2"),
    (VENDORS, "storage/history", "httpcore2"),
    (LAYERS, "net/connections", "workbench.providers.openai"),
    (TOOL_SERVERS, "tools/grep", "mcp"),
    (SETTINGS, "storage/history", "tomlkit"),
    (IGNORING, "tools/grep", "pathspec"),
    (READERS, "tools/read", "pypdfium2"),
    (SETTINGS, "domain/segment", "tomlkit"),
    (SEPARATE, "ui/chat/pane", "workbench.ui.inspector.pane"),
    (PANES, "ui/chat/pane", "workbench.engine.turn"),
    (PANES, "ui/inspector/pane", "workbench.context.assemble"),
]


def write_tree(folder: Path, imports: dict[str, str]) -> None:
    shutil.copy(ROOT / "pyproject.toml", folder)
    for name in {*SKELETON, *imports}:
        file = folder / "workbench" / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(imports.get(name, "") + "\n", encoding="utf-8")


def lint_imports(folder: Path) -> str:
    command = [
        sys.executable,
        "-c",
        "from importlinter.cli import lint_imports_command as c; c()",
        "--no-cache",
    ]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    return done.stdout + done.stderr


def contracts() -> set[str]:
    table = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return {contract["name"] for contract in table["tool"]["importlinter"]["contracts"]}


def test_every_contract_has_a_violation_here():
    assert contracts() == {contract for contract, _, _ in BROKEN}


def test_a_tree_that_keeps_the_rules_passes(tmp_path: Path):
    write_tree(tmp_path, ALLOWED)
    report = lint_imports(tmp_path)
    assert f"{len(contracts())} kept, 0 broken" in report, report


def test_each_violation_is_found_by_its_contract(tmp_path: Path):
    """All of them are planted in one tree: the report names each import under the contract that it breaks."""
    planted = dict(ALLOWED)
    for _, module, imported in BROKEN:
        line = "" if imported == "nothing" else f"import {imported}"
        planted[module] = f"{planted.get(module, '')}\n{line}"
    write_tree(tmp_path, planted)
    found = sections(lint_imports(tmp_path))
    assert [one for one in BROKEN if words_for(*one) not in found.get(one[0], "")] == [], found


def sections(report: str) -> dict[str, str]:
    """What the report says of each broken contract."""
    broken = report.partition("Broken contracts")[2]
    parts = re.split("^(.+)\n-{3,}$", broken, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def words_for(contract: str, module: str, imported: str) -> str:
    """How the report names a violation: by its import, or as a module that has no place."""
    name = f"workbench.{module}".replace("/", ".")
    if imported == "nothing":
        return f"- {name}"
    if contract == CYCLES:
        return f".{name.rpartition('.')[2]} -> .{imported.rpartition('.')[2]}"
    return f"{name} -> {imported} "
