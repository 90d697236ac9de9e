"""Real encrypted stores for tests, opened with a raw key so that no test waits for Argon2id."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from workbench.domain.message import Message
from workbench.domain.record import Chat, Record
from workbench.domain.secrets import Secret, StoreIdentity
from workbench.storage.database.cipher import create_encrypted, open_encrypted
from workbench.storage.database.database import Database
from workbench.storage.database.migrations import MIGRATIONS, Migration, migrate
from workbench.storage.history import SqlCipherHistory

RAW_KEY = Secret(bytes(range(32)))
IDENTITY = StoreIdentity("0123456789abcdef", 1)
WHEN = "2026-01-01T12:00:00Z"
_PAGE_BYTES = 4096


def connect(path: Path, synchronous: str = "FULL") -> Any:
    """A connection as the program opens it; another `synchronous` only to show what it would cost."""
    connection: Any = open_encrypted(path, RAW_KEY, IDENTITY)
    connection.execute(f"PRAGMA synchronous = {synchronous}")
    return connection


def open_store(
    path: Path, steps: Sequence[Migration] = MIGRATIONS, synchronous: str = "FULL"
) -> SqlCipherHistory:
    """The history in this file, made if there is none."""
    if not path.exists():
        create_encrypted(path, RAW_KEY, IDENTITY)
    thread = ThreadPoolExecutor(max_workers=1)
    database = Database(lambda: connect(path, synchronous))
    thread.submit(migrate, database, lambda version: None, steps).result()
    return SqlCipherHistory(database, thread, lambda: None)


def decrypted_pages(path: Path) -> bytes:
    """Every page of the file as the key brings it back, those too that nothing uses any more."""
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    content, plain = path.read_bytes(), b""
    for start in range(0, len(content), _PAGE_BYTES):
        page = content[start : start + _PAGE_BYTES]
        # Before the first page stands a salt, after each the vector it was encrypted with and its checksum.
        vector, sealed = page[-80:-64], page[16 if start == 0 else 0 : -80]
        plain += Cipher(algorithms.AES(RAW_KEY.reveal()), modes.CBC(vector)).decryptor().update(sealed)
    return plain


def chat(key: str = "c", title: str = "") -> Chat:
    """A chat of that id."""
    return Chat(key, WHEN, title)


def said(key: str, text: str, parent: str | None = None, role: str = "user") -> Record:
    """A finished message in the chat `c`."""
    return Record("c", Message(key, role, (text,)), WHEN, parent)  # type: ignore[arg-type]
