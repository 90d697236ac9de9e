"""The data folder of a call: its settings, its history and what opens it."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.domain.errors import WorkbenchError

if TYPE_CHECKING:
    from workbench.domain.chat_line import ChatLine
    from workbench.domain.connection import NetworkSeen
    from workbench.domain.secrets import Secret
    from workbench.domain.settings.app_preferences import Preferences, SettingsProblem
    from workbench.net.connections import Connections
    from workbench.ports.folder import HistoryAccess, SealedFiles
    from workbench.ports.history import HistoryStore
    from workbench.ports.keys import KeyKeeper, ProviderKeys
    from workbench.ports.preferences import PreferencesStore
    from workbench.ports.workspaces import WorkspaceStore
    from workbench.storage.folder import DataFolder
    from workbench.storage.keys.protectors import DataKey
    from workbench.storage.keys.unlocking import Unlocker, UserPrompts
    from workbench.storage.scratch import ScratchHistory


SETTINGS_NAME = "settings.toml"


class NoHome(WorkbenchError):
    """Neither the call nor the system says where a person's files are."""

    def __init__(self) -> None:
        super().__init__(
            "This system knows no home folder for you, so there is no place for history and settings. "
            "Name one with --data-dir DIR or WORKBENCH_DATA_DIR."
        )


class ProgramFolder:
    """The data folder of one call, and what is set there; the settings are read once, when first needed."""

    def __init__(self, arguments: Namespace) -> None:
        self._arguments = arguments
        self._problems: tuple[SettingsProblem, ...] = ()
        self._found: tuple[SettingsProblem, ...] = ()
        self._preferences: Preferences | None = None
        self._loaded = False

    @cached_property
    def net(self) -> Connections:
        """What opens the connections of this run, by what is set."""
        from workbench.net.connections import Connections
        from workbench.sources.clock import MachineClock
        from workbench.wiring.network import net_rules

        return Connections(net_rules(self._preferences or self._begin()), MachineClock().utc_now)

    def network(self) -> NetworkSeen:
        """How this run connects, and what it has connected to."""
        return self.net.seen()

    @property
    def folder(self) -> Path:
        """Where everything is kept."""
        return data_dir(self._arguments)

    def preferences(self) -> Preferences:
        """What was set for the whole program; what is wrong with it is told once."""
        if self._preferences is None:
            from workbench.cli.terminal import tell

            self._begin()
            for problem in self._problems:
                tell(f"workbench: {problem}")
        return self._preferences or self._begin()

    def problems(self) -> tuple[SettingsProblem, ...]:
        """What is wrong with the settings; whoever asks for it shows it."""
        if self._preferences is None:
            self._begin()
        return self._problems

    @property
    def found(self) -> tuple[SettingsProblem, ...]:
        """What was wrong when they were last read, whether they hold already or not."""
        return self._found

    def check_sending(self) -> None:
        """`SendingOff` while the settings may mean something else than what was read: the gate of all that sends."""
        problems = self.problems()
        if problems:
            from workbench.domain.settings.app_preferences import check_sending

            check_sending(problems)

    def glance(self) -> None:
        """Tell where the settings are not even TOML, for commands that do without them: checking all takes longer."""
        if self._preferences is None and self.has_settings() and not _is_toml(self.folder / SETTINGS_NAME):
            self.preferences()

    def has_settings(self) -> bool:
        """Whether something was set, as far as can be seen."""
        return not _is_missing(self.folder / SETTINGS_NAME)

    def prefer(self, preferences: Preferences) -> None:
        """Go by these from now on; they are kept already."""
        self._preferences, self._problems = preferences, self._found
        if "net" in vars(self):
            from workbench.wiring.network import net_rules

            self.net.rules = net_rules(preferences)

    def read_again(self) -> Preferences:
        """The settings as they are now; they hold once they are preferred.

        Until then what was wrong before stands in the way as well: the old addresses are still in use.
        """
        loaded = self._load()
        self._problems = (*self._problems, *self._found)
        return loaded

    def save(self, preferences: Preferences) -> None:
        """Keep these; what differs from what was read is written, so it is read where nobody has.

        Where something was wrong, that stands until the file is read again: these do not know what it says by now.
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
    """Certainly not there; what cannot be seen may be."""
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
    """The keys of the folder; `people` are there in a window."""
    from workbench.storage.folder import DataFolder
    from workbench.storage.keys.keeper import FolderKeyKeeper

    there = people or at_terminal(asking=True)
    return FolderKeyKeeper(_unlocker(arguments, DataFolder(data_dir(arguments)), there))


def has_keys(arguments: Namespace) -> bool:
    """Whether there is a store, or the beginnings of one; nothing is made."""
    from workbench.storage.folder import DataFolder
    from workbench.storage.keys.vault import KeyVault

    return KeyVault(DataFolder(data_dir(arguments)), utc_now).keys.exists()


async def keep_scratch(
    arguments: Namespace, scratch: ScratchHistory, store: HistoryStore, people: UserPrompts
) -> None:
    """Make the history of the folder of one that would be gone, which goes on as this one."""
    from workbench.storage.folder import DataFolder
    from workbench.storage.history import SqlCipherHistory
    from workbench.storage.opening import HistoryFolder

    if not isinstance(store, SqlCipherHistory):
        raise TypeError("only a file can become another")
    folder = DataFolder(data_dir(arguments))
    access = HistoryFolder(lambda of: _unlocker(arguments, of, people, scratch.data_key), folder, utc_now)
    await access.keep(scratch, store)


def history(arguments: Namespace, *, asking: bool = True, people: UserPrompts | None = None) -> HistoryAccess:
    """The history of the folder; without `asking` nobody is asked for a secret. `people` are there in a window."""
    from workbench.storage.folder import DataFolder
    from workbench.storage.opening import HistoryFolder

    folder = DataFolder(data_dir(arguments))
    there = people or at_terminal(asking)
    return HistoryFolder(lambda of: _unlocker(arguments, of, there), folder, utc_now)


def list_chats(arguments: Namespace) -> tuple[ChatLine, ...]:
    """All chats as a list shows them; nothing else of the history is loaded."""
    from workbench.storage.folder import DataFolder
    from workbench.storage.listing import list_chats as listed

    return listed(_unlocker(arguments, DataFolder(data_dir(arguments)), at_terminal(asking=True)), utc_now)


def provider_keys(store: HistoryStore) -> ProviderKeys:
    """The keys of providers, as an open history knows them."""
    from workbench.storage.history import SqlCipherHistory
    from workbench.storage.keys.keyring import OsKeyring
    from workbench.storage.provider_keys import StoreProviderKeys

    if not isinstance(store, SqlCipherHistory):
        raise TypeError("keys are kept beside the history, in its encrypted file")
    return StoreProviderKeys(store, OsKeyring())


def workspace_store(store: HistoryStore) -> WorkspaceStore:
    """The workspaces, as an open history keeps them."""
    from workbench.storage.history import SqlCipherHistory
    from workbench.storage.workspaces import StoreWorkspaces

    if not isinstance(store, SqlCipherHistory):
        raise TypeError("workspaces are kept beside the history, in its encrypted file")
    return StoreWorkspaces(store)


def scratch() -> ScratchHistory:
    """A history of one's own that is gone afterwards."""
    from workbench.storage.scratch import ScratchHistory

    return ScratchHistory()


