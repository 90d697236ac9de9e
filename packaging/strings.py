"""List every string that people read, and where it stands: `python3 packaging/strings.py > strings.tsv`.

Strings of the window are the ones marked for translation; those of the command line are what the parsers show.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
FIRST = frozenset({"N_", "tr"})
SECOND = frozenset({"Command", "Action"})
"""Calls whose second argument is shown: the summary of a command or an action after its name."""
SHOWN_BY_PARSERS = frozenset({"help", "description", "epilog"})
SIGN = re.compile("|".join(["counted", *FIRST, *SECOND, *SHOWN_BY_PARSERS]))
"""A file without any of these names is not parsed."""


class Shown(NamedTuple):
    """A string, and the line it stands in."""

    file: str
    line: int
    text: str


def strings(folder: Path = ROOT / "workbench") -> list[Shown]:
    """Every string below a folder that people read, in the order of files and lines."""
    found: list[Shown] = []
    for path in sorted(folder.rglob("*.py")):
        code = path.read_text(encoding="utf-8")
        if SIGN.search(code):
            name = path.relative_to(folder.parent).as_posix()
            found += strings_of(ast.parse(code, filename=str(path)), name)
    return found


def strings_of(tree: ast.Module, file: str) -> list[Shown]:
    """The strings of one file."""
    return sorted({Shown(file, *each) for node in ast.walk(tree) for each in _texts(node) if each[1].strip()})


def main(folder: Path = ROOT / "workbench") -> int:
    """One line for each string: where, a tab, the text."""
    sys.stdout.writelines(f"{file}:{line}\t{text!r}\n" for file, line, text in strings(folder))
    return 0


def _texts(node: ast.AST) -> Iterator[tuple[int, str]]:
    if isinstance(node, ast.Call) and _name(node) == "counted":
        yield from _numbers(node)
    for expression in _shown(node):
        for part in ast.walk(expression):
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                yield part.lineno, part.value


def _numbers(node: ast.Call) -> Iterator[tuple[int, str]]:
    """Both forms of a number with its noun."""
    nouns = [
        one.value for one in node.args[1:] if isinstance(one, ast.Constant) and isinstance(one.value, str)
    ]
    if nouns and all(one and "{" not in one for one in nouns) and len(nouns) == len(node.args) - 1:
        for form in (nouns[0], nouns[1] if len(nouns) > 1 else f"{nouns[0]}s"):
            yield node.lineno, f"{{number:,}} {form}"


def _name(node: ast.Call) -> str:
    return str(getattr(node.func, "attr", getattr(node.func, "id", "")))


def _shown(node: ast.AST) -> Sequence[ast.expr]:
    """The parts of a call or a table of options that hold what people read."""
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        return [value for key, value in pairs if isinstance(key, ast.Constant) and key.value == "help"]
    if not isinstance(node, ast.Call):
        return ()
    name = _name(node)
    if name in SECOND:
        return node.args[1:2]
    if name in FIRST:
        return node.args[:1]
    return [each.value for each in node.keywords if each.arg in SHOWN_BY_PARSERS]


if __name__ == "__main__":
    sys.exit(main())
