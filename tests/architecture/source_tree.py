"""The checkout as the architecture tests see it: which files there are, and what they contain."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "workbench"

# Made by tools, listed in .gitignore; never part of the product.
GENERATED = frozenset(
    {".git", ".venv", ".hypothesis", ".import_linter_cache", ".mypy_cache", ".pytest_cache", ".ruff_cache"}
    | {"__pycache__", "build", "dist", "htmlcov", ".coverage", ".idea", ".vscode", ".DS_Store"}
)


def own_files(folder: Path = ROOT) -> Iterator[Path]:
    """Every file that somebody wrote or chose to ship."""
    for path in sorted(folder.iterdir()):
        if path.name in GENERATED:
            continue
        if path.is_dir():
            yield from own_files(path)
        else:
            yield path


def modules() -> list[Path]:
    """Every Python file of the program."""
    return [path for path in own_files(PACKAGE) if path.suffix == ".py"]


def relative(path: Path) -> str:
    """The path as people write it."""
    return path.relative_to(ROOT).as_posix()


def parse(path: Path) -> ast.Module:
    """The file's syntax tree."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
