"""Reading and writing happen beside the loop; what they do stands in test_import_reading and test_export_writing."""

from __future__ import annotations

import io
import os
import stat
import struct
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.exports import chatgpt_zip, png
from tests.fakes.loop import in_calm_loop
from workbench.domain.errors import InvalidInput, WorkbenchError
from workbench.ports.exchange_files import FilesFound, NamedFile, WritingStopped
from workbench.sources import exchange_files
from workbench.sources.exchange_files import FolderExchange, is_archive, read_paths, write_files


@in_calm_loop
async def test_files_are_written_and_read_in_a_thread(tmp_path: Path):
    threads: set[threading.Thread] = set()

    def stopped() -> bool:
        threads.add(threading.current_thread())
        return False

    place = str(tmp_path / "out.json")
    exchange = FolderExchange()
    assert await exchange.write(place, [("x", b"{}")], alone=True, stopped=stopped) == (place,)
    (group,) = (await exchange.read([place])).groups
    assert [(file.name, file.load()) for file in group.files] == [("out.json", b"{}")]
    assert threading.main_thread() not in threads
    assert threads


# Files of an export: all of them or none, over nothing, for their owner only.


FILES = [("a.md", b"Alpha"), ("deep/b.md", b"Beta"), ("c.md", b"")]


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, hidden ones too."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_files_are_their_owners_only(tmp_path: Path):
    written = write_files(tmp_path / "new" / "out", FILES, alone=False)
    assert contents(tmp_path / "new" / "out") == {"a.md": b"Alpha", "c.md": b"", "deep/b.md": b"Beta"}
    assert written == tuple(str(tmp_path / "new" / "out" / name) for name, _ in FILES)
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "new").rglob("*")}
    assert modes == {0o600, 0o700}


def test_a_single_file_becomes_the_place_itself_unless_that_is_a_folder(tmp_path: Path):
    assert write_files(tmp_path / "x.json", [("chats.json", b"{}")], alone=True) == (f"{tmp_path}/x.json",)
    assert write_files(tmp_path, [("chats.json", b"{}")], alone=True) == (f"{tmp_path}/chats.json",)
    written = write_files(tmp_path / "folder", [("chats.json", b"{}")], alone=False)
    assert written == (f"{tmp_path}/folder/chats.json",)
    assert list(contents(tmp_path)) == ["chats.json", "folder/chats.json", "x.json"]


def test_what_exists_stays_and_nothing_is_written(tmp_path: Path):
    (tmp_path / "c.md").write_text("precious")
    with pytest.raises(WorkbenchError, match=r"c\.md exists already\. Nothing was written"):
        write_files(tmp_path, FILES, alone=False)
    assert contents(tmp_path) == {"c.md": b"precious"}
    assert not (tmp_path / "deep").exists()


def test_what_comes_to_be_in_the_last_moment_stays_too(tmp_path: Path):
    """Between the look and the writing another program may use the name: renaming would take its file away."""
    asked: list[bool] = []

    def stopped() -> bool:
        if not asked:
            (tmp_path / "c.md").write_text("precious")
        asked.append(True)
        return False

    with pytest.raises(WorkbenchError, match="exists already"):
        write_files(tmp_path, FILES, alone=False, stopped=stopped)
    assert contents(tmp_path) == {"c.md": b"precious"}
    assert not (tmp_path / "deep").exists()


@pytest.mark.parametrize("after", range(7))
def test_stopped_at_any_moment_nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int):
    monkeypatch.setattr(exchange_files, "_PIECE_BYTES", 2)
    asked: list[bool] = []

    def stopped() -> bool:
        asked.append(True)
        return len(asked) > after

    with pytest.raises(WritingStopped):
        write_files(tmp_path / "new" / "out", FILES, alone=False, stopped=stopped)
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_takes_no_more_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    real = os.link

    def link(source: Path, target: Path) -> None:
        if target.name == "c.md":
            raise OSError(28, "No space left on device")
        real(source, target)

    def rename(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "link", link)
    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(WorkbenchError, match=r"could not be written \(No space left on device\)") as error:
        write_files(tmp_path / "out", FILES, alone=False)
    assert "Nothing of it was left there" in str(error.value)
    assert list(tmp_path.iterdir()) == []


