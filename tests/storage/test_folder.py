"""The data folder: closed to others, and nothing of a database left behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.domain.errors import InvalidInput
from workbench.storage.folder import DataFolder, remove_database, side_files


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_a_new_folder_is_the_owner_s_alone(tmp_path: Path):
    DataFolder(tmp_path / "a" / "b").make()
    assert mode(tmp_path / "a" / "b") == 0o700


def test_an_open_folder_is_closed(tmp_path: Path):
    (tmp_path / "open").mkdir(mode=0o755)
    DataFolder(tmp_path / "open").make()
    assert mode(tmp_path / "open") == 0o700


def test_a_file_in_its_place_is_named(tmp_path: Path):
    (tmp_path / "file").write_bytes(b"mine")
    with pytest.raises(InvalidInput, match="file"):
        DataFolder(tmp_path / "file").make()
    assert (tmp_path / "file").read_bytes() == b"mine"


def test_a_database_is_removed_with_what_lies_beside_it(tmp_path: Path):
    database, other = tmp_path / "store.db", tmp_path / "store.db.rotating"
    for path in (database, *side_files(database), other):
        path.write_bytes(b"x")
    remove_database(database)
    assert list(tmp_path.iterdir()) == [other]
    remove_database(database)


def test_the_sides_of_a_database_are_sqlite_s(tmp_path: Path):
    assert [path.name for path in side_files(tmp_path / "s.db")] == ["s.db-wal", "s.db-shm", "s.db-journal"]
