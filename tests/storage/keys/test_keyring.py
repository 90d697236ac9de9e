"""Of all keyrings only those are used that protect what they keep."""

from __future__ import annotations

from typing import Any

import pytest
from keyring.backend import KeyringBackend
from keyring.backends.chainer import ChainerBackend
from keyring.backends.fail import Keyring as FailKeyring
from keyring.backends.null import Keyring as NullKeyring

from tests.fakes.keys import DATABASE_ID, KeptInMemory, NoService
from workbench.domain.errors import KeyringUnusable
from workbench.domain.secrets import Secret
from workbench.storage.keys.keyring import ALLOWED, SERVICE, Backend, OsKeyring, name_of, viable_backends


class PlaintextKeyring(KeptInMemory):
    """What the package keyrings.alt brings: a file anyone can read."""


PlaintextKeyring.__module__ = "keyrings.alt.file"


class Forgetful(KeptInMemory):
    """Takes everything and keeps nothing."""

    def set_password(self, service: str, username: str, password: str) -> None:
        """Forget at once."""


class Locked(KeptInMemory):
    """A keyring whose service refuses, quoting what it was given."""

    def get_password(self, service: str, username: str) -> str | None:
        """Refuse."""
        raise RuntimeError("locked")

    def set_password(self, service: str, username: str, password: str) -> None:
        """Refuse, and give the secret away."""
        raise RuntimeError(f"cannot keep {password}")


def made(kind: Any) -> Backend:
    """An instance; the package's classes have no types of their own."""
    backend: Backend = kind()
    return backend


for disguised in (Forgetful, Locked):
    disguised.__module__, disguised.__qualname__ = "keyring.backends.macOS", "Keyring"


def test_what_is_kept_is_found_again_for_this_database_only():
    backend = KeptInMemory()
    keyring = OsKeyring(backend)
    assert keyring.find(DATABASE_ID) is None
    credential = keyring.make(DATABASE_ID)
    assert (credential.kind, len(credential.secret.reveal())) == ("keyring", 32)
    assert keyring.find(DATABASE_ID) == credential
    assert keyring.find("f" * 32) is None
    assert list(backend.kept) == [(SERVICE, DATABASE_ID)]
    keyring.forget(DATABASE_ID)
    assert backend.kept == {}


def test_other_secrets_are_kept_by_name():
    backend = KeptInMemory()
    keyring = OsKeyring(backend)
    assert keyring.find_text("a key") is None
    keyring.keep_text("a key", Secret.of_text("sk-é"))
    assert keyring.find_text("a key") == Secret.of_text("sk-é")
    keyring.forget("a key")
    assert backend.kept == {}


def test_another_secret_is_refused_as_a_key_would_be():
    with pytest.raises(KeyringUnusable, match="give back"):
        OsKeyring(Forgetful()).keep_text("a key", Secret.of_text("sk"))
    with pytest.raises(KeyringUnusable, match="failed") as refusal:
        OsKeyring(Locked()).keep_text("a key", Secret.of_text("canary"))
    assert "canary" not in str(refusal.value)
    for unusable in (Locked(), NoService(), PlaintextKeyring()):
        with pytest.raises(KeyringUnusable):
            OsKeyring(unusable).find_text("a key")


@pytest.mark.parametrize(
    ("backend", "name"),
    [
        (PlaintextKeyring(), "keyrings.alt.file.PlaintextKeyring"),
        (made(FailKeyring), "keyring.backends.fail.Keyring"),
        (made(NullKeyring), "keyring.backends.null.Keyring"),
        (made(ChainerBackend), "keyring.backends.chainer.ChainerBackend"),
        (NoService(), "tests.fakes.keys.NoService"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_any_other_backend_is_refused_by_name(backend: Backend, name: str):
    keyring = OsKeyring(backend)
    assert not keyring.available()
    with pytest.raises(KeyringUnusable, match=name.replace(".", r"\.")):
        keyring.make(DATABASE_ID)
    assert keyring.find(DATABASE_ID) is None


def test_a_keyring_that_forgets_is_refused():
    with pytest.raises(KeyringUnusable, match="give back"):
        OsKeyring(Forgetful()).make(DATABASE_ID)


def test_a_keyring_that_refuses_gives_nothing_away():
    keyring = OsKeyring(Locked())
    assert keyring.find(DATABASE_ID) is None
    with pytest.raises(KeyringUnusable, match="failed") as refusal:
        keyring.make(DATABASE_ID)
    assert refusal.value.__cause__ is None
    assert "cannot keep" not in str(refusal.value)


def test_rubbish_in_the_keyring_opens_nothing():
    backend = KeptInMemory()
    backend.set_password(SERVICE, DATABASE_ID, "not hexadecimal")
    assert OsKeyring(backend).find(DATABASE_ID) is None


def test_the_machine_s_backends_are_allowed_ones():
    """Here there is usually none; where there is one it must be on the list."""
    found = list(viable_backends())
    assert all(isinstance(backend, KeyringBackend) and name_of(backend) in ALLOWED for backend in found)
    assert OsKeyring().available() == bool(found)


@pytest.mark.parametrize("name", ALLOWED)
def test_every_name_on_the_list_exists_in_the_package(name: str):
    """A name misspelt or moved would silently mean: no keyring."""
    from importlib import import_module

    module, _, class_name = name.rpartition(".")
    assert issubclass(getattr(import_module(module), class_name), KeyringBackend)
