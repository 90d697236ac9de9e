"""The data folder of a run: its settings, its history, and what unlocks it."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.domain.errors import WorkbenchError
from workbench.domain.translation import tr

if TYPE_CHECKING:
    from workbench.domain.chat_line import ChatLine
    from workbench.domain.connection import NetworkSeen
    from workbench.domain.secrets import Secret
    from workbench.domain.settings.app_preferences import Preferences, SettingsProblem
    from workbench.net.connections import Connections
    from workbench.ports.folder import HistoryAccess, SealedFiles
    from workbench.ports.folder_index import FolderIndexStore
    from workbench.ports.history import HistoryStore
    from workbench.ports.keys import KeyKeeper, ProviderKeys
    from workbench.ports.preferences import PreferencesStore
    from workbench.ports.spending import SpendLedger
    from workbench.ports.workspaces import WorkspaceStore
    from workbench.storage.folder import DataFolder
    from workbench.storage.keys.protectors import DataKey
    from workbench.storage.keys.unlocking import Unlocker, UserPrompts
    from workbench.storage.scratch import ScratchHistory


SETTINGS_NAME = "settings.toml"


class NoHome(WorkbenchError):
    """Neither the command line nor the system says where the user's files are."""

    def __init__(self) -> None:
        super().__init__(
            tr(
                "This system knows no home folder for you, so there is no place for "
                "history and settings. Name one with --data-dir DIR or "
                "WORKBENCH_DATA_DIR."
            )
        )


class ProgramFolder:
    """The data folder of one run and its settings, which are read once, when first needed."""

    def __init__(self, arguments: Namespace) -> None:
        self._arguments = arguments
        self._problems: tuple[SettingsProblem, ...] = ()
        self._found: tuple[SettingsProblem, ...] = ()
        self._preferences: Preferences | None = None
        self._loaded = False

    @cached_property
    def net(self) -> Connections:
        """Opens the connections of this run, by the settings."""
        from workbench.net.connections import Connections
        from workbench.sources.clock import MachineClock
        from workbench.wiring.network import net_rules

        return Connections(net_rules(self._preferences or self._begin()), MachineClock().utc_now)

    def network(self) -> NetworkSeen:
        """Returns how this run connects, and what it has connected to."""
        return self.net.seen()

    @property
    def folder(self) -> Path:
        """The path of the data folder."""
        return data_dir(self._arguments)

    def preferences(self) -> Preferences:
        """Returns the program's settings; problems with them are printed once."""
        if self._preferences is None:
            from workbench.cli.terminal import tell

            self._begin()
            for problem in self._problems:
                tell(f"workbench: {problem}")
        return self._preferences or self._begin()

    def problems(self) -> tuple[SettingsProblem, ...]:
        """Returns the problems of the settings, for a caller that shows them."""
        if self._preferences is None:
            self._begin()
        return self._problems

    @property
    def found(self) -> tuple[SettingsProblem, ...]:
        """The problems found when the settings were last read, whether or not these apply yet."""
        return self._found

    def check_sending(self) -> None:
        """Raises `SendingOff` while the settings are not reliably known; everything that sends calls this first."""
        problems = self.problems()
        if problems:
            from workbench.domain.settings.app_preferences import check_sending

            check_sending(problems)

    def warn_if_not_toml(self) -> None:
        """Warns where the settings file is not TOML, for commands that do not read it fully, which takes longer."""
        if self._preferences is None and self.has_settings() and not _is_toml(self.folder / SETTINGS_NAME):
            self.preferences()

    def has_settings(self) -> bool:
        """Tells whether there seems to be a settings file."""
        return not _is_missing(self.folder / SETTINGS_NAME)

    def prefer(self, preferences: Preferences) -> None:
        """Applies these settings, which are stored already."""
        self._preferences, self._problems = preferences, self._found
        if "net" in vars(self):
            from workbench.wiring.network import net_rules

            self.net.rules = net_rules(preferences)

    def read_again(self) -> Preferences:
        """Reads the settings again; they apply once `prefer` is called.

        Until then earlier problems also count: the old addresses are still in use.
        """
        loaded = self._load()
        self._problems = (*self._problems, *self._found)
        return loaded

    def save(self, preferences: Preferences) -> None:
        """Stores settings: only what differs from the file is written, so the file is read first if it was not.

        Earlier problems remain until the file is read again.
        """
        if not self._loaded:
            self._load()
        self._file.save(preferences)

    def _begin(self) -> Preferences:
        self._preferences = self._load()
        self._problems = self._found
        return self._preferences

    def _load(self) -> Preferences:
        if not self._loaded and not self.has_settings():
            # Without loading what reads them, which takes longer than many commands.
            from workbench.domain.settings.app_preferences import Preferences

            self._found = ()
            return Preferences()
        self._loaded = True
        loaded = self._file.load()
        self._found = self._file.problems
        return loaded

    @cached_property
    def _file(self) -> PreferencesStore:
        from workbench.settings.settings_file import SettingsFile

        return SettingsFile(self.folder)