def test_a_system_without_second_names_renames(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def link(source: Path, target: Path) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", link)
    write_files(tmp_path / "out", FILES, alone=False)
    assert contents(tmp_path / "out") == {"a.md": b"Alpha", "c.md": b"", "deep/b.md": b"Beta"}


def test_a_link_is_not_followed(tmp_path: Path):
    (tmp_path / "a.md").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(WorkbenchError, match="exists already"):
        write_files(tmp_path, FILES, alone=False)
    assert not (tmp_path / "elsewhere").exists()


def test_a_file_where_a_folder_should_be_is_said(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(WorkbenchError, match="could not be written"):
        write_files(tmp_path / "file" / "x.json", [("chats.json", b"{}")], alone=True)
    assert contents(tmp_path) == {"file": b""}


# Files to be imported: regular ones, of a size that can be handled, in folders two levels deep.


def contents_import_reading(found: FilesFound) -> list[list[NamedFile]]:
    return [[(file.name, file.load()) for file in group.files] for group in found.groups]


def test_files_of_a_folder_belong_together(tmp_path: Path):
    folder = tmp_path / "folder"
    (folder / "inner").mkdir(parents=True)
    for name in ("b.json", "a.MD", "c.png"):
        (folder / name).write_text(name)
    (tmp_path / "single").write_text("s")
    found = read_paths([str(folder), str(tmp_path / "single")])
    assert contents_import_reading(found) == [[("single", b"s")], [("a.MD", b"a.MD"), ("b.json", b"b.json")]]
    assert found.passed_over == (f"{folder}: 1 other thing in it was not read (.png)",)
    beside = {name: file.load() for name, file in found.groups[1].beside.items()}
    assert beside == {"a.MD": b"a.MD", "b.json": b"b.json", "c.png": b"c.png"}


def test_what_lies_deeper_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(exchange_files, "_DEEPEST", 1)
    (tmp_path / "out" / "chat" / "deep").mkdir(parents=True)
    (tmp_path / "out" / "chat" / "a.json").write_text("{}")
    (tmp_path / "out" / "chat" / "LICENSE").write_text("x")
    assert read_paths([str(tmp_path / "out")]).passed_over == (
        f"{tmp_path / 'out' / 'chat'}: 2 other things in it were not read (folders, no ending)",
    )


def test_what_cannot_be_read_is_named(tmp_path: Path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "folder.json").mkdir()
    found = read_paths([str(tmp_path / "nowhere"), str(tmp_path / "empty"), str(tmp_path / "odd")])
    assert found.groups == ()
    assert found.problems == (
        f"{tmp_path / 'nowhere'}: No such file or directory; left out",
        f"{tmp_path / 'empty'}: there is no file in it to import",
        f"{tmp_path / 'odd'}: there is no file in it to import",
    )


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are a Unix thing")
def test_a_named_pipe_does_not_keep_us_waiting(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe.json")
    assert read_paths([str(tmp_path / "pipe.json")]).problems == (
        f"{tmp_path / 'pipe.json'}: it is not a regular file; left out",
    )


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(exchange_files, "LARGEST_FILE_BYTES", 10)
    (tmp_path / "large.json").write_bytes(b"x" * 11)
    found = read_paths([str(tmp_path / "large.json")])
    assert found.groups == ()
    assert found.problems[0].endswith("import it in parts; left out")


def test_a_folder_of_folders_is_read_folder_by_folder(tmp_path: Path):
    """An export of several chats looks like this, and must come back in as it went out."""
    for chat in ("one", "two"):
        (tmp_path / "out" / chat).mkdir(parents=True)
        (tmp_path / "out" / chat / "0001.json").write_text(chat)
    assert contents_import_reading(read_paths([str(tmp_path / "out")])) == [
        [("0001.json", b"one")],
        [("0001.json", b"two")],
    ]


def test_a_folder_of_too_many_files_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(exchange_files, "MOST_FILES", 3)
    for number in range(4):
        (tmp_path / f"{number}.json").write_text("{}")
    found = read_paths([str(tmp_path)])
    assert (found.groups, len(found.problems)) == ((), 1)
    assert "more than 3 files" in found.problems[0]


def test_a_file_that_goes_away_meanwhile_is_said(tmp_path: Path):
    (tmp_path / "a.json").write_text("{}")
    (group,) = read_paths([str(tmp_path / "a.json")]).groups
    (tmp_path / "a.json").unlink()
    with pytest.raises(InvalidInput, match="No such file"):
        group.files[0].load()


def test_a_link_in_a_folder_is_not_followed(tmp_path: Path):
    """Whoever gave somebody the folder must not choose what else is read."""
    (tmp_path / "secret").write_text("{}")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a.json").write_text("{}")
    (tmp_path / "out" / "b.json").symlink_to(tmp_path / "secret")
    found = read_paths([str(tmp_path / "out")])
    assert contents_import_reading(found) == [[("a.json", b"{}")]]
    assert set(found.groups[0].beside) == {"a.json"}
    assert found.passed_over == (f"{tmp_path / 'out'}: 1 other thing in it was not read (links)",)


# Archives of chats: everything in them is at hand, and one that means harm is refused before it is unpacked.


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
