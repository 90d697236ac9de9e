"""A bundle: where it starts, and how it is packed."""

from __future__ import annotations

import importlib.util
import os
import tarfile
from pathlib import Path
from types import ModuleType

import pytest

from failure import Failure
from kinds.bundle import pack, require_resources, size_mb
from tests.architecture.source_tree import ROOT


def start() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bundle_start", ROOT / "packaging" / "bundle" / "start.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_other_programs_are_started_with_the_libraries_of_the_system():
    given = {"LD_LIBRARY_PATH": "/opt/bundle", "LD_LIBRARY_PATH_ORIG": "/mine", "HOME": "/h"}
    start().give_back(given)
    assert given == {"LD_LIBRARY_PATH": "/mine", "HOME": "/h"}
    given = {"LD_LIBRARY_PATH": "/opt/bundle"}
    start().give_back(given)
    assert given == {}


def test_the_same_folder_gives_the_same_bytes_at_any_time(tmp_path: Path):
    folder = tmp_path / "made"
    (folder / "inside").mkdir(parents=True)
    (folder / "workbench").write_bytes(b"program")
    (folder / "workbench").chmod(0o700)
    (folder / "inside" / "data").write_bytes(b"x" * 1000)
    (folder / "inside" / "link").symlink_to("data")
    pack(folder, "it-1", tmp_path / "a.tar.gz", 1_700_000_000)
    os.utime(folder / "workbench", (5, 5))
    pack(folder, "it-1", tmp_path / "b.tar.gz", 1_700_000_000)
    assert (tmp_path / "a.tar.gz").read_bytes() == (tmp_path / "b.tar.gz").read_bytes()
    with tarfile.open(tmp_path / "a.tar.gz") as tar:
        found = {one.name: (one.mode, one.uid, one.mtime) for one in tar if one.isreg()}
    assert found == {
        "it-1/inside/data": (0o644, 0, 1_700_000_000),
        "it-1/workbench": (0o755, 0, 1_700_000_000),
    }
    assert size_mb(folder, "data") == 0.001


def test_a_bundle_without_some_of_our_data_is_refused(tmp_path: Path):
    """Files of source code in the sample chat were taken for modules, and the sample did not open."""
    for name in ("resources/sample/src/auth.py", "made/_internal/workbench/resources/sample/src/other.py"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).touch()
    with pytest.raises(Failure, match=r"Not in the bundle: sample/src/auth\.py"):
        require_resources(tmp_path / "resources", tmp_path / "made")
    (tmp_path / "made/_internal/workbench/resources/sample/src/auth.py").touch()
    require_resources(tmp_path / "resources", tmp_path / "made")
