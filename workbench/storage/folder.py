"""The files of a data folder, readable by its owner only."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from workbench.domain.errors import InvalidInput
from workbench.domain.translation import tr
from workbench.files.writing import FOLDER_MODE


@dataclass(frozen=True, slots=True)
class DataFolder:
    """The names of the files in one data folder."""

    path: Path

    @property
    def keys(self) -> Path:
        """The wrapped data key."""
        return self.path / "keys.json"

    @property
    def kept_keys(self) -> Path:
        """The previous key file, while a new one is put in place."""
        return self.path / "keys.json.bak"

    @property
    def store(self) -> Path:
        """The encrypted database."""
        return self.path / "store.db"

    @property
    def rotating_store(self) -> Path:
        """The copy of the database under the next key, until it replaces the other."""
        return self.path / "store.db.rotating"

    @property
    def older_versions(self) -> tuple[Path, ...]:
        """Copies of the database from before its migrations."""
        return tuple(sorted(self.path.glob("store.db.version-*")))

    @property
    def store_lock(self) -> Path:
        """Held shared by all who have the database open, exclusively by whoever replaces it."""
        return self.path / "store.lock"

    @property
    def keys_lock(self) -> Path:
        """Held while the key file is changed."""
        return self.path / "keys.lock"

    def make(self) -> None:
        """Create the folder, or restrict an existing one to its owner."""
        try:
            self.path.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
            self.path.chmod(FOLDER_MODE)
        except OSError as problem:
            reason = problem.strerror or type(problem).__name__
            raise InvalidInput(
                str(self.path), tr("cannot be the data folder: {reason}", reason=reason)
            ) from None


def side_files(database: Path) -> tuple[Path, ...]:
    """The files SQLite puts beside a database; next to another database they would corrupt it."""
    return tuple(database.with_name(database.name + ending) for ending in ("-wal", "-shm", "-journal"))


def remove_database(database: Path) -> None:
    """Remove a database and its side files."""
    for path in (database, *side_files(database)):
        with suppress(FileNotFoundError):
            path.unlink()
