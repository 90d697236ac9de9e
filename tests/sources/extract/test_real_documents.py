"""Documents that somebody else wrote: whatever lies in packages on this machine is read."""

from __future__ import annotations

import asyncio
import os
import sysconfig
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from workbench.domain.files.attached import CannotAttach
from workbench.domain.files.document import Reading
from workbench.sources.extract.process import ChildExtractor

ENDINGS = {
    ".pdf": 12, ".docx": 6, ".xlsx": 6, ".pptx": 6, ".ipynb": 6, ".eml": 20, ".mht": 4, ".html": 12, ".htm": 4,
    ".csv": 4, ".md": 4, ".rst": 4,
}  # fmt: skip
WANTED = 20
MOST_BYTES = 16 * 1024 * 1024
MOST_LOOKED_AT = 400_000


def found() -> list[tuple[str, Path]]:
    """Some of each kind, in the packages of this Python and of the system; the same ones every time."""
    per_ending: Counter[str] = Counter()
    chosen: list[tuple[str, Path]] = []
    places = (
        sysconfig.get_paths()["purelib"],
        "/usr/share/doc",
        sysconfig.get_paths()["stdlib"],
        "/usr/share",
    )
    for path in islice(
        dict.fromkeys(path for place in places for path in files_below(place)), MOST_LOOKED_AT
    ):
        # The messages that Python's own tests read are e-mail under another name.
        name = path.with_suffix(".eml").name if path.match("test_email/data/msg_*.txt") else path.name
        ending = Path(name).suffix.lower()
        if per_ending[ending] >= ENDINGS.get(ending, 0) or path.is_symlink():
            continue
        if 0 < path.stat().st_size <= MOST_BYTES:
            per_ending[ending] += 1
            chosen.append((name, path))
    return chosen


def files_below(place: str) -> Iterator[Path]:
    for folder, folders, names in os.walk(place):
        folders.sort()
        yield from (Path(folder, name) for name in sorted(names))


def test_what_lies_in_packages_is_read():
    """All of it, but for what says itself why not: a template without words, a file with a password."""
    paths = found()
    documents = sum(Path(name).suffix not in (".csv", ".md", ".rst") for name, _ in paths)
    if documents < WANTED:
        pytest.skip(f"only {documents} documents lie in packages here, and {WANTED} are needed")
    asyncio.run(read_all(paths))


async def read_all(paths: list[tuple[str, Path]]) -> None:
    extractor = ChildExtractor()
    kinds: Counter[str] = Counter()
    refused: dict[str, str] = {}
    for name, path in paths:
        try:
            document = await extractor.document(name, path.read_bytes(), Reading())
        except CannotAttach as error:
            refused[name] = error.reason
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
