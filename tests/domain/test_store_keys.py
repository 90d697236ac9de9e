"""What is known about keys without knowing one."""

from __future__ import annotations

import dataclasses

import pytest

from workbench.domain.secrets import PROTECTOR_KINDS, KeyStatus, ProtectorStatus, StoreIdentity


def test_the_kinds_are_those_of_the_key_file():
    assert PROTECTOR_KINDS == ("passphrase", "key_file", "keyring", "recovery")


def test_an_identity_is_the_database_and_the_generation_of_its_key():
    assert StoreIdentity("a", 1) == StoreIdentity("a", 1)
    assert StoreIdentity("a", 1) != StoreIdentity("a", 2)
    assert StoreIdentity("a", 1) != StoreIdentity("b", 1)


def test_a_status_cannot_be_changed():
    status = KeyStatus(
        StoreIdentity("a", 1), "then", "now", (ProtectorStatus("recovery", "then"),), rotating=False
    )
    with pytest.raises(dataclasses.FrozenInstanceError):
        status.rotating = True  # type: ignore[misc]
