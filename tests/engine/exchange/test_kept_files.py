"""What came with a message: kept where its bytes are there, counted where they are not."""

from __future__ import annotations

import pytest

from tests.fakes.exports import DATA_URL, png
from workbench.domain.errors import InvalidInput
from workbench.domain.files.attached import MOST_ATTACHED_BYTES
from workbench.domain.message import Image
from workbench.engine.exchange.beside import Beside
from workbench.engine.exchange.imported import Losses
from workbench.engine.exchange.kept_files import KeptFiles, in_data_url
from workbench.ports.exchange_files import FoundFile

WHEN = "2026-01-01T12:00:00Z"


def found(body: bytes, size: int = 0) -> FoundFile:
    return FoundFile("x", lambda: body, size or len(body))


def broken() -> bytes:
    raise InvalidInput("", "it is gone")


BESIDE = Beside({
    "a/file-abc-photo.png": found(png()), "notes.txt": found(b"words"), "odd.bin": found(b"\0\1"),
    "big.png": found(png(), MOST_ATTACHED_BYTES + 1), "gone.txt": FoundFile("gone.txt", broken),
    "latin.txt": found(b"\xe4"),
})  # fmt: skip


@pytest.mark.parametrize("name", ["file-abc", "file-abc-photo.png", "file-abc-photo"])
def test_a_file_is_found_by_its_name_or_its_beginning(name: str):
    assert BESIDE.find(name) == png()


@pytest.mark.parametrize("name", ["", "file-ab", "big.png", "gone.txt", "nowhere"])
def test_what_is_not_there_or_too_large_is_none(name: str):
    assert BESIDE.find(name) is None
    assert Beside().find(name) is None


def test_pictures_are_kept_once_and_others_counted():
    lost = Losses()
    files = KeptFiles("c", BESIDE, lost)
    first, again = files.picture(png(), WHEN), files.picture(png(), WHEN)
    assert first is not None
    assert (first, first.width, first.height) == (again, 3, 2)
    assert files.picture(b"no picture", WHEN) is None
    assert files.picture(None, WHEN) is None
    assert ([one.artifact.key for one in files.snapshots()], lost.left_out) == (
        [first.source],
        {"picture": 2},
    )


def test_texts_of_one_name_are_told_apart():
    files = KeptFiles("c", BESIDE, Losses())
    keys = [
        files.text("a\nb.txt", "one", WHEN),
        files.text("a b.txt", "two", WHEN),
        files.text("a b.txt", "one", WHEN),
    ]
    assert [*keys, files.text(None, "three", WHEN)] == ["a b.txt", "a b.txt (2)", "a b.txt", "pasted text"]
    assert [one.content for one in files.snapshots()] == [b"one", b"two", b"three"]


def test_what_lies_beside_is_a_picture_a_text_or_counted():
    lost = Losses()
    files = KeptFiles("c", BESIDE, lost)
    assert isinstance(files.found(("file-abc",), "photo.png", WHEN), Image)
    assert files.found((3, "notes.txt"), "notes.txt", WHEN) == "notes.txt"
    assert [files.found((name,), name, WHEN) for name in ("odd.bin", "latin.txt", "nowhere")] == [None] * 3
    assert lost.left_out == {"attached file that is not text": 2, "attached file": 1}


def test_an_address_may_hold_its_bytes():
    assert in_data_url(DATA_URL) == png()
    assert [in_data_url(url) for url in (None, "https://x", "data:image/png;base64,§", "data:,x")] == [
        None
    ] * 4
