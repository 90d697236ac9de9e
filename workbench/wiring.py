"""The only file that names concrete adapters: here the parts are put together."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from workbench.cli.parts import Parts
from workbench.cli.terminal import find_terminal, tell
from workbench.context.chunk_renderers import RendererRegistry
from workbench.domain.secret import Secret
from workbench.engine.counters import Counters
from workbench.engine.turn import Builder
from workbench.ports import HistoryAccess, KeyKeeper, Scratch, SealedFiles
from workbench.providers.catalogue import load_catalogue
from workbench.providers.tiktoken_tokenizer import TiktokenTokenizer
from workbench.sources.clock import MachineClock
from workbench.sources.renderer_plugins import installed_renderers
from workbench.sources.resources import resource_path

if TYPE_CHECKING:
    from workbench.storage.folder import DataFolder
    from workbench.storage.unlocking import Unlocker


def command_parts(arguments: Namespace) -> Parts:
    """What the commands work with."""
    return Parts(
        builder=_builder(),
        keys=lambda: _keys(arguments),
        history=lambda: _history(arguments),
        scratch=_scratch,
        elara=_elara,
        utc_now=_utc_now,
        new_id=_new_id,
    )


def _builder() -> Builder:
    encodings = resource_path("encodings")
    found = installed_renderers()
    for problem in found.problems:
        tell(f"workbench: {problem}")
    return Builder(
        catalogue=load_catalogue(resource_path("models.toml")),
        counters=Counters(lambda name: TiktokenTokenizer(name, encodings)),
        clock=MachineClock(),
        renderers=RendererRegistry(found.renderers),
    )


def _keys(arguments: Namespace) -> KeyKeeper:
    from workbench.storage.folder import DataFolder
    from workbench.storage.key_keeper import FolderKeyKeeper

    return FolderKeyKeeper(_unlocker(arguments, DataFolder(_data_dir(arguments))))


def _history(arguments: Namespace) -> HistoryAccess:
    from workbench.storage.folder import DataFolder
    from workbench.storage.opening import HistoryFolder

    folder = DataFolder(_data_dir(arguments))
    return HistoryFolder(lambda of: _unlocker(arguments, of), folder, _utc_now)


def _scratch() -> Scratch:
    from workbench.storage.scratch import ScratchHistory

    return ScratchHistory()


def _elara(key: Secret) -> SealedFiles:
    from workbench.storage.elara_cipher import ElaraCipher

    return ElaraCipher(key)


def _new_id() -> str:
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
    return Unlocker(folder, KeyVault(folder, _utc_now), offered, People(find_terminal(), tell), OsKeyring())


def _data_dir(arguments: Namespace) -> Path:
    """Where history and keys live: as asked for, else where this system keeps a program's data."""
    given = getattr(arguments, "data_dir", None) or os.environ.get("WORKBENCH_DATA_DIR")
    if given:
        return Path(given)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "Context Workbench"
    if sys.platform == "win32":
        return Path.home() / "AppData" / "Roaming" / "Context Workbench"
    return Path.home() / ".local" / "share" / "context-workbench"


def _utc_now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
