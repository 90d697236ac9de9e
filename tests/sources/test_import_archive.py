"""Archives of chats: everything in them is at hand, and one that means harm is refused before it is unpacked."""

from __future__ import annotations

import io
import stat
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.exports import chatgpt_zip, png
from workbench.domain.errors import InvalidInput
from workbench.ports.exchange_files import FilesFound
from workbench.sources import exchange_files
from workbench.sources.exchange_files import is_archive, read_paths


def written(
    folder: Path, fill: Callable[[zipfile.ZipFile], object], change: Callable[[bytes], bytes] = bytes
) -> FilesFound:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        fill(archive)
    (folder / "x.zip").write_bytes(change(out.getvalue()))
    return read_paths([str(folder / "x.zip")])


def refusal(found: FilesFound) -> str:
    found.close()
    assert found.groups == ()
    (problem,) = found.problems
    return problem


def entry(name: str, mode: int = 0) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = mode << 16
    return info


def several(archive: zipfile.ZipFile, number: int, body: bytes) -> None:
    for n in range(number):
        archive.writestr(f"{n}.json", body)


def test_its_files_are_at_hand_with_what_lies_beside_them(tmp_path: Path):
    (tmp_path / "x.zip").write_bytes(chatgpt_zip())
    found = read_paths([str(tmp_path / "x.zip")])
    (group,) = found.groups
    assert [file.name for file in group.files] == ["conversations.json", "message_feedback.json", "user.json"]
    assert group.beside["file_abc123-bird.png"].load() == png()
    assert (group.archive, found.problems) == (True, ())
    found.close()


def test_archives_of_a_folder_are_opened_too(tmp_path: Path):
    (tmp_path / "x.zip").write_bytes(chatgpt_zip())
    (tmp_path / "y.zip").write_bytes(chatgpt_zip())
    found = read_paths([str(tmp_path)])
    assert ([len(group.files) for group in found.groups], found.problems) == ([3, 3], ())
    found.close()


@pytest.mark.parametrize("name", ["../x.json", "a/../../x.json", "/etc/x.json", "C:/x.json", "..\\x.json"])
def test_a_name_that_leads_out_is_refused(tmp_path: Path, name: str):
    problem = refusal(written(tmp_path, lambda archive: archive.writestr(entry(name), b"{}")))
    assert "leads out of it" in problem
    assert "Nothing of it was imported" in problem


def test_a_link_is_refused(tmp_path: Path):
    link = entry("x.json", stat.S_IFLNK | 0o777)
    assert "there is a link in it" in refusal(
        written(tmp_path, lambda archive: archive.writestr(link, "/etc/passwd"))
    )


def test_what_is_encrypted_is_refused(tmp_path: Path):
    def encrypted(raw: bytes) -> bytes:
        # The first bit of the flags, where the file begins and in the list at the end.
        changed = bytearray(raw)
        for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
            changed[raw.index(mark) + place] |= 1
        return bytes(changed)

    problem = refusal(written(tmp_path, lambda archive: archive.writestr("x.json", b"{}"), encrypted))
    assert "it is encrypted" in problem


def test_too_many_files_are_refused_before_they_are_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(exchange_files, "MOST_ENTRIES", 20)
    problem = refusal(written(tmp_path, lambda archive: several(archive, 30, b"{}")))
    assert "more than 20 files in it" in problem


def test_a_bomb_is_refused_by_what_it_would_become(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(exchange_files, "MOST_UNPACKED_BYTES", 1000)
    problem = refusal(written(tmp_path, lambda archive: several(archive, 2, b"0" * 600)))
    assert "unpacked it would have" in problem


def test_a_file_that_is_too_large_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(exchange_files, "LARGEST_FILE_BYTES", 500)
    found = written(tmp_path, lambda archive: archive.writestr("x.json", b"0" * 600))
    with pytest.raises(InvalidInput, match="import it in parts"):
        found.groups[0].files[0].load()
    found.close()


def test_a_file_that_is_longer_than_it_says_is_not_read_to_its_end(tmp_path: Path):
    def shorter(raw: bytes) -> bytes:
        changed = bytearray(raw)
        for mark, place in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
            struct.pack_into("<I", changed, raw.index(mark) + place, 10)
        return bytes(changed)

    found = written(tmp_path, lambda archive: archive.writestr("x.json", b"0" * 5000), shorter)
    with pytest.raises(InvalidInput):
        found.groups[0].files[0].load()
    found.close()


def test_an_archive_without_chats_says_what_is_in_it(tmp_path: Path):
    problem = refusal(written(tmp_path, lambda archive: archive.writestr("IndexedDB/000003.ldb", b"x")))
    assert problem.endswith("there is no file in it to import; found: .ldb; left out")
    (tmp_path / "x.zip").write_bytes(b"PK\x05\x06" + bytes(18))
    assert "found: nothing" in refusal(read_paths([str(tmp_path / "x.zip")]))
    (tmp_path / "x.zip").write_bytes(b"PK\x03\x04" + bytes(40))
    assert "the archive cannot be read" in refusal(read_paths([str(tmp_path / "x.zip")]))


def test_what_a_system_puts_beside_is_not_taken_for_chats(tmp_path: Path):
    def fill(archive: zipfile.ZipFile) -> None:
        archive.writestr("__MACOSX/._x.json", b"x")
        archive.writestr("x.json", b"{}")

    found = written(tmp_path, fill)
    assert [file.name for file in found.groups[0].files] == ["x.json"]
    found.close()
    assert [is_archive(head) for head in (b"PK\x03\x04", b"PK\x05\x06", b"{}")] == [True, True, False]


def test_a_large_archive_says_elsewhere_how_many_files_it_has(tmp_path: Path):
    """Its short end has no room for such numbers."""
    length = 47 * 1_000_001
    large = b"PK\x06\x06" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, 10**6, 10**6, length, 4)
    where = b"PK\x06\x07" + struct.pack("<IQI", 0, 4, 1)
    end = b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    (tmp_path / "x.zip").write_bytes(b"PK\x03\x04" + large + where + end)
    assert "more than 100,000 files" in refusal(read_paths([str(tmp_path / "x.zip")]))
