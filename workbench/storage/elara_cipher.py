"""The encryption of Elara's files: for importing and exporting them only, never for our own store."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import os
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from workbench.domain.errors import CannotOpen
from workbench.domain.secrets import Secret
from workbench.domain.translation import tr

ALGORITHM = "AES-256-GCM"
IV_BYTES = 12
TAG_BYTES = 16


class ElaraCipher:
    """AES-256-GCM under the SHA-256 of a configured text → SealedFiles.

    One guess costs one hash, so a short text protects little; that is Elara's rule, and it cannot be changed here.
    """

    def __init__(self, key_text: Secret | str) -> None:
        secret = Secret.of_text(key_text) if isinstance(key_text, str) else key_text
        self._cipher = AESGCM(hashlib.sha256(secret.reveal()).digest())

    def seal(self, plain: bytes) -> bytes:
        """Encrypt these bytes into an envelope, with a new iv and the field names of September 2025."""
        iv = os.urandom(IV_BYTES)
        sealed = self._cipher.encrypt(iv, plain, None)
        envelope = {
            "Alg": ALGORITHM,
            "Iv": _encode(iv),
            "Content": _encode(sealed[:-TAG_BYTES]),
            "Tag": _encode(sealed[-TAG_BYTES:]),
        }
        return json.dumps(envelope).encode("ascii")

    def open(self, envelope: bytes) -> bytes:
        """Decrypt an envelope; raises `CannotOpen` if the key is wrong or the file damaged."""
        fields = _fields(envelope)
        # The older name for it, and the one since September 2025.
        fields.setdefault("ciphertext", fields.get("content"))
        iv, ciphertext, tag = (_bytes(fields, name) for name in ("iv", "ciphertext", "tag"))
        if len(iv) != IV_BYTES or len(tag) != TAG_BYTES:
            raise CannotOpen(tr("it is damaged: its iv or its tag has the wrong length"))
        try:
            return self._cipher.decrypt(iv, ciphertext + tag, None)
        except InvalidTag:
            raise CannotOpen(tr("it is encrypted with another key, or damaged")) from None


def _fields(envelope: bytes) -> dict[str, Any]:
    try:
        document = json.loads(envelope)
    except (ValueError, RecursionError):
        raise CannotOpen(tr("it is damaged: no JSON")) from None
    if not isinstance(document, dict):
        raise CannotOpen(tr("it is damaged: no JSON object"))
    fields = {str(name).lower(): value for name, value in document.items()}
    if fields.get("alg") != ALGORITHM:
        raise CannotOpen(tr("it is not encrypted with {algorithm}", algorithm=ALGORITHM))
    return fields


def _bytes(fields: dict[str, Any], name: str) -> bytes:
    given = fields.get(name)
    try:
        if isinstance(given, str):
            return base64.b64decode(given, validate=True)
    except (binascii.Error, ValueError):
        pass
    raise CannotOpen(tr("it is damaged: its {name} is not base64", name=name))


def _encode(content: bytes) -> str:
    return base64.b64encode(content).decode("ascii")