def _is_missing(path: Path) -> bool:
    """Tells whether a file is certainly missing; one that cannot be accessed may exist."""
    try:
        path.lstat()
    except FileNotFoundError:
        from workbench.files.reading import broken_link

        return broken_link(path) is None
    except OSError:
        return False
    return False


def _is_toml(path: Path) -> bool:
    import tomllib

    try:
        tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return True


def keys(arguments: Namespace, people: UserPrompts | None = None) -> KeyKeeper:
    """Returns the keys of the folder; a window passes its dialogs as `people`."""
    from workbench.storage.folder import DataFolder
    from workbench.storage.keys.keeper import FolderKeyKeeper

    there = people or terminal_prompts(asking=True)
    return FolderKeyKeeper(_unlocker(arguments, DataFolder(data_dir(arguments)), there))


def has_keys(arguments: Namespace) -> bool:
    """Tells whether there is a store, or the start of one; creates nothing."""
    from workbench.storage.folder import DataFolder
    from workbench.storage.keys.vault import KeyVault

    return KeyVault(DataFolder(data_dir(arguments)), utc_now).keys.exists()


def secret_given(arguments: Namespace) -> bool:
    """Tells whether a key file or a passphrase was given at start."""
    return bool(getattr(arguments, "key_file", None) or os.environ.get("WORKBENCH_PASSPHRASE"))


async def keep_scratch(
    arguments: Namespace, scratch: ScratchHistory, store: HistoryStore, people: UserPrompts
) -> None:
    """Turns a throw-away history into the folder's own; the open store goes on as that one."""
    from workbench.storage.folder import DataFolder
    from workbench.storage.history import SqlCipherHistory
    from workbench.storage.opening import HistoryFolder

    if not isinstance(store, SqlCipherHistory):
        raise TypeError("only a file can become another")
    folder = DataFolder(data_dir(arguments))
    access = HistoryFolder(lambda of: _unlocker(arguments, of, people, scratch.data_key), folder, utc_now)
    await access.keep(scratch, store)


def history(arguments: Namespace, *, asking: bool = True, people: UserPrompts | None = None) -> HistoryAccess:
    """Returns the history of the folder; without `asking` no secret is asked for.

    A window passes its dialogs as `people`.
    """
    from workbench.storage.folder import DataFolder
    from workbench.storage.opening import HistoryFolder

    folder = DataFolder(data_dir(arguments))
    there = people or terminal_prompts(asking)
    return HistoryFolder(lambda of: _unlocker(arguments, of, there), folder, utc_now)


def list_chats(arguments: Namespace) -> tuple[ChatLine, ...]:
    """Returns all chats for a list, without loading the rest of the history."""
    from workbench.storage.folder import DataFolder
    from workbench.storage.listing import list_chats as listed

    return listed(
        _unlocker(arguments, DataFolder(data_dir(arguments)), terminal_prompts(asking=True)), utc_now
    )


def provider_keys(store: HistoryStore) -> ProviderKeys:
    """Returns the keys of providers that an open history stores."""
    from workbench.storage.history import SqlCipherHistory
    from workbench.storage.keys.keyring import OsKeyring
    from workbench.storage.provider_keys import StoreProviderKeys

    if not isinstance(store, SqlCipherHistory):
        raise TypeError("keys are kept beside the history, in its encrypted file")
    return StoreProviderKeys(store, OsKeyring())


