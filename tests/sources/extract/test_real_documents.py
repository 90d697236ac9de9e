"""Documents that somebody else wrote: whatever lies in packages on this machine is read."""

from __future__ import annotations

import asyncio
import sys
import sysconfig
from collections import Counter
from pathlib import Path

import pytest

from workbench.domain.attached import CannotAttach
from workbench.domain.document import Reading
from workbench.sources.extract.process import ChildExtractor

ENDINGS = {
    ".pdf": 60, ".docx": 20, ".xlsx": 20, ".pptx": 20, ".ipynb": 20, ".eml": 20, ".html": 40, ".htm": 10, ".csv": 20,
    ".md": 20, ".rst": 20,
}  # fmt: skip
WANTED = 20
MOST_BYTES = 16 * 1024 * 1024
MOST_LOOKED_AT = 60_000


def found() -> list[Path]:
    """Some of each kind, in the packages of this Python and of the system; the same ones every time."""
    per_ending: Counter[str] = Counter()
    chosen: list[Path] = []
    places = [Path(sysconfig.get_paths()["purelib"]), Path(sys.base_prefix) / "lib", Path("/usr/share/doc")]
    looked_at = 0
    for place in places:
        for path in sorted(place.rglob("*.*")) if place.is_dir() else []:
            looked_at += 1
            ending = path.suffix.lower()
            if ending not in ENDINGS or per_ending[ending] >= ENDINGS[ending] or looked_at > MOST_LOOKED_AT:
                continue
            if path.is_file() and not path.is_symlink() and 0 < path.stat().st_size <= MOST_BYTES:
                per_ending[ending] += 1
                chosen.append(path)
    return chosen


def test_what_lies_in_packages_is_read():
    """All of it, but for what says itself why not: a template without words, a file with a password."""
    paths = found()
    if len(paths) < WANTED:
        pytest.skip(f"only {len(paths)} documents lie in packages here, and {WANTED} are needed")
    asyncio.run(read_all(paths))


async def read_all(paths: list[Path]) -> None:
    extractor = ChildExtractor()
    kinds: Counter[str] = Counter()
    refused: dict[str, str] = {}
    for path in paths:
        try:
            document = await extractor.document(path.name, path.read_bytes(), Reading())
        except CannotAttach as error:
            refused[path.name] = error.reason
            continue
        kinds[document.read_as.kind] += 1
        for one in (*document.sections, *document.pages):
            assert 0 <= one.start <= one.end <= len(document.text), path
    await extractor.close()
    print(kinds, refused)
    expected = (
        "without any text",
        "without slides",
        "with a password",
        "without readable text",
        "old format",
    )
    assert {name: why for name, why in refused.items() if not any(one in why for one in expected)} == {}
    assert sum(kinds.values()) >= WANTED
