"""CONTRIBUTING.md names only what exists."""

from __future__ import annotations

import re
from functools import cache

from tests.architecture.source_tree import ROOT

_QUOTED = re.compile(r"`([^`\n]+)`")
_FILE = re.compile(r"[\w./*-]+/[\w*-]*(?:\.(?:py|toml|md|txt|svg))?|[\w-]+\.(?:py|toml|md|txt|svg)\b")
# A class, or a name of several words; one word alone may be English.
_NAME = re.compile(r"\b(?:[A-Z][a-z]+(?:[A-Z][a-z]+)+|_?[a-z]+(?:_[a-z]+)+)\b")
_ROOMS = ("", "workbench", "workbench/ui", "packaging", "tests")
_FOLDERS = ("workbench", "tests", "packaging", "resources")


def missing(text: str) -> list[str]:
    """What a text names in backticks that is no file here and no word of the code."""
    quotes = _QUOTED.findall(text)
    names = {name for quoted in quotes for name in _NAME.findall(_FILE.sub(" ", quoted))}
    known = set(re.findall(rf"\b(?:{'|'.join(names)})\b", _code())) if names else set()
    files = {name for quoted in quotes for name in _FILE.findall(quoted)}
    return sorted((names - known) | {name for name in files if not _is_there(name)})


def test_every_file_and_name_in_it_exists():
    assert missing((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")) == []


def test_what_is_gone_is_found():
    gone = (
        "`LivePreviewOf` in `engine/preview_of.py` is `_made_up_by`; `StateStore` in `engine/store.py` is not"
    )
    assert missing(gone) == ["LivePreviewOf", "_made_up_by", "engine/preview_of.py"]


def _is_there(name: str) -> bool:
    if "/" not in name:
        return (ROOT / name).exists() or any(name in files for files in _file_names())
    places = [f"{room}/{name}{suffix}".strip("/") for room in _ROOMS for suffix in ("", ".py")]
    return any((ROOT / place).exists() or ("*" in name and any(ROOT.glob(place))) for place in places)


@cache
def _file_names() -> tuple[frozenset[str], ...]:
    return tuple(frozenset(path.name for path in (ROOT / folder).rglob("*.*")) for folder in _FOLDERS)


def _code() -> str:
    here = "test_contributing.py"
    files = (
        path for folder in _FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in (".py", ".toml")
    )
    return "\n".join(path.read_text(encoding="utf-8") for path in files if path.name != here)