def spend_ledger(store: HistoryStore) -> SpendLedger:
    """Returns where an open history keeps what requests cost."""
    from workbench.storage.history import SqlCipherHistory
    from workbench.storage.spending import StoredSpending

    if not isinstance(store, SqlCipherHistory):
        raise TypeError("what was spent is kept beside the history, in its encrypted file")
    return StoredSpending(store, new_id())


def workspace_store(store: HistoryStore) -> WorkspaceStore:
    """Returns the workspaces that an open history stores."""
    from workbench.storage.history import SqlCipherHistory
    from workbench.storage.workspaces import StoreWorkspaces

    if not isinstance(store, SqlCipherHistory):
        raise TypeError("workspaces are kept beside the history, in its encrypted file")
    return StoreWorkspaces(store)


def folder_index(store: HistoryStore) -> FolderIndexStore:
    """Returns the index of searched folders that an open history stores."""
    from workbench.storage.folder_index import StoreFolderIndex
    from workbench.storage.history import SqlCipherHistory

    if not isinstance(store, SqlCipherHistory):
        raise TypeError("the index of folders is kept beside the history, in its encrypted file")
    return StoreFolderIndex(store)


def with_temporary(store: HistoryStore) -> HistoryStore:
    """Returns an open history with temporary chats beside it, which are only in memory."""
    from workbench.storage.temporary import HistoryWithTemporary

    return HistoryWithTemporary(store)


def scratch() -> ScratchHistory:
    """Makes a throw-away history."""
    from workbench.storage.scratch import ScratchHistory

    return ScratchHistory()


def elara(key: Secret) -> SealedFiles:
    """Returns the encryption of Elara's files."""
    from workbench.storage.elara_cipher import ElaraCipher

    return ElaraCipher(key)


def new_id() -> str:
    """Returns a new random id."""
    from uuid import uuid4

    return uuid4().hex


def terminal_prompts(asking: bool) -> UserPrompts:
    """Returns prompts at the terminal, if there is one and asking is allowed."""
    from workbench.cli.terminal import find_terminal, tell
    from workbench.storage.keys.unlocking import UserPrompts

    terminal = find_terminal() if asking else None
    return UserPrompts(terminal, tell, heard=sys.stderr is not None, ask_here=terminal is not None)


def _unlocker(
    arguments: Namespace, folder: DataFolder, people: UserPrompts, first_key: DataKey | None = None
) -> Unlocker:
    from workbench.domain.secrets import Secret
    from workbench.storage.keys.keyring import OsKeyring
    from workbench.storage.keys.unlocking import GivenCredentials, Unlocker
    from workbench.storage.keys.vault import KeyVault

    key_file = getattr(arguments, "key_file", None)
    passphrase = os.environ.get("WORKBENCH_PASSPHRASE")
    offered = GivenCredentials(
        Path(key_file) if key_file else None, Secret.of_text(passphrase) if passphrase else None, first_key
    )
    return Unlocker(folder, KeyVault(folder, utc_now), offered, people, OsKeyring())


def data_dir(arguments: Namespace) -> Path:
    """Returns the data folder: from `--data-dir` or the environment, else the system's usual place."""
    given = getattr(arguments, "data_dir", None) or os.environ.get("WORKBENCH_DATA_DIR")
    if given:
        return Path(given)
    if sys.platform == "darwin":
        return home() / "Library" / "Application Support" / "Context Workbench"
    if sys.platform == "win32":
        return home() / "AppData" / "Roaming" / "Context Workbench"
    return home() / ".local" / "share" / "context-workbench"


def home() -> Path:
    """Returns the user's home folder; `NoHome` where the system knows none."""
    try:
        return Path.home()
    except RuntimeError:
        raise NoHome from None


def utc_now() -> str:
    """Returns the current time in UTC, to the second."""
    from datetime import UTC, datetime

    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def keyring_problem() -> str:
    """Says why the system's keyring cannot be used; empty where it can."""
    from workbench.storage.keys.keyring import OsKeyring

    return "" if OsKeyring().available() else tr("no backend that protects what it keeps")
