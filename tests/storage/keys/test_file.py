"""The key file is replaced whole, keeps its predecessor until it is checked, and is never overwritten in the dark."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes.key_records import RECORD
from workbench.domain.errors import DamagedKeyFile, FutureVersion, NoKeysYet, StoreInUse
from workbench.storage.file_lock import FileLock
from workbench.storage.folder import DataFolder
from workbench.storage.keys.file import KeyFile, KeyRecord, write_record


def new_file(path: Path) -> KeyFile:
    keys = KeyFile(DataFolder(path))
    keys.create(RECORD)
    return keys


def test_it_is_the_owner_s_alone(tmp_path: Path):
    new_file(tmp_path)
    assert (tmp_path / "keys.json").stat().st_mode & 0o777 == 0o600


def test_a_change_sees_what_is_there_now_and_leaves_nothing_behind(tmp_path: Path):
    keys = new_file(tmp_path)
    changed = keys.change(lambda record: replace(record, store_made=False))
    assert keys.read() == changed == replace(RECORD, store_made=False)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["keys.json", "keys.lock"]


def test_a_change_that_fails_changes_nothing(tmp_path: Path):
    keys = new_file(tmp_path)

    def fail(record: KeyRecord) -> KeyRecord:
        raise StoreInUse("here", "Stop.")

    with pytest.raises(StoreInUse):
        keys.change(fail)
    assert (tmp_path / "keys.json").read_bytes() == write_record(RECORD)


def test_it_is_not_created_twice(tmp_path: Path):
    keys = new_file(tmp_path)
    with pytest.raises(StoreInUse):
        keys.create(replace(RECORD, store_made=False))
    assert keys.read() == RECORD


def test_two_do_not_change_it_at_once(tmp_path: Path):
    keys = new_file(tmp_path)
    with FileLock(tmp_path / "keys.lock", alone=True, advice=""), pytest.raises(StoreInUse, match="moment"):
        keys.change(lambda record: record)


def test_an_empty_folder_has_no_keys_yet(tmp_path: Path):
    keys = KeyFile(DataFolder(tmp_path))
    assert not keys.exists()
    with pytest.raises(NoKeysYet, match=str(tmp_path)):
        keys.read()


@pytest.mark.parametrize("content", [b"", b"{", b"{}", write_record(RECORD)[:-20]], ids=range(4))
def test_a_damaged_file_is_named_and_not_overwritten(tmp_path: Path, content: bytes):
    keys = new_file(tmp_path)
    (tmp_path / "keys.json").write_bytes(content)
    with pytest.raises(DamagedKeyFile, match=r"keys\.json") as refusal:
        keys.read()
    assert "Nothing was overwritten" in str(refusal.value)
    with pytest.raises(DamagedKeyFile):
        keys.change(lambda record: record)
    with pytest.raises(StoreInUse):
        keys.create(RECORD)
    assert (tmp_path / "keys.json").read_bytes() == content


def test_a_kept_version_is_pointed_to(tmp_path: Path):
    keys = new_file(tmp_path)
    (tmp_path / "keys.json").rename(tmp_path / "keys.json.bak")
    for content in (None, b"broken"):
        if content is not None:
            (tmp_path / "keys.json").write_bytes(content)
        with pytest.raises(DamagedKeyFile, match=r"keys\.json\.bak"):
            keys.read()


def test_a_database_without_its_keys_is_no_first_run(tmp_path: Path):
    """New keys beside an old database would make it unreadable for good, and look like an empty history."""
    (tmp_path / "store.db").write_bytes(b"precious")
    with pytest.raises(DamagedKeyFile, match=r"store\.db"):
        KeyFile(DataFolder(tmp_path)).exists()


def test_a_later_version_is_left_alone(tmp_path: Path):
    keys = new_file(tmp_path)
    (tmp_path / "keys.json").write_bytes(b'{"format": "workbench-keys/2"}')
    with pytest.raises(FutureVersion, match="newer version"):
        keys.change(lambda record: record)
    assert (tmp_path / "keys.json").read_bytes() == b'{"format": "workbench-keys/2"}'


def test_a_folder_in_its_place_is_named(tmp_path: Path):
    (tmp_path / "keys.json").mkdir()
    with pytest.raises(DamagedKeyFile):
        KeyFile(DataFolder(tmp_path)).read()


def test_remains_of_an_interrupted_change_are_removed_once_the_file_is_good(tmp_path: Path):
    """A kept version still opens with the passphrase that was given up."""
    keys = new_file(tmp_path)
    for name in ("keys.json.bak", "keys.json.tmp", "keys.json.bak.tmp"):
        (tmp_path / name).write_bytes(write_record(RECORD))
    keys.forget_kept()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["keys.json", "keys.lock"]
