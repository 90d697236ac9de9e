"""The checkout as the architecture tests see it: which files there are, and what they contain."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "workbench"

# Made by tools, listed in .gitignore; never part of the product.
GENERATED = frozenset(
    {
        ".git",
        ".venv",
        ".venv-bench",
        ".venv-llm",
        ".venv-package",
        ".hypothesis",
        ".import_linter_cache",
        ".mypy_cache",
        ".pytest_cache",
    }
    | {".ruff_cache", "__pycache__", "build", "dist", "htmlcov", ".coverage", ".idea", ".vscode", ".DS_Store"}
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


@cache
def modules() -> tuple[Path, ...]:
    """Every Python file of the program."""
    return tuple(path for path in own_files(PACKAGE) if path.suffix == ".py")


def relative(path: Path) -> str:
    """The path as people write it."""
    return path.relative_to(ROOT).as_posix()


@cache
def parse(path: Path) -> ast.Module:
    """The file's syntax tree."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def module_name(path: Path) -> str:
    """The file as it is imported."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n]+)|import[ \t]+([^\n]+))", re.MULTILINE
)


@cache
def imported_modules(path: Path, packages: tuple[str, ...] = ("workbench",)) -> frozenset[str]:
    """Every module that a file names in an import, wherever it stands, of the program or also of its tests.

    Read by its lines: two thousand syntax trees take ten times as long.
    """
    found: set[str] = set()
    for module, names, plain in IMPORT.findall(path.read_text(encoding="utf-8")):
        if module:
            found |= {module, *(f"{module}.{name}" for name in re.findall(r"\w+", names))}
        found |= set(re.findall(r"[\w.]+", plain))
    return frozenset(name for name in found if name.split(".")[0] in packages and is_module(name))


@cache
def is_module(name: str) -> bool:
    """Whether a dotted name is a file, and not something in one."""
    place = ROOT.joinpath(*name.split("."))
    return place.with_suffix(".py").is_file() or (place / "__init__.py").is_file()
