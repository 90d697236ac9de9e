"""What requests cost, in the encrypted file: reserved before they are sent, settled at their end."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from sqlalchemy import Connection, delete, func, insert, select, update

from workbench.domain.codec import decode, encode
from workbench.domain.errors import InvalidInput, StoreInUse, WorkbenchError
from workbench.domain.spending import Limit, Spent, check_limits
from workbench.storage.chats.contents import dump
from workbench.storage.database.schema import spending
from workbench.storage.file_lock import FileLock
from workbench.storage.history import SqlCipherHistory

_UNIT = 1_000_000_000
_FILE = "SELECT file FROM pragma_database_list WHERE name = 'main'"


class StoredSpending:
    """The ledger of one store → SpendLedger; `owner` is an id that no other program has.

    A program that reserves holds a lock in the store's folder, which the system releases at its end however that comes:
    a record whose owner's lock is free was left behind, and no longer counts with the most that it could have cost.
    """

    def __init__(self, store: SqlCipherHistory, owner: str) -> None:
        self._store, self._owner = store, owner
        self._lock: tuple[Path, FileLock] | None = None

    async def reserve(self, spent: Spent, limits: Sequence[Limit]) -> int:
        return await self._store.run(self._reserve, spent, limits)

    async def settle(self, number: int, spent: Spent | None) -> None:
        await self._store.run(_settle, number, spent)

    async def add(self, spent: Spent) -> None:
        await self._store.run(_insert, spent, None)

    async def spent(self, since_utc: str = "", chat: str = "") -> tuple[Spent, ...]:
        return await self._store.run(_listed, since_utc, chat)

    def _release(self) -> None:
        """Give the lock back, and take its file away: the store is closed, or goes on in another folder."""
        if self._lock is not None:
            path, lock = self._lock
            self._lock = None
            lock.close()
            with suppress(OSError):
                path.unlink()

    def _reserve(self, connection: Connection, spent: Spent, limits: Sequence[Limit]) -> int:
        folder = Path(connection.exec_driver_sql(_FILE).scalar_one()).parent
        if self._lock is None:
            path = _lock_of(folder, self._owner)
            self._lock = path, FileLock(path, alone=True, advice="")
            self._store.on_release(self._release)
        self._release_abandoned(connection, folder)
        check_limits(limits, partial(_counted, connection), spent)
        return _insert(connection, spent, self._owner)

    def _release_abandoned(self, connection: Connection, folder: Path) -> None:
        """Settle the records of programs that have ended: what was predicted for them is what they count with."""
        owners = connection.execute(select(spending.c.owner).where(spending.c.owner.is_not(None)).distinct())
        for owner in owners.scalars().all():
            if owner == self._owner or _runs(_lock_of(folder, owner)):
                continue
            left = connection.execute(select(spending).where(spending.c.owner == owner)).all()
            for row in left:
                found = decode(Spent, json.loads(row.body))
                _settle(connection, row.id, replace(found, state="predicted", usd=found.predicted_usd))


def _lock_of(folder: Path, owner: str) -> Path:
    return folder / f"spending-{owner}.lock"


def _runs(path: Path) -> bool:
    """Whether the program that made a lock still holds it."""
    if not path.exists():
        return False
    try:
        FileLock(path, alone=True, advice="").close()
    except StoreInUse:
        return True
    except WorkbenchError:
        return False
    with suppress(OSError):
        path.unlink()
    return False


def _insert(connection: Connection, spent: Spent, owner: str | None) -> int:
    kept = insert(spending).values(at_utc=spent.at_utc, chat=spent.chat, owner=owner, **_columns(spent))
    return int(connection.execute(kept).lastrowid)


def _settle(connection: Connection, number: int, spent: Spent | None) -> None:
    if spent is None:
        connection.execute(delete(spending).where(spending.c.id == number))
        return
    ended = update(spending).where(spending.c.id == number)
    connection.execute(ended.values(owner=None, **_columns(spent)))


def _columns(spent: Spent) -> dict[str, object]:
    return {"counted": round((spent.usd or 0.0) * _UNIT), "body": dump(encode(spent))}


def _counted(connection: Connection, limit: Limit) -> float:
    which = spending.c.chat == limit.chat if limit.cap == "chat" else spending.c.at_utc >= limit.since_utc
    total: int = connection.execute(
        select(func.coalesce(func.sum(spending.c.counted), 0)).where(which)
    ).scalar_one()
    return total / _UNIT


def _listed(connection: Connection, since_utc: str, chat: str) -> tuple[Spent, ...]:
    wanted = select(spending.c.body).where(spending.c.at_utc >= since_utc, spending.c.owner.is_(None))
    if chat:
        wanted = wanted.where(spending.c.chat == chat)
    rows = connection.execute(wanted.order_by(spending.c.at_utc, spending.c.id))
    found = []
    for body in rows.scalars():
        with suppress(InvalidInput, ValueError):  # one that cannot be read must not hide the others
            found.append(decode(Spent, json.loads(body)))
    return tuple(found)
