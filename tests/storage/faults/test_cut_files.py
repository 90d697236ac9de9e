"""A file cut at any place: opening says so, and what is left of it is brought back."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from tests.fakes.loop import in_loop
from tests.fakes.stores import WHEN, chat, said
from tests.fakes.turns import artifact
from tests.storage.test_opening import files, history
from workbench.domain.errors import ForeignDatabase, StoreCut, StoreGone, WorkbenchError
from workbench.domain.record import Salvaged, Snapshot
from workbench.storage.database.cipher import PAGE_BYTES

MESSAGES = 40
CUTS = (0.01, 0.5, 0.95)


async def fill(path: Path) -> None:
    store = await history(path).open(writable=True)
    await store.create_chat(chat("c", "Title"))
    ids: list[str | None] = [None, *(f"m{number}" for number in range(MESSAGES))]
    await store.append([said(f"m{n}", f"words {n} " * 300, ids[n]) for n in range(MESSAGES)])
    await store.keep_snapshot(Snapshot("c", artifact("a.md", "text " * 30), WHEN, b"bytes" * 2000))
    await store.close()


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("original") / "data"
    asyncio.run(fill(path))
    return path


def cut(original: Path, place: Path, size: int) -> bytes:
    """A copy of the folder, with so much of its store."""
    shutil.copytree(original, place)
    left = (original / "store.db").read_bytes()[:size]
    (place / "store.db").write_bytes(left)
    return left


async def salvaged(place: Path, left: bytes) -> int:
    """How many messages came back, all of them readable; the damaged file is kept as it was."""
    found = await history(place).salvage(lambda told: True)
    assert (Path(found.aside) / "store.db").read_bytes() == left
    assert not [name for name in files(place) if name.startswith("store.db.")]
    store = await history(place).open(writable=False)
    read = [await store.path(one.id) for one in await store.chats()]
    assert (await store.verify()).problems == ()
    await store.close()
    assert sum(len(path) for path in read) == found.messages
    return found.messages


@pytest.mark.parametrize("inside", [0, 1, PAGE_BYTES // 2])
@in_loop
async def test_whatever_is_left_comes_back(original: Path, tmp_path: Path, inside: int):
    """SQLite opens nothing of a file that is too short: all of it was taken for lost."""
    pages = (original / "store.db").stat().st_size // PAGE_BYTES
    found: list[int] = []
    for number, share in enumerate(CUTS):
        place = tmp_path / str(number)
        left = cut(original, place, (1 + int(pages * share)) * PAGE_BYTES + inside)
        with pytest.raises(StoreCut, match=r"was cut short.* `workbench history salvage`"):
            await history(place).open(writable=True)
        found.append(await salvaged(place, left))
    assert found == sorted(found)
    assert found[-1] == MESSAGES


@pytest.mark.parametrize("missing", [1, PAGE_BYTES - 1, PAGE_BYTES, PAGE_BYTES + 1])
@in_loop
async def test_the_end_of_the_last_page_is_missed_when_opening(original: Path, tmp_path: Path, missing: int):
    left = cut(original, tmp_path / "data", (original / "store.db").stat().st_size - missing)
    for writable in (True, False):
        with pytest.raises(StoreCut):
            await history(tmp_path / "data").open(writable=writable)
    assert await salvaged(tmp_path / "data", left) == MESSAGES


@pytest.mark.parametrize("size", [1, 511, 512, PAGE_BYTES - 1])
@in_loop
async def test_without_its_first_page_nothing_can_be_read(original: Path, tmp_path: Path, size: int):
    """A file of one byte is an empty database to SQLite: it was called one that is not encrypted."""
    left = cut(original, tmp_path / "data", size)
    before = files(tmp_path / "data")
    for attempt in (history(tmp_path / "data").open(writable=True), history(tmp_path / "data").salvage(bool)):
        with pytest.raises((StoreGone, ForeignDatabase), match="its first page"):
            await attempt
    assert (files(tmp_path / "data"), (tmp_path / "data" / "store.db").read_bytes()) == (before, left)


def changed(original: Path, place: Path, page: int, how: str) -> bytes:
    """A copy of the folder with a damaged page, or with bytes behind the last."""
    shutil.copytree(original, place)
    content = bytearray((original / "store.db").read_bytes())
    begin = page * PAGE_BYTES
    if how == "bit":
        content[begin + 100] ^= 4
    elif how == "salt":
        content[begin + 3] ^= 4
    elif how == "zeros":
        content[begin : begin + PAGE_BYTES] = bytes(PAGE_BYTES)
    else:
        content += b"appended"
    (place / "store.db").write_bytes(content)
    return bytes(content)


async def refused(place: Path) -> str:
    """What is said when the folder is opened; nothing where it opens."""
    try:
        await (await history(place).open(writable=True)).close()
    except WorkbenchError as problem:
        return str(problem)
    return ""


@pytest.mark.parametrize("how", ["bit", "salt", "zeros", "appended"])
@in_loop
async def test_other_damage_is_not_called_a_cut_and_nothing_but_its_page_is_lost(
    original: Path, tmp_path: Path, how: str
):
    """Of a store whose schema was hit nothing came back; and any damage was called a missing end."""
    pages = (original / "store.db").stat().st_size // PAGE_BYTES
    for page in (0, 1, 2, 9, pages - 1) if how != "salt" else (0,):
        place = tmp_path / str(page)
        left = changed(original, place, page, how)
        said = await refused(place)
        assert "cut short" not in said
        assert not said or "salvage" in said
        left = changed(original, tmp_path / f"{page} again", page, how)
        assert await salvaged(tmp_path / f"{page} again", left) >= 0.95 * MESSAGES


@in_loop
async def test_less_than_there_was_takes_its_place_only_if_somebody_agrees(original: Path, tmp_path: Path):
    place = tmp_path / "data"
    told: list[Salvaged] = []

    def refuse(saved: Salvaged) -> bool:
        told.append(saved)
        return False

    size = (original / "store.db").stat().st_size
    left = cut(original, place, size // 2 // PAGE_BYTES * PAGE_BYTES)
    before = files(place)
    found = await history(place).salvage(refuse)
    assert told == [found]
    assert (found.aside, found.complete, found.unreadable_pages > 0) == ("", False, True)
    assert (files(place), (place / "store.db").read_bytes()) == (before, left)
    # A sound one is read back whole, and nobody has to be asked.
    shutil.copytree(original, tmp_path / "sound")
    found = await history(tmp_path / "sound").salvage(lambda saved: pytest.fail("nothing is lost"))
    assert (found.messages, found.complete, found.unreadable_pages) == (MESSAGES, True, 0)
