"""Schema versions: each step is a function in a list, run in one transaction, with a copy of the file kept before."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlalchemy import Connection

from workbench.domain.errors import FutureStore
from workbench.storage.database.database import Database
from workbench.storage.database.migration_steps import (
    add_workspaces,
    answer_again,
    create_tables,
    find_in_attachments,
)

Migration = Callable[[Connection], None]
KeepCopy = Callable[[int], None]


MIGRATIONS: tuple[Migration, ...] = (create_tables, answer_again, add_workspaces, find_in_attachments)
"""Step N brings a store from version N to N + 1. Append only: released steps are never changed."""


def migrate(database: Database, keep_copy: KeepCopy, steps: Sequence[Migration] = MIGRATIONS) -> int:
    """Bring a store to the newest version, one step a transaction; returns the version it has now.

    `keep_copy` is called before every step of a store that was there before, and must not return before the copy is
    safe; a new store has nothing to lose.
    """
    version = _version(database, steps)
    for number in range(version, len(steps)):
        if version > 0:
            keep_copy(number)
        with database.transaction() as connection:
            steps[number](connection)
            connection.exec_driver_sql(f"PRAGMA user_version = {number + 1}")
    return len(steps)


def is_newest(database: Database, steps: Sequence[Migration] = MIGRATIONS) -> bool:
    """Whether a store needs no step; one from a newer program is refused."""
    return _version(database, steps) == len(steps)


def _version(database: Database, steps: Sequence[Migration]) -> int:
    with database.transaction() as connection:
        version = int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())
    if version > len(steps):
        raise FutureStore(version, len(steps))
    return version
