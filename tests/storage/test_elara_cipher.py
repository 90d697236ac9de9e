"""Elara's encryption, against an independent AES-GCM: what it wrote we open, what we write it opens."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from tests.architecture.source_tree import ROOT, imported_modules, modules, relative
from workbench.domain.errors import CannotOpen
from workbench.domain.secrets import Secret
from workbench.storage.elara_cipher import ElaraCipher

KEY = "replace-me-before-deployment"
PLAIN = '{"role":"User","content":"Grüße","timestampUtc":"2025-08-24T16:36:25.123Z"}'.encode()


def elara_seals(plain: bytes, key: str = KEY, iv: bytes = b"123456789012") -> dict[str, str]:
    """As its format is specified, by another interface of the library than the one under test."""
    cipher = Cipher(algorithms.AES(hashlib.sha256(key.encode()).digest()), modes.GCM(iv)).encryptor()
    ciphertext = cipher.update(plain) + cipher.finalize()
    parts = {"iv": iv, "ciphertext": ciphertext, "tag": cipher.tag}
    return {"alg": "AES-256-GCM", **{name: base64.b64encode(part).decode() for name, part in parts.items()}}


def elara_opens(envelope: bytes, key: str = KEY) -> bytes:
    fields = json.loads(envelope)
    iv, ciphertext, tag = (base64.b64decode(fields[name]) for name in ("Iv", "Content", "Tag"))
    cipher = Cipher(algorithms.AES(hashlib.sha256(key.encode()).digest()), modes.GCM(iv, tag)).decryptor()
    return cipher.update(ciphertext) + cipher.finalize()


def test_a_file_of_elara_is_opened():
    assert ElaraCipher(KEY).open(json.dumps(elara_seals(PLAIN)).encode()) == PLAIN
    assert (
        ElaraCipher(Secret.of_text("schlüssel")).open(json.dumps(elara_seals(PLAIN, "schlüssel")).encode())
        == PLAIN
    )


def test_elara_opens_what_we_seal():
    sealed = ElaraCipher(KEY).seal(PLAIN)
    assert elara_opens(sealed) == PLAIN
    assert list(json.loads(sealed)) == ["Alg", "Iv", "Content", "Tag"]


def test_no_iv_is_used_twice():
    cipher = ElaraCipher(KEY)
    ivs = {json.loads(cipher.seal(b""))["Iv"] for _ in range(200)}
    assert len(ivs) == 200


def test_names_of_fields_may_be_written_as_dotnet_does():
    fields = {name.capitalize(): value for name, value in elara_seals(PLAIN).items()}
    assert ElaraCipher(KEY).open(json.dumps(fields).encode()) == PLAIN


def flipped(field: str) -> dict[str, Any]:
    fields = elara_seals(PLAIN)
    content = bytearray(base64.b64decode(fields[field]))
    content[0] ^= 1
    return {**fields, field: base64.b64encode(content).decode()}


@pytest.mark.parametrize(
    "envelope",
    [
        elara_seals(PLAIN, "another key"),
        flipped("iv"),
        flipped("ciphertext"),
        flipped("tag"),
        {**elara_seals(PLAIN), "iv": ""},
        {**elara_seals(PLAIN), "iv": base64.b64encode(bytes(10**5)).decode()},
        {**elara_seals(PLAIN), "tag": "AAAA"},
        {**elara_seals(PLAIN), "ciphertext": "not base64!"},
        {**elara_seals(PLAIN), "ciphertext": 7},
        {"alg": "AES-256-GCM"},
        {"alg": "none"},
        [],
        None,
    ],
    ids=str,
)
def test_another_key_and_any_damage_have_one_named_error(envelope: Any):
    with pytest.raises(CannotOpen):
        ElaraCipher(KEY).open(json.dumps(envelope).encode())


@pytest.mark.parametrize("raw", [b"", b"{", b"\xff", b"[" * 100_000], ids=["empty", "cut", "no text", "deep"])
def test_what_is_no_json_cannot_be_opened(raw: bytes):
    with pytest.raises(CannotOpen):
        ElaraCipher(KEY).open(raw)


def test_the_key_is_not_shown():
    assert KEY not in repr(vars(ElaraCipher(KEY)))


def test_both_forms_are_opened_whatever_the_case_of_their_names():
    """Every file that Elara wrote since September 2025 was refused as damaged."""
    seed = elara_seals(PLAIN)
    newer = {"Alg": seed["alg"], "Iv": seed["iv"], "Content": seed["ciphertext"], "Tag": seed["tag"]}
    shouted = {name.upper(): value for name, value in newer.items()}
    for envelope in (seed, newer, shouted):
        assert ElaraCipher(KEY).open(json.dumps(envelope).encode()) == PLAIN


def test_its_quick_key_is_for_its_own_files_only():
    """A key that is one SHA-256 of a password can be guessed 150,000 times a second; no store of ours opens with it."""
    name = "workbench.storage.elara_cipher"
    users = [relative(path) for path in modules() if name in imported_modules(path)]
    assert users == ["workbench/wiring/folder.py"]
    text = (ROOT / users[0]).read_text(encoding="utf-8")
    assert text.count("ElaraCipher(") == 1
