"""Protectors: each wraps the data key under one secret, so that any of the secrets opens the store."""

from __future__ import annotations

import base64
import binascii
import json
import secrets
import string
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from workbench.domain.errors import UnusableSecret, WrongSecret
from workbench.domain.secrets import ProtectorKind, Secret, StoreIdentity
from workbench.domain.translation import tr
from workbench.storage.memory import secret_of

FORMAT = "workbench-keys/1"
KEY_BYTES = 32
SALT_BYTES = 16
NONCE_BYTES = 12
WRAPPED_BYTES = KEY_BYTES + 16
NAMES: dict[ProtectorKind, str] = {
    "passphrase": tr("The passphrase"),
    "key_file": tr("The key file"),
    "keyring": tr("The key in the system's keyring"),
    "recovery": tr("The recovery code"),
}


@dataclass(frozen=True, slots=True)
class Argon2Cost:
    """Cost of guessing a passphrase; the defaults are RFC 9106's for 64 MiB."""

    memory_kib: int = 64 * 1024
    iterations: int = 3
    lanes: int = 4


@dataclass(frozen=True, slots=True)
class Credential:
    """A secret, and the kind of protector it opens."""

    kind: ProtectorKind
    secret: Secret


@dataclass(frozen=True, slots=True)
class Protector:
    """The data key, wrapped under one secret.

    Attributes:
        cost: what deriving from a passphrase costs; None for secrets that are random themselves.
    """

    kind: ProtectorKind
    created: str
    cost: Argon2Cost | None
    salt: bytes
    nonce: bytes
    wrapped: bytes


@dataclass(frozen=True, slots=True)
class DataKey:
    """The key of the database, and the database's identity."""

    key: Secret
    identity: StoreIdentity

    @classmethod
    def make(cls, identity: StoreIdentity) -> DataKey:
        """A new random key."""
        return cls(secret_of(secrets.token_bytes(KEY_BYTES)), identity)


def passphrase(text: Secret) -> Credential:
    """The credential of a typed passphrase, normalised so that it gives the same bytes on every system."""
    normal = unicodedata.normalize("NFC", text.reveal_text())
    if not normal.strip():
        raise UnusableSecret(tr("The passphrase is empty."), tr("Give one of several words."))
    return Credential("passphrase", Secret.of_text(normal))


def protect(data_key: DataKey, credential: Credential, created: str, cost: Argon2Cost) -> Protector:
    """Wrap the data key under the credential, with a fresh salt and nonce."""
    salt, nonce = secrets.token_bytes(SALT_BYTES), secrets.token_bytes(NONCE_BYTES)
    used_cost = cost if credential.kind == "passphrase" else None
    bare = Protector(credential.kind, created, used_cost, salt, nonce, b"")
    cipher = AESGCM(_wrapping_key(bare, credential.secret).view())
    wrapped = cipher.encrypt(nonce, data_key.key.view(), _context(bare, data_key.identity))
    return Protector(credential.kind, created, used_cost, salt, nonce, wrapped)


def reveal(protector: Protector, credential: Credential, identity: StoreIdentity) -> DataKey:
    """Unwrap the data key; a wrong secret, a changed byte and another store's key are all refused."""
    cipher = AESGCM(_wrapping_key(protector, credential.secret).view())
    try:
        key = secret_of(cipher.decrypt(protector.nonce, protector.wrapped, _context(protector, identity)))
    except InvalidTag:
        raise WrongSecret(NAMES[credential.kind]) from None
    return DataKey(key, identity)


def _wrapping_key(protector: Protector, secret: Secret) -> Secret:
    if protector.cost is None:
        info = f"{FORMAT} {protector.kind}".encode()
        return secret_of(HKDF(SHA256(), KEY_BYTES, protector.salt, info).derive(secret.view()))
    cost = protector.cost
    argon2 = Argon2id(
        salt=protector.salt,
        length=KEY_BYTES,
        iterations=cost.iterations,
        lanes=cost.lanes,
        memory_cost=cost.memory_kib,
    )
    return secret_of(argon2.derive(secret.view()))  # type: ignore[arg-type]  # takes any bytes, as HKDF does


def _context(protector: Protector, identity: StoreIdentity) -> bytes:
    cost = protector.cost
    costs = [cost.memory_kib, cost.iterations, cost.lanes] if cost else None
    return json.dumps([FORMAT, identity.database_id, identity.generation, protector.kind, costs]).encode()


LEAST_BYTES = 32
MOST_RAW_BYTES = 64 * 1024
# 32 random bytes with fewer different values do not occur by chance.
LEAST_DIFFERENT = 16
_TEXT = frozenset(string.printable.encode())
_ADVICE = tr("Make one with `openssl rand -out FILE 32`, and keep a copy where the store is not.")


def read_key_file(path: Path) -> Secret:
    """The random bytes in the file; a file of words, or of one byte repeated, is refused."""
    try:
        with open(path, "rb") as stream:
            content = stream.read(MOST_RAW_BYTES + 1)
    except OSError as problem:
        reason = problem.strerror or type(problem).__name__
        raise UnusableSecret(
            tr("The key file {path} cannot be read: {reason}.", path=path, reason=reason), _ADVICE
        ) from None
    if len(content) > MOST_RAW_BYTES:
        raise UnusableSecret(
            tr(
                "The key file {path} is longer than {most_raw_bytes} bytes.",
                path=path,
                most_raw_bytes=MOST_RAW_BYTES,
            ),
            _ADVICE,
        )
    return Secret(_checked(path, _decoded(path, content)))


def _decoded(path: Path, content: bytes) -> bytes:
    if not set(content) <= _TEXT:
        return content
    # Only line ends are left out: with the spaces removed, a sentence would be valid base64.
    text = b"".join(content.strip().splitlines())
    if len(text) % 2 == 0 and set(text) <= set(string.hexdigits.encode()):
        return bytes.fromhex(text.decode())
    try:
        return _from_base64(text)
    except binascii.Error:
        # Words would be a weak key: a key file is not stretched as a passphrase is.
        raise UnusableSecret(
            tr("The key file {path} holds text, not random bytes.", path=path), _ADVICE
        ) from None


def _from_base64(text: bytes) -> bytes:
    if text in (text.lower(), text.upper()):
        raise binascii.Error(tr("random bytes give letters of both cases; this is a word"))
    altchars = b"-_" if set(text) & set(b"-_") else b"+/"
    return base64.b64decode(text + b"=" * (-len(text) % 4), altchars=altchars, validate=True)


def _checked(path: Path, material: bytes) -> bytes:
    if len(material) < LEAST_BYTES:
        raise UnusableSecret(
            tr(
                "The key file {path} holds fewer than {least_bytes} bytes.",
                path=path,
                least_bytes=LEAST_BYTES,
            ),
            _ADVICE,
        )
    if len(set(material)) < LEAST_DIFFERENT:
        raise UnusableSecret(tr("The key file {path} is not random.", path=path), _ADVICE)
    return material
