"""A protector gives the data key to the right secret, and to nothing else."""

from __future__ import annotations

import unicodedata
from dataclasses import replace

import pytest

from tests.fakes.keys import BY_KEY_FILE, BY_PASSPHRASE, CHEAP, CREATED, DATABASE_ID, WORDS
from workbench.domain.errors import UnusableSecret, WrongSecret
from workbench.domain.secrets import PROTECTOR_KINDS, ProtectorKind, Secret, StoreIdentity
from workbench.storage.keys.protectors import (
    Argon2Cost,
    Credential,
    DataKey,
    Protector,
    passphrase,
    protect,
    reveal,
)

IDENTITY = StoreIdentity(DATABASE_ID, 1)
DATA_KEY = DataKey.make(IDENTITY)


def flips(value: bytes) -> list[bytes]:
    return [value[:place] + bytes([value[place] ^ 1]) + value[place + 1 :] for place in range(len(value))]


def test_the_shipped_cost_is_the_design_s():
    assert Argon2Cost() == Argon2Cost(memory_kib=64 * 1024, iterations=3, lanes=4)


def test_a_passphrase_is_stretched_with_the_shipped_cost():
    protector = protect(DATA_KEY, BY_PASSPHRASE, CREATED, Argon2Cost())
    assert protector.cost == Argon2Cost()
    assert reveal(protector, BY_PASSPHRASE, IDENTITY) == DATA_KEY
    with pytest.raises(WrongSecret):
        reveal(protector, passphrase(Secret.of_text("correct horse battery stapl")), IDENTITY)


@pytest.mark.parametrize("kind", PROTECTOR_KINDS)
def test_every_kind_gives_the_key_back(kind: ProtectorKind):
    credential = Credential(kind, Secret(b"s" * 32))
    protector = protect(DATA_KEY, credential, CREATED, CHEAP)
    assert (protector.kind, protector.created) == (kind, CREATED)
    assert (protector.cost is not None) == (kind == "passphrase")
    assert reveal(protector, credential, IDENTITY) == DATA_KEY


def test_the_same_secret_wraps_differently_every_time():
    one, other = (protect(DATA_KEY, BY_KEY_FILE, CREATED, CHEAP) for _ in range(2))
    assert one.salt != other.salt
    assert one.nonce != other.nonce
    assert one.wrapped != other.wrapped


@pytest.mark.parametrize("credential", [BY_PASSPHRASE, BY_KEY_FILE], ids=lambda each: each.kind)
def test_every_flipped_byte_is_refused(credential: Credential):
    protector = protect(DATA_KEY, credential, CREATED, CHEAP)
    forged: list[Protector] = [
        *(replace(protector, wrapped=value) for value in flips(protector.wrapped)),
        *(replace(protector, nonce=value) for value in flips(protector.nonce)),
        *(replace(protector, salt=value) for value in flips(protector.salt)),
    ]
    for each in forged:
        with pytest.raises(WrongSecret):
            reveal(each, credential, IDENTITY)


@pytest.mark.parametrize("identity", [StoreIdentity(DATABASE_ID, 2), StoreIdentity("f" * 32, 1)])
def test_another_database_or_generation_is_refused(identity: StoreIdentity):
    """KeePassium #130: a key of one generation with the file of another must not look right."""
    protector = protect(DATA_KEY, BY_KEY_FILE, CREATED, CHEAP)
    with pytest.raises(WrongSecret):
        reveal(protector, BY_KEY_FILE, identity)


def test_a_secret_of_another_kind_is_refused():
    protector = replace(protect(DATA_KEY, BY_KEY_FILE, CREATED, CHEAP), kind="recovery")
    with pytest.raises(WrongSecret):
        reveal(protector, Credential("recovery", BY_KEY_FILE.secret), IDENTITY)


def test_a_changed_cost_is_refused():
    protector = protect(DATA_KEY, BY_PASSPHRASE, CREATED, CHEAP)
    with pytest.raises(WrongSecret):
        reveal(replace(protector, cost=Argon2Cost(64, 1, 1)), BY_PASSPHRASE, IDENTITY)


def test_composed_and_decomposed_letters_are_the_same_passphrase():
    """macOS types ä as one character, other systems may as two; both must open the store."""
    spelled = [unicodedata.normalize(form, "Äpfel für Zoë") for form in ("NFC", "NFD")]
    assert spelled[0] != spelled[1]
    assert passphrase(Secret.of_text(spelled[0])) == passphrase(Secret.of_text(spelled[1]))


@pytest.mark.parametrize("text", ["", " ", "\n\t"])
def test_an_empty_passphrase_is_refused(text: str):
    with pytest.raises(UnusableSecret, match="empty"):
        passphrase(Secret.of_text(text))


def test_nothing_shows_a_key_or_a_secret():
    shown = repr((DATA_KEY, BY_PASSPHRASE, BY_KEY_FILE))
    assert DATA_KEY.key.reveal().hex() not in shown
    assert repr(DATA_KEY.key.reveal()) not in shown
    assert WORDS.reveal_text() not in shown


def test_two_keys_are_never_the_same():
    assert DataKey.make(IDENTITY) != DataKey.make(IDENTITY)
    assert len(DATA_KEY.key.reveal()) == 32
