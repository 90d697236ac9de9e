"""Pages of an encrypted file, one by one: as they were written, or not at all."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.fakes.stores import RAW_KEY, chat, decrypted_pages, open_store, said
from workbench.domain.secrets import Secret
from workbench.storage.database.cipher import PAGE_BYTES
from workbench.storage.database.pages import (
    MISSING,
    ODD,
    TABLE_INNER,
    TABLE_LEAF,
    USABLE_BYTES,
    Pages,
    Unsound,
    cells_of,
    pages_below,
    values_of,
    varint,
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, bytes]:
    """A file, and beside it the log of what was written since."""
    path = tmp_path_factory.mktemp("whole") / "h.db"

    async def fill() -> tuple[bytes, bytes]:
        store = open_store(path)
        await store.create_chat(chat())
        await store.settle()
        await store.append([said(f"m{n}", f"message {n} " * 90) for n in range(30)])
        found = path.read_bytes(), path.with_name("h.db-wal").read_bytes()
        await store.close()
        return found

    return asyncio.run(fill())


def read(path: Path, content: bytes, log: bytes = b"", key: Secret = RAW_KEY) -> list[bytes | None]:
    path.write_bytes(content)
    path.with_name(f"{path.name}-wal").write_bytes(log)
    with Pages(path, key) as pages:
        return [pages.read(number) for number in range(1, pages.count + 1)]


def test_every_page_is_what_was_written_and_none_that_was_changed(whole: tuple[bytes, bytes], tmp_path: Path):
    path, (content, _) = tmp_path / "h.db", whole
    sound = read(path, content)
    assert b"".join(page or b"" for page in sound)[16:] == decrypted_pages(path)
    for number in range(len(sound)):
        broken = bytearray(content)
        broken[number * PAGE_BYTES + 16 + 311 * number % (PAGE_BYTES - 16)] ^= 1
        assert read(path, bytes(broken)) == [
            None if place == number else page for place, page in enumerate(sound)
        ]


def test_what_stands_in_the_log_is_newer(whole: tuple[bytes, bytes], tmp_path: Path):
    content, log = whole
    newer = read(tmp_path / "h.db", content, log)
    assert len(newer) > len(content) // PAGE_BYTES
    assert all(page is not None and len(page) == USABLE_BYTES for page in newer)
    # What was not committed does not count, nor what an earlier log left behind.
    frame = 24 + PAGE_BYTES
    assert read(tmp_path / "h.db", content, log[: 32 + 2 * frame]) == read(tmp_path / "h.db", content)
    assert read(tmp_path / "h.db", content, log + b"\0" * frame) == newer


def test_a_flipped_bit_of_the_salt_is_found_and_a_lost_salt_leaves_pages_unproven(
    whole: tuple[bytes, bytes], tmp_path: Path
):
    path, (content, _) = tmp_path / "h.db", whole
    sound = read(path, content)
    assert read(path, bytes([content[0] ^ 32]) + content[1:]) == sound
    assert read(path, bytes(PAGE_BYTES) + content[PAGE_BYTES:])[1:] == sound[1:]
    for damaged, key in ((bytes(PAGE_BYTES) + content[PAGE_BYTES:], RAW_KEY), (content, Secret(bytes(32)))):
        path.write_bytes(damaged)
        with Pages(path, key) as pages:
            assert not pages.proven


# Records and cells, byte by byte.


# One byte each: nothing, -1, 0, 1, the text "ab", the bytes 01 02; then a number of two bytes, and one with a point.
RECORD = (
    bytes([9, 0, 1, 8, 9, 17, 16, 2, 7])
    + b"\xff"
    + b"ab"
    + b"\x01\x02"
    + b"\x01\x00"
    + b"\x3f\xf8"
    + bytes(6)
)
VALUES = [None, -1, 0, 1, "ab", b"\x01\x02", 256, 1.5]


@pytest.mark.parametrize(
    ("data", "value"),
    [(b"\x07", 7), (b"\x81\x00", 128), (b"\xff" * 9, 2**64 - 1)],
    ids=["one", "two", "nine"],
)
def test_numbers_of_any_length(data: bytes, value: int):
    assert varint(b"x" + data, 1) == (value, 1 + len(data))


def test_a_record_gives_its_values_as_far_as_they_are_there():
    assert list(values_of(RECORD, len(RECORD))) == VALUES
    assert list(values_of(RECORD[:-9], len(RECORD))) == [*VALUES[:6], MISSING, MISSING]
    for odd in (bytes([200]) + RECORD[1:], bytes([2, 200]), RECORD[:4]):
        with pytest.raises(ODD):
            list(values_of(odd, len(odd)))


def test_cells_are_those_of_the_list_and_pages_below_know_what_they_hold():
    leaf = bytes([TABLE_LEAF, 0, 0, 0, 1, 0, 0, 0, 0, 40]) + bytes(60)
    assert cells_of(leaf, 0) == [40]
    with pytest.raises(Unsound):
        cells_of(leaf[:9] + b"\x02" + leaf[10:], 0)
    inner = bytes([TABLE_INNER, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 9, 0, 40]) + bytes(26) + bytes([0, 0, 0, 7, 5])
    assert list(pages_below(inner, 2, (0, 99))) == [(7, (0, 5)), (9, (5, 99))]
