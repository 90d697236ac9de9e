"""Makes what of the guide and the README is derived: the list of shortcuts, and pictures of the window.

.venv/bin/python packaging/draw_guide.py              everything
.venv/bin/python packaging/draw_guide.py shortcuts    only the list, or the pictures that are named
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
GUIDE = ROOT / "resources" / "guide"
SHORTCUTS = GUIDE / "shortcuts.md"


class Picture(NamedTuple):
    """A picture: where it lies, and the scene, the part of the window and the size it is drawn from."""

    file: str
    scene: str
    part: str = ""
    size: tuple[int, int] = (1600, 1000)


PICTURES: tuple[Picture, ...] = ()


def shortcuts() -> str:
    """The list of shortcuts as a page of Markdown."""
    from workbench.ui.commands import specs
    from workbench.ui.dialogs.shortcut_list import in_panes

    groups: dict[str, list[tuple[str, str]]] = {}
    for spec in specs():
        if spec.shortcut:
            keys = f"{spec.shortcut}, {spec.also}" if spec.also else spec.shortcut
            groups.setdefault(spec.group, []).append((spec.title, keys))
    for group, key, words in in_panes():
        groups.setdefault(group, []).append((words, key))
    tables = (_table(group, lines) for group, lines in groups.items())
    head = "# Shortcuts\n\nPress Ctrl+K for every command by name. Keys can be changed in the window: press Ctrl+/.\n"
    return "\n".join((head, *tables))


def _table(group: str, lines: list[tuple[str, str]]) -> str:
    rows = "".join(f"| {words} | {keys} |\n" for words, keys in lines)
    return f"## {group}\n\n| what it does | keys |\n|---|---|\n{rows}"


def main(wanted: list[str]) -> int:
    """Make what is named, or everything."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    if not wanted or "shortcuts" in wanted:
        SHORTCUTS.write_text(shortcuts(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
