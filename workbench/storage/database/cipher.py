"""Opens the encrypted database and fails closed: what cannot be verified is not opened."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.domain.errors import (
    ForeignDatabase,
    NotEncrypted,
    StoreCut,
    StoreDamaged,
    StoreFull,
    StoreGone,
    StoreInUse,
    WorkbenchError,
)
from workbench.domain.secrets import Secret, StoreIdentity
from workbench.domain.translation import tr
from workbench.files.writing import FILE_MODE, sync_file, sync_folder
from workbench.storage.folder import remove_database, side_files
from workbench.storage.memory import overwrite

if TYPE_CHECKING:
    # SQLCipher's driver is SQLite's under another name, and has no types of its own.
    from sqlite3 import Connection

BUSY_TIMEOUT_MS = 5000
# Setting → what SQLite answers when it holds. FULL: with NORMAL a power cut loses acknowledged messages.
# A cache of 1 MB: with the driver's 8 it grew by a megabyte with every hundred questions, and neither reading 10,000
# messages nor writing them (2 %) was faster.
SETTINGS = {
    "cache_size=-1000": -1000,
    "journal_mode=WAL": "wal",
    "synchronous=FULL": 2,
    "temp_store=MEMORY": 2,
    "foreign_keys=ON": 1,
}
READING_SETTINGS = {
    name: SETTINGS[name] for name in ("cache_size=-1000", "temp_store=MEMORY", "foreign_keys=ON")
}
_NOT_A_DATABASE = 26
_IO_ERROR = 10
PAGE_BYTES = 4096  # SQLCipher's
_MALFORMED = "malformed"  # not an I/O error, which may pass
_SMALLEST_BYTES = 512  # of any SQLite database; it takes one byte for an empty one
DOES_NOT_OPEN = tr(
    "their key does not open it, or its first page is damaged; in that case `workbench history salvage` helps"
)
_LEAST_ROOM_BYTES = 128 * 1024
_BUSY = (5, 6)
_NO_ROOM = (8, 13, 14)  # read-only, full, a file beside the database that cannot be made
_PLAIN_CODE = 0xFF  # SQLite says more about some codes in the bits above

Connect = Callable[..., Any]


def open_encrypted(
    path: Path, key: Secret, identity: StoreIdentity, *, create: bool = False, connect: Connect | None = None
) -> Connection:
    """Open the database that this key and identity belong to.

    With `create` a missing file is made anew; an empty one never becomes a database. The caller sets `create` only
    while the key file says that there has been no database yet.
    """
    if create and not path.exists():
        create_encrypted(path, key, identity)
    refuse_what_is_no_store(path)
    with (
        _explain_truncation(path, key),
        _closed_on_error(_connect(path, connect)) as connection,
        translated_errors(path),
    ):
        use_key(connection, key)
        _check_identity(connection, path, identity)
        if _ends_within_a_page(path):
            pages = connection.execute("PRAGMA page_count").fetchone()[0]
            if pages > path.stat().st_size // PAGE_BYTES:
                raise StoreCut(str(path))
            raise StoreDamaged(tr("bytes that are no page stand at its end"))
        _apply_settings(connection, SETTINGS if may_write(path) else READING_SETTINGS)
    refuse_what_is_no_store(path)
    return connection


def fits(path: Path, key: Secret, identity: StoreIdentity) -> bool:
    """Whether the database has this identity under this key; read-only, without changing the file's settings."""
    refuse_what_is_no_store(path)
    connection = _connect(path, None)
    try:
        with translated_errors(path):
            use_key(connection, key)
            _check_identity(connection, path, identity)
    except ForeignDatabase:
        return False
    finally:
        connection.close()
    return True


def create_encrypted(path: Path, key: Secret, identity: StoreIdentity) -> None:
    """Create an empty database with its identity, atomically."""
    new = path.with_name(path.name + ".new")
    remove_database(new)
    with translated_errors(path):
        connection = connect_new(new, key)
        try:
            connection.execute(
                "CREATE TABLE store_identity (database_id TEXT NOT NULL, generation INTEGER NOT NULL)"
            )
            connection.execute(
                "INSERT INTO store_identity VALUES (?, ?)", (identity.database_id, identity.generation)
            )
        finally:
            connection.close()
    refuse_what_is_no_store(new)
    sync_file(new)
    new.replace(path)
    sync_folder(path.parent)


def connect_new(path: Path, key: Secret) -> Connection:
    """A connection to a new file under this key, readable by its owner only."""
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE))
    with _closed_on_error(_connect(path, None)) as connection:
        use_key(connection, key)
    connection.isolation_level = None
    return connection


def use_key(connection: Connection, key: Secret) -> None:
    """Set the raw key on a new connection, and verify that the driver encrypts."""
    # SQLCipher writes its own lines to standard error otherwise, also when a key is merely tried.
    connection.execute("PRAGMA cipher_log_level = NONE")
    digits = key.view().hex()
    statement = f"PRAGMA key = \"x'{digits}'\""
    try:
        connection.execute(statement)
    finally:
        overwrite(digits, statement)
    version = connection.execute("PRAGMA cipher_version").fetchone()
    if not version or not version[0]:
        raise NotEncrypted(tr("this SQLite library cannot encrypt"))