def elara(key: Secret) -> SealedFiles:
    """The encryption of Elara's files."""
    from workbench.storage.elara_cipher import ElaraCipher

    return ElaraCipher(key)


def new_id() -> str:
    """An id nobody has."""
    from uuid import uuid4

    return uuid4().hex


def at_terminal(asking: bool) -> UserPrompts:
    """Whoever sits at the terminal, if somebody does and may be asked."""
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
    """Where history and keys live: as asked for, else where this system keeps a program's data."""
    given = getattr(arguments, "data_dir", None) or os.environ.get("WORKBENCH_DATA_DIR")
    if given:
        return Path(given)
    if sys.platform == "darwin":
        return home() / "Library" / "Application Support" / "Context Workbench"
    if sys.platform == "win32":
        return home() / "AppData" / "Roaming" / "Context Workbench"
    return home() / ".local" / "share" / "context-workbench"


def home() -> Path:
    """A person's own folder; `NoHome` where the system knows none."""
    try:
        return Path.home()
    except RuntimeError:
        raise NoHome from None


def utc_now() -> str:
    """The time of day as it is written down."""
    from datetime import UTC, datetime

    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def keyring_problem() -> str:
    """Why the system's keyring is of no use; empty where it is."""
    from workbench.storage.keys.keyring import OsKeyring

    return "" if OsKeyring().available() else "no backend that protects what it keeps"
