"""Key management of a data folder: status, passphrase, recovery code, rotation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress

from workbench.domain.errors import KeyringUnusable, StoreLocked, WrongSecret
from workbench.domain.secrets import KeyStatus, ProtectorKind, Secret
from workbench.domain.translation import tr
from workbench.storage.keys.file import KeyRecord
from workbench.storage.keys.protectors import NAMES, Credential, DataKey, passphrase
from workbench.storage.keys.rotation import Rotation
from workbench.storage.keys.unlocking import Unlocker, credentials_from


class FolderKeyKeeper:
    """The keys of one data folder → KeyKeeper."""

    def __init__(self, unlocker: Unlocker) -> None:
        self._unlocker = unlocker
        self._vault = unlocker.vault
        self._keyring = unlocker.keyring

    def status(self) -> KeyStatus:
        return self._vault.status()

    def check(self, text: Secret) -> None:
        """Verify that the typed text alone opens the store."""
        self._vault.reveal(self._vault.keys.read(), credentials_from(text))

    def change_passphrase(self, choose: Callable[[], Secret]) -> None:
        """Unlock, then replace the passphrase; the database is not touched."""
        with self._unlocker.unlock_existing() as store:
            self._vault.set_protector(store.data_key, passphrase(choose()))

    def new_recovery_code(self) -> Secret:
        with self._unlocker.unlock_existing() as store:
            return self._vault.new_recovery_code(store.data_key)

    def use_keyring(self, wanted: bool) -> None:
        with self._unlocker.unlock_existing() as store:
            database_id = store.data_key.identity.database_id
            if wanted:
                self._vault.set_protector(store.data_key, self._keyring.make(database_id))
            else:
                self._vault.remove_protector(store.data_key, "keyring")
                # Where the keyring is gone, so is what it kept; without the wrapped key it opened nothing anyway.
                with suppress(KeyringUnusable):
                    self._keyring.forget(database_id)

    def rotate(self) -> KeyStatus:
        """Re-encrypt the store with a new key, and show its new recovery code before the old one becomes invalid."""
        with self._unlocker.unlock_existing() as store:
            old = store.data_key
        with self._unlocker.alone():
            self._unlocker.require_unchanged(old)
            credentials = tuple(self._all_credentials(self._vault.keys.read(), old))
            new, generation, code = self._vault.next_generation(old, credentials)
            self._unlocker.people.hand_code(
                code,
                tr(
                    "The new recovery code, valid as soon as the key is changed; until then, and "
                    "should that fail, the old one is. It is shown this once"
                ),
            )
            Rotation(self._unlocker.folder, self._vault.keys).rotate(old, new, generation)
        return self.status()

    def _all_credentials(self, record: KeyRecord, old: DataKey) -> Iterator[Credential]:
        """A credential for every protector but the recovery code, to wrap the new key."""
        known = {each.kind: each for each in self._unlocker.credentials(record)}
        for protector in record.current.protectors:
            if protector.kind != "recovery":
                credential = known.get(protector.kind) or self._ask_for(protector.kind)
                if self._vault.reveal(record, [credential]).current != old:
                    raise WrongSecret(NAMES[protector.kind])
                yield credential

    def _ask_for(self, kind: ProtectorKind) -> Credential:
        if kind == "passphrase":
            for credential in self._unlocker.ask("Passphrase"):
                if credential.kind == "passphrase":
                    return credential
        raise StoreLocked(
            tr(
                "{names} is needed too: a new key is wrapped for every protector, and "
                "this one's was not given.",
                names=NAMES[kind],
            ),
            tr(
                "Give WORKBENCH_PASSPHRASE and --key-file for those this store has (`workbench keys status`)."
            ),
        )
