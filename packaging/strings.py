"""List every string that people read, and where it stands: `python3 packaging/strings.py > strings.tsv`.

Strings of the window are the ones marked for translation; those of the command line are what the parsers show.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
MARKS = frozenset({"N_", "_tr", "tr", "translate", "QT_TRANSLATE_NOOP"})
IN_A_CONTEXT = frozenset({"translate", "QT_TRANSLATE_NOOP"})
SHOWN_BY_PARSERS = frozenset({"help", "description", "epilog"})
TABLES = frozenset({"Command", "Action"})
"""Rows of the command line's tables: name and summary."""


class Shown(NamedTuple):
    """A string, and the line it stands in."""

    file: str
    line: int
    text: str


def strings(folder: Path = ROOT / "workbench") -> list[Shown]:
    """Every string below a folder that people read, in the order of files and lines."""
    found: set[Shown] = set()
    for path in sorted(folder.rglob("*.py")):
        name = path.relative_to(folder.parent).as_posix()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), filename=str(path))):
            if isinstance(node, ast.Call):
                found.update(Shown(name, line, text) for line, text in _texts(node) if text.strip())
    return sorted(found)


def main() -> int:
    """One line for each string: where, a tab, the text."""
    sys.stdout.writelines(f"{file}:{line}\t{text!r}\n" for file, line, text in strings())
    return 0


def _texts(call: ast.Call) -> Iterator[tuple[int, str]]:
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    shown: list[ast.expr] = []
    if name in IN_A_CONTEXT:
        shown = call.args[1:2]
    elif name in MARKS:
        shown = call.args[:1]
    elif name in TABLES:
        shown = call.args[1:2]
    else:
        shown = [each.value for each in call.keywords if each.arg in SHOWN_BY_PARSERS]
    for expression in shown:
        for part in ast.walk(expression):
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                yield part.lineno, part.value


if __name__ == "__main__":
    sys.exit(main())
