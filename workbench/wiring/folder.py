"""The data folder of a call: its settings, its history and what opens it."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from workbench.cli.terminal import find_terminal, tell
from workbench.domain.app_preferences import Preferences
from workbench.domain.secret import Secret
from workbench.ports.folder import HistoryAccess, Scratch, SealedFiles
from workbench.ports.history import HistoryStore
from workbench.ports.keys import KeyKeeper, ProviderKeys
from workbench.ports.preferences import PreferencesStore

if TYPE_CHECKING:
    from workbench.storage.folder import DataFolder
    from workbench.storage.unlocking import Unlocker


class Place:
    """The data folder of one call, and what is set there; the settings are read once, when first needed."""

    def __init__(self, arguments: Namespace) -> None:
        self._arguments = arguments
        self._store: PreferencesStore | None = None
        self._preferences: Preferences | None = None

    @property
    def folder(self) -> Path:
        """Where everything is kept."""
        return data_dir(self._arguments)

    def preferences(self) -> Preferences:
        """What was set for the whole program; what is wrong with it is told once."""
        if self._preferences is None:
            from workbench.settings.settings_file import SettingsFile

            self._store = SettingsFile(self.folder)
            self._preferences = self._store.load()
        return self._preferences

    def problems(self) -> tuple[str, ...]:
        """What is wrong with the settings."""
        self.preferences()
        return () if self._store is None else self._store.problems


def keys(arguments: Namespace) -> KeyKeeper:
    """The keys of the folder."""
    from workbench.storage.folder import DataFolder
    from workbench.storage.key_keeper import FolderKeyKeeper

    return FolderKeyKeeper(_unlocker(arguments, DataFolder(data_dir(arguments))))


def history(arguments: Namespace) -> HistoryAccess:
    """The history of the folder."""
    from workbench.storage.folder import DataFolder
    from workbench.storage.opening import HistoryFolder

    folder = DataFolder(data_dir(arguments))
    return HistoryFolder(lambda of: _unlocker(arguments, of), folder, utc_now)


def provider_keys(store: HistoryStore) -> ProviderKeys:
    """The keys of providers, as an open history knows them."""
    from workbench.storage.history import SqlCipherHistory
    from workbench.storage.os_keyring import OsKeyring
    from workbench.storage.provider_keys import StoreProviderKeys

    if not isinstance(store, SqlCipherHistory):
        raise TypeError("keys are kept beside the history, in its encrypted file")
    return StoreProviderKeys(store, OsKeyring())


def scratch() -> Scratch:
    """A history of one's own that is gone afterwards."""
    from workbench.storage.scratch import ScratchHistory

    return ScratchHistory()


def elara(key: Secret) -> SealedFiles:
    """The encryption of Elara's files (seed 003)."""
    from workbench.storage.elara_cipher import ElaraCipher

    return ElaraCipher(key)


def new_id() -> str:
    """An id nobody has."""
    return uuid4().hex


def _unlocker(arguments: Namespace, folder: DataFolder) -> Unlocker:
    from workbench.storage.os_keyring import OsKeyring
    from workbench.storage.unlocking import Offered, People, Unlocker
    from workbench.storage.vault import KeyVault

    key_file = getattr(arguments, "key_file", None)
    passphrase = os.environ.get("WORKBENCH_PASSPHRASE")
    offered = Offered(
        Path(key_file) if key_file else None, Secret.of_text(passphrase) if passphrase else None
    )
    return Unlocker(folder, KeyVault(folder, utc_now), offered, People(find_terminal(), tell), OsKeyring())


def data_dir(arguments: Namespace) -> Path:
    """Where history and keys live: as asked for, else where this system keeps a program's data."""
    given = getattr(arguments, "data_dir", None) or os.environ.get("WORKBENCH_DATA_DIR")
    if given:
        return Path(given)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "Context Workbench"
    if sys.platform == "win32":
        return Path.home() / "AppData" / "Roaming" / "Context Workbench"
    return Path.home() / ".local" / "share" / "context-workbench"


def utc_now() -> str:
    """The time of day as it is written down."""
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def keyring_problem() -> str:
    """Why the system's keyring is of no use; empty where it is."""
    from workbench.storage.os_keyring import OsKeyring

    return "" if OsKeyring().available() else "no backend that protects what it keeps"
