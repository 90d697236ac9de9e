"""A Debian package's tree: modes, times, sums, and what it must not need."""

from __future__ import annotations

import gzip
from pathlib import Path

import workbench
from kinds.deb import md5sums, set_modes, version_of, write, write_gzip
from kinds.deb_files import PLACE
from tests.architecture.source_tree import ROOT


def test_modes_and_times_do_not_depend_on_who_builds(tmp_path: Path):
    write(tmp_path / PLACE / "bin/workbench", "#!\n")
    write(tmp_path / "usr/share/doc/x", "text")
    (tmp_path / "usr/share/doc/x").chmod(0o600)
    set_modes(tmp_path, 1_700_000_000)
    modes = {path.name: oct(path.stat().st_mode)[-3:] for path in tmp_path.rglob("*") if path.is_file()}
    assert modes == {"workbench": "755", "x": "644"}
    assert {path.stat().st_mtime for path in tmp_path.rglob("*")} == {1_700_000_000}


def test_what_is_compressed_has_no_time_in_it(tmp_path: Path):
    write_gzip(tmp_path / "a.gz", b"text")
    assert (tmp_path / "a.gz").read_bytes()[4:8] == b"\0\0\0\0"
    assert gzip.decompress((tmp_path / "a.gz").read_bytes()) == b"text"


def test_sums_are_listed_by_name(tmp_path: Path):
    write(tmp_path / "b", "")
    write(tmp_path / "a/c", "")
    listed = md5sums(tmp_path, [tmp_path / "b", tmp_path / "a/c"])
    assert [line.split("  ")[1] for line in listed.splitlines()] == ["a/c", "b"]


def test_the_version_is_the_programs():
    assert version_of(ROOT) == workbench.__version__
