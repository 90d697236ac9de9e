"""One connection to the encrypted file, used from one thread, in whole transactions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, create_engine, event
from sqlalchemy.exc import DatabaseError, IntegrityError
from sqlalchemy.pool import StaticPool

from workbench.domain.errors import StoreDamaged, StoreFull, StoreInUse, WorkbenchError
from workbench.domain.translation import tr

Connect = Callable[[], Any]

_NO_SPACE = ("disk is full", "readonly database", "disk I/O error")


class Database:
    """Runs work in transactions: on return it is on disk, on an error it is rolled back.

    One bad page poisons a SQLCipher connection for every later read, so after a database error the next piece of
    work gets a new connection.
    """

    def __init__(self, connect: Connect, writable: bool = True) -> None:
        import sqlcipher3.dbapi2 as driver

        self._driver = driver
        self._begin = "BEGIN IMMEDIATE" if writable else "BEGIN"
        # Parameters are message text: without hide_parameters they would stand in every exception.
        self._engine = create_engine(
            "sqlite://", module=driver, creator=connect, poolclass=StaticPool, hide_parameters=True
        )
        event.listen(self._engine, "connect", _leave_transactions_to_us)
        if not writable:
            event.listen(self._engine, "connect", _set_query_only)
        event.listen(self._engine, "begin", self._begin_transaction)

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        try:
            with self._engine.begin() as connection:
                yield connection
        except IntegrityError:
            raise
        except DatabaseError as problem:
            self._engine.dispose()
            raise _as_workbench_error(str(problem.orig)) from None

    def settle(self) -> None:
        """Checkpoint the write-ahead log, as far as other readers allow."""
        try:
            connection = self._engine.raw_connection()
            try:
                connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            finally:
                # Before the engine lets go of it: what is closed already cannot be given back, and that is logged.
                connection.close()
        except self._driver.DatabaseError as problem:
            self._engine.dispose()
            raise _as_workbench_error(str(problem)) from None

    def close(self) -> None:
        self._engine.dispose()

    def _begin_transaction(self, connection: Connection) -> None:
        connection.exec_driver_sql(self._begin)


def _set_query_only(connection: Any, _record: object) -> None:
    """Make the connection read-only: there is only one writer."""
    connection.execute("PRAGMA query_only = ON")


def _leave_transactions_to_us(connection: Any, _record: object) -> None:
    connection.isolation_level = None


def _as_workbench_error(reason: str) -> WorkbenchError:
    """The error with a message for a person; SQLite's own text names no content."""
    if any(words in reason for words in _NO_SPACE):
        return StoreFull(reason)
    if "locked" in reason:
        return StoreInUse(tr("the history"), tr("Try again in a moment."))
    return StoreDamaged(reason)
