"""A key file that is not exactly as written is refused, whatever is wrong with it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.key_records import GENERATION, RECORD
from workbench.storage.keys.file import (
    MOST_BYTES,
    FromTheFuture,
    Unreadable,
    digest_of,
    read_record,
    write_record,
)

WRITTEN = write_record(replace(RECORD, pending=replace(GENERATION, number=2)))
Change = Callable[[dict[str, Any]], object]


def rewritten(change: Change) -> bytes:
    """The file with a change by somebody who also corrects the digest."""
    fields = json.loads(WRITTEN)
    del fields["digest"]
    change(fields)
    return json.dumps({**fields, "digest": digest_of(fields)}).encode()


def first_protector(fields: dict[str, Any]) -> Any:
    return fields["current"]["protectors"][0]


def test_every_shortened_file_is_refused():
    for length in range(len(WRITTEN) - 2):
        with pytest.raises(Unreadable):
            read_record(WRITTEN[:length])


def test_every_flipped_byte_is_noticed():
    """Without the digest, damage in a wrapped key would look like a forgotten passphrase."""
    unchanged = 0
    for place in range(len(WRITTEN)):
        flipped = WRITTEN[:place] + bytes([WRITTEN[place] ^ 1]) + WRITTEN[place + 1 :]
        try:
            read_record(flipped)
        except (Unreadable, FromTheFuture):
            continue
        unchanged += 1
    assert unchanged == 0


@given(st.binary(max_size=200))
def test_any_bytes_are_refused_and_nothing_worse(content: bytes):
    with pytest.raises(Unreadable):
        read_record(content)


@pytest.mark.parametrize(
    "content",
    [
        b"{}",
        b"[]",
        b"null",
        b'"workbench-keys/1"',
        b'{"format": "other/1"}',
        b'{"format": 1}',
        b"[" * 100_000,
    ],
    ids=range(7),
)
def test_foreign_json_is_refused(content: bytes):
    with pytest.raises(Unreadable):
        read_record(content)


def test_too_long_is_refused():
    with pytest.raises(Unreadable, match="too long"):
        read_record(WRITTEN + b" " * MOST_BYTES)


@pytest.mark.parametrize("version", ["workbench-keys/2", "workbench-keys/10"])
def test_a_later_version_is_told_apart_from_damage(version: str):
    with pytest.raises(FromTheFuture, match=version):
        read_record(rewritten(lambda fields: fields.update(format=version, anything="new")))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda fields: fields.update(extra=1), "unknown"),
        (lambda fields: fields.pop("created"), "missing"),
        (lambda fields: fields.update(database_id="x"), "database_id"),
        (lambda fields: fields.update(database_id=7), "wrong type"),
        (lambda fields: fields.update(store_made=1), "wrong type"),
        (lambda fields: fields.update(current=None), "objects"),
        (lambda fields: fields["pending"].update(generation=3), "follow"),
        (lambda fields: fields["current"].update(generation=0), "out of bounds"),
        (lambda fields: fields["current"].update(generation=True), "out of bounds"),
        (lambda fields: fields["current"].update(protectors={}), "not a list"),
        (lambda fields: fields["current"]["protectors"].pop(), "fewer than two"),
        (lambda fields: fields["current"]["protectors"].append(first_protector(fields)), "same kind"),
        (lambda fields: first_protector(fields).update(kind="none"), "unknown kind"),
        (lambda fields: first_protector(fields).update(argon2id=None), "Argon2id"),
        (lambda fields: first_protector(fields)["argon2id"].update(memory_kib=2**40), "out of bounds"),
        (lambda fields: first_protector(fields)["argon2id"].update(memory_kib=7), "too small"),
        (lambda fields: first_protector(fields)["argon2id"].update(iterations=0), "out of bounds"),
        (lambda fields: first_protector(fields)["argon2id"].update(lanes=10**6), "out of bounds"),
        (lambda fields: first_protector(fields).update(wrapped="AAAA"), "wrong length"),
        (lambda fields: first_protector(fields).update(wrapped="!" * 64), "base64"),
        (lambda fields: first_protector(fields).update(nonce=1), "wrong type"),
    ],
)
def test_a_forged_field_is_refused_though_the_digest_fits(change: Change, reason: str):
    with pytest.raises(Unreadable, match=reason):
        read_record(rewritten(change))


def test_a_field_given_twice_is_refused():
    with pytest.raises(Unreadable, match="JSON"):
        read_record(WRITTEN.replace(b'"store_made"', b'"store_made": false, "store_made"', 1))
