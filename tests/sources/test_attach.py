"""Attaching from files: text and pictures come, everything else is refused with a reason, and nothing hangs."""

from __future__ import annotations

import asyncio
import os
import socket
from pathlib import Path

import pytest

from tests.domain.files.test_pictures import PNG
from tests.fakes.attachments import tiny
from workbench.domain.files.attached import MOST_ATTACHED_BYTES, Attached, AttachedPicture, CannotAttach
from workbench.sources.attach import FileAttachments
from workbench.sources.extract.process import ChildExtractor


def attach(path: Path | str, most_bytes: int = MOST_ATTACHED_BYTES) -> Attached:
    return asyncio.run(_attach(str(path), most_bytes))


async def _attach(path: str, most_bytes: int) -> Attached:
    reader = FileAttachments(ChildExtractor(), lambda: tiny(most_bytes))
    try:
        return await reader.read(path)
    finally:
        await reader.close()


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", ""),
        ("ünï\r\n".encode(), "ünï\r\n"),
        (b"\xef\xbb\xbfmarked", "marked"),
        ("漢字".encode("utf-16"), "漢字"),
        ("漢字".encode("utf-16-be").join([b"\xfe\xff", b""]), "漢字"),
    ],
)
def test_text_is_decoded_and_kept_byte_for_byte(content: bytes, text: str, tmp_path: Path):
    (tmp_path / "a.txt").write_bytes(content)
    attached = attach(tmp_path / "a.txt")
    assert (attached.artifact.text, attached.content) == (text, content)


def test_the_key_is_the_path_as_it_was_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.txt").write_text("x")
    os.utime(tmp_path / "sub" / "a.txt", (1_700_000_000, 1_700_000_000))
    monkeypatch.chdir(tmp_path / "sub")
    assert [attach(path).artifact.key for path in ("./a.txt", "../sub//a.txt")] == ["a.txt", "../sub/a.txt"]
    assert attach("a.txt").modified_utc == "2023-11-14T22:13:20Z"


def test_a_link_that_the_user_names_is_followed(tmp_path: Path):
    (tmp_path / "real.txt").write_text("x")
    (tmp_path / "link.txt").symlink_to(tmp_path / "real.txt")
    assert attach(tmp_path / "link.txt").artifact.text == "x"


def test_a_picture_is_described(tmp_path: Path):
    (tmp_path / "a.dat").write_bytes(PNG)
    attached = attach(tmp_path / "a.dat")
    assert attached.picture == AttachedPicture("image/png", 640, 480)
    assert (attached.artifact.kind, attached.artifact.text) == (
        "image",
        "A picture: image/png, 640 × 480 pixels.",
    )


def test_what_is_no_file_is_refused_with_what_it_is(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(tmp_path / "socket"))
    for path, why in (
        (tmp_path, "it is a folder"),
        (tmp_path / "pipe", "it is a pipe, not a file"),
        (tmp_path / "socket", "it is a socket, not a file"),
        (Path("/dev/zero"), "it is a device, not a file"),
        (tmp_path / "none" / "x", "there is no such file"),
        (tmp_path / ("x" * 300), "file name too long"),
        ("a\0b", "the path cannot be used"),
        ("", "there is no such file"),
    ):
        with pytest.raises(CannotAttach) as error:
            attach(path)
        assert str(error.value).startswith(f"{path} was not attached: {why}. ")
    listening.close()


@pytest.mark.parametrize("content", [b"\x00\x01\x02", b"\x7fELF\x02\x01\x01\x00", b"\xff\xfea"])
def test_what_is_not_text_is_refused(content: bytes, tmp_path: Path):
    (tmp_path / "a").write_bytes(content)
    with pytest.raises(CannotAttach, match="was not attached: it is "):
        attach(tmp_path / "a")


def test_text_in_another_encoding_comes_with_its_name(tmp_path: Path):
    """A file that somebody wrote years ago was refused as no text."""
    words = "Der Käse kostet fünf Kronen, und die Brötchen sind größer als früher.\n" * 4
    (tmp_path / "latin1.txt").write_bytes(words.encode("latin-1"))
    attached = attach(tmp_path / "latin1.txt")
    assert (attached.artifact.text, attached.read_as.kind) == (words, "text")
    assert words.encode(attached.read_as.encoding) == attached.content


def test_a_large_file_is_refused_before_it_is_read(tmp_path: Path):
    """Open WebUI CVE-2024-12537: input without a limit takes the whole program down."""
    with open(tmp_path / "big", "wb") as file:
        file.truncate(10**12)
    with pytest.raises(CannotAttach, match="1,000,000,000,000 bytes, and the limit is 25,000,000"):
        attach(tmp_path / "big")


def test_a_file_that_says_it_is_empty_and_is_not_has_the_same_limit():
    """Files in /proc have no size and any length."""
    if not os.path.exists("/proc/self/smaps"):
        pytest.skip("there is no such file here")
    with pytest.raises(CannotAttach, match="the limit is 100"):
        attach("/proc/self/smaps", most_bytes=100)