@contextmanager
def translated_errors(path: Path) -> Iterator[None]:
    """Translate the driver's errors on opening into messages for a person."""
    import sqlcipher3.dbapi2 as driver

    try:
        yield
    except driver.DatabaseError as problem:
        code = getattr(problem, "sqlite_errorcode", 0) & _PLAIN_CODE
        if code in _BUSY:
            raise StoreInUse(str(path.parent), tr("Close the other one, or try again in a moment.")) from None
        if code in _NO_ROOM or (code == _IO_ERROR and not has_room(path)):
            raise StoreFull(str(problem)) from None
        if code != _NOT_A_DATABASE:
            raise StoreDamaged(str(problem)) from None
        raise ForeignDatabase(str(path), DOES_NOT_OPEN) from None


@contextmanager
def _explain_truncation(path: Path, key: Secret) -> Iterator[None]:
    """Report a truncated file as such, instead of SQLite's message."""
    try:
        yield
    except StoreDamaged as problem:
        if _MALFORMED not in str(problem):
            raise
        if _is_truncated(path, key):
            raise StoreCut(str(path)) from None
        raise


def _is_truncated(path: Path, key: Secret) -> bool:
    """Whether the file is shorter than its first page says.

    SQLite then refuses even what stands in that page, unless the schema may be written; any other page may be damaged.
    """
    found = []
    for wish in ("OFF", "ON"):
        try:
            with (
                _closed_on_error(_connect(path, None, _reading_mode(path))) as connection,
                translated_errors(path),
            ):
                use_key(connection, key)
                connection.execute(f"PRAGMA writable_schema = {wish}")
                connection.execute("PRAGMA user_version").fetchone()
            connection.close()
            found.append(True)
        except WorkbenchError:
            found.append(False)
    return found == [False, True]


def _ends_within_a_page(path: Path) -> bool:
    """Whether the last page is incomplete and no log holds it; SQLite notices only when it reads that page."""
    log = side_files(path)[0]
    return bool(path.stat().st_size % PAGE_BYTES) and not (log.exists() and log.stat().st_size)


def _connect(path: Path, connect: Connect | None, mode: str = "") -> Connection:
    import sqlcipher3.dbapi2 as driver

    # mode=rw: a file that vanished since it was looked at is not made anew.
    mode = mode or ("rw" if may_write(path) else _reading_mode(path))
    # A statement that is kept for later keeps what it wrote last, too: three times the text of a long answer.
    connection: Connection = (connect or driver.connect)(
        f"{path.absolute().as_uri()}?mode={mode}",
        uri=True,
        timeout=BUSY_TIMEOUT_MS / 1000,
        cached_statements=0,
    )
    return connection


def may_write(path: Path) -> bool:
    """Whether the file can be changed, which needs files beside it, and space for them."""
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK) and has_room(path)


def has_room(path: Path) -> bool:
    """Whether the disk has the space SQLite needs to start; otherwise it reports only an "I/O error"."""
    return shutil.disk_usage(path.parent).free >= _LEAST_ROOM_BYTES


def _reading_mode(path: Path) -> str:
    """URI mode for reading: immutable, so that SQLite leaves no files, unless a log has newer content."""
    log = side_files(path)[0]
    return "ro" if log.exists() and log.stat().st_size else "ro&immutable=1"


@contextmanager
def _closed_on_error(connection: Connection) -> Iterator[Connection]:
    try:
        yield connection
    except BaseException:
        connection.close()
        raise


def refuse_what_is_no_store(path: Path) -> None:
    """Check the file type without opening it with SQLite: closing it would release SQLite's own locks."""
    try:
        size = path.stat().st_size
    except FileNotFoundError:
        raise StoreGone(str(path), tr("is missing")) from None
    except OSError as problem:
        raise StoreFull(f"{path}: {problem.strerror or type(problem).__name__}") from None
    if not size:
        raise StoreGone(str(path), tr("is an empty file"))
    if not os.access(path, os.R_OK):
        raise StoreFull(tr("{path} may not be read", path=path))
    if _is_plain(path):
        if size < _SMALLEST_BYTES:
            raise StoreGone(str(path), tr("is cut off within its first page"))
        raise ForeignDatabase(str(path), tr("it is not encrypted"))


def _is_plain(path: Path) -> bool:
    """Whether the file is readable without a key; opened immutable, so that nothing changes."""
    import sqlcipher3.dbapi2 as driver

    with translated_errors(path):
        connection = driver.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
    try:
        connection.execute("PRAGMA cipher_log_level = NONE")
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    except driver.DatabaseError:
        return False
    finally:
        connection.close()
    return True


def _check_identity(connection: Connection, path: Path, identity: StoreIdentity) -> None:
    if not connection.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'store_identity'").fetchone()[
        0
    ]:
        raise ForeignDatabase(str(path), tr("it does not say which database it is"))
    rows = connection.execute("SELECT database_id, generation FROM store_identity").fetchall()
    if [StoreIdentity(*row) for row in rows] != [identity]:
        raise ForeignDatabase(str(path), tr("it is another database, or under another of its keys"))


def _apply_settings(connection: Connection, settings: Mapping[str, object]) -> None:
    for setting, expected in settings.items():
        name = setting.partition("=")[0]
        connection.execute(f"PRAGMA {setting}")
        if connection.execute(f"PRAGMA {name}").fetchone()[0] != expected:
            raise NotEncrypted(tr("{setting} did not take effect", setting=setting))
