"""Provider keys: in the system's keyring if there is a trusted one, else in the encrypted store."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from sqlalchemy import Connection, delete, select
from sqlalchemy.dialects.sqlite import insert

from workbench.domain.errors import KeyLingers, KeyringUnusable, UnusableSecret
from workbench.domain.secrets import Secret
from workbench.domain.translation import tr
from workbench.storage.database.schema import provider_key
from workbench.storage.history import SqlCipherHistory
from workbench.storage.keys.keyring import OsKeyring


class StoreProviderKeys:
    """The provider keys of one store → ProviderKeys.

    The store knows for which origins there are keys, and has the last word: what it does not name is not used, even
    where a keyring that could not be asked still has it. In the keyring keys are named after the store, so that
    another data folder has its own.
    """

    def __init__(self, store: SqlCipherHistory, keyring: OsKeyring | None) -> None:
        self._store, self._keyring = store, keyring

    async def find(self, origin: str) -> Secret | None:
        """The key for that origin; None if there is none, or if its keyring cannot be queried."""
        row = await self._store.run(_row, origin)
        if row is None:
            return None
        if row[0] is not None:
            return Secret(row[0])
        with suppress(KeyringUnusable):
            return await self._in_keyring(origin)
        return None

    async def keep(self, origin: str, key: Secret | None) -> None:
        """Store a key in one place and remove the previous one everywhere; None removes it."""
        if key is not None and not key:
            raise UnusableSecret(tr("An empty key opens nothing."), tr("Give it as the provider shows it."))
        before = await self._store.run(_row, origin)
        if key is None:
            await self._store.run(_remove, origin)
        else:
            # First into the store: refused there, or killed here, no key is left in a keyring without a name for it.
            await self._store.run(_write, origin, key.reveal())
        if key is not None and await self._put_in_keyring(origin, key):
            await self._store.run(_write, origin, None)
        else:
            await self._forget_in_keyring(origin, was_there=before == (None,))
        # What was overwritten may still stand in the write-ahead log.
        await self._store.settle()

    async def origins(self) -> tuple[str, ...]:
        return await self._store.run(_origins)

    async def _in_keyring(self, origin: str) -> Secret | None:
        if self._keyring is None:
            return None
        return await asyncio.to_thread(self._keyring.find_text, await self._name(origin))

    async def _put_in_keyring(self, origin: str, key: Secret) -> bool:
        if self._keyring is None:
            return False
        # No keyring, one that is locked, or one for which the key is too long: the store takes it.
        with suppress(KeyringUnusable):
            await asyncio.to_thread(self._keyring.keep_text, await self._name(origin), key)
            return True
        return False

    async def _forget_in_keyring(self, origin: str, *, was_there: bool) -> None:
        forgotten = self._keyring is not None and await self._tried_to_forget(self._keyring, origin)
        if was_there and not forgotten:
            await self._store.settle()
            raise KeyLingers(origin)

    async def _tried_to_forget(self, keyring: OsKeyring, origin: str) -> bool:
        name = await self._name(origin)
        with suppress(KeyringUnusable):
            # Backends take it ill to be asked to forget what they do not know.
            if await asyncio.to_thread(keyring.find_text, name) is not None:
                await asyncio.to_thread(keyring.forget, name)
            return True
        return False

    async def _name(self, origin: str) -> str:
        return f"{await self._store.run(_database_id)} {origin}"


def _database_id(connection: Connection) -> str:
    return str(connection.exec_driver_sql("SELECT database_id FROM store_identity").scalar_one())


def _row(connection: Connection, origin: str) -> tuple[bytes | None] | None:
    found = connection.execute(select(provider_key.c.secret).where(provider_key.c.origin == origin)).first()
    return None if found is None else (found.secret,)


def _origins(connection: Connection) -> tuple[str, ...]:
    return tuple(connection.execute(select(provider_key.c.origin).order_by(provider_key.c.origin)).scalars())


def _remove(connection: Connection, origin: str) -> None:
    _overwrite_what_is_freed(connection)
    connection.execute(delete(provider_key).where(provider_key.c.origin == origin))


def _write(connection: Connection, origin: str, secret: bytes | None) -> None:
    _overwrite_what_is_freed(connection)
    put = insert(provider_key).values(origin=origin, secret=secret)
    connection.execute(put.on_conflict_do_update(index_elements=["origin"], set_={"secret": secret}))


def _overwrite_what_is_freed(connection: Connection) -> None:
    """Overwrite freed pages, so that a revoked key cannot be recovered even with the store's key."""
    connection.exec_driver_sql("PRAGMA secure_delete = ON")
