"""A secret does not show itself by accident."""

from __future__ import annotations

import copy
import dataclasses
import json
import logging

import pytest

from workbench.domain.secrets import (
    KEY_NAME,
    KEY_VALUE,
    PROTECTOR_KINDS,
    SECRET_KINDS,
    FoundSecret,
    KeyStatus,
    ProtectorStatus,
    Secret,
    StoreIdentity,
)

CANARY = "canary-7f3a"
SECRET = Secret.of_text(CANARY)


@pytest.mark.parametrize(
    "shown",
    [repr(SECRET), str(SECRET), f"{SECRET}", f"{SECRET!r}", repr([SECRET]), repr({"k": SECRET})],
)
def test_no_way_of_printing_shows_it(shown: str):
    assert CANARY not in shown
    assert "Secret(…)" in shown


def test_an_exception_and_a_log_line_do_not_show_it(caplog: pytest.LogCaptureFixture):
    logging.getLogger("test").warning("got %s", SECRET)
    assert CANARY not in caplog.text
    assert CANARY not in repr(ValueError(SECRET))


def test_it_is_shown_when_asked_by_name():
    assert SECRET.reveal() == CANARY.encode()
    assert SECRET.reveal_text() == CANARY


def test_it_is_not_written_out():
    with pytest.raises(TypeError):
        copy.deepcopy(SECRET)
    with pytest.raises(TypeError):
        json.dumps(SECRET)
    assert not hasattr(SECRET, "__dict__")


def test_equal_bytes_are_equal_and_nothing_else_is():
    assert Secret(b"a") == Secret(b"a")
    assert Secret(b"a") != Secret(b"b")
    assert Secret(b"a") != b"a"
    with pytest.raises(TypeError):
        hash(SECRET)


def test_only_the_empty_one_is_false():
    assert not Secret(b"")
    assert Secret(b"\0")


def test_text_that_is_no_unicode_survives():
    """A file name or variable may hold bytes that are no UTF-8; they arrive as lone surrogates."""
    assert Secret.of_text("a\udcffb").reveal_text() == "a\udcffb"


# A key is known by its name or by how it begins; ordinary words are not.


@pytest.mark.parametrize("name", ["OPENAI_API_KEY", "apikey", "db.password", "access-token"])
def test_a_key_is_known_by_its_name(name: str):
    assert KEY_NAME.search(name)


@pytest.mark.parametrize("name", ["keyboard", "tokens_used", "author"])
def test_other_names_are_no_keys(name: str):
    assert not KEY_NAME.search(name)


def test_a_key_is_known_by_how_it_begins():
    assert KEY_VALUE.search("sk-proj-1234567890")
    assert KEY_VALUE.search("postgres://user:secret@host/db")
    assert not KEY_VALUE.search("sk-is-a-prefix-of-words")


# What is said about a secret: its kind in words, and never a part of it.


def test_every_kind_has_words_and_a_replacement_that_fits_into_json():
    for kind in SECRET_KINDS:
        found = FoundSecret(kind, 1, 0, 9)
        assert found.words.partition(" ")[0] in ("a", "an")
        assert not set(found.replacement) & set("\"'\\`\n")


def test_the_replacement_says_what_was_there():
    assert FoundSecret("github", 3, 0, 40).replacement == "[GitHub key was here]"


# What is known about keys without knowing one.


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
