"""The record of keys: at least two protectors, each kind once, written so that it reads back the same."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.fakes.key_records import GENERATION, PASSPHRASE, RECORD, RECOVERY
from tests.fakes.keys import CREATED, DATABASE_ID
from workbench.domain.errors import TooFewProtectors
from workbench.domain.secrets import ProtectorStatus, StoreIdentity
from workbench.storage.keys.file import Generation, KeyRecord, digest_of, read_record, write_record
from workbench.storage.keys.protectors import Protector


@pytest.mark.parametrize("protectors", [(), (PASSPHRASE,), (PASSPHRASE, PASSPHRASE)])
def test_fewer_than_two_protectors_are_refused(protectors: tuple[Protector, ...]):
    """Signal #6970: a lost keyring as the only protector was the end of a history."""
    with pytest.raises(TooFewProtectors):
        Generation(1, CREATED, protectors)


def test_a_protector_is_added_replaced_and_removed():
    three = GENERATION.with_protector(RECOVERY)
    assert [each.kind for each in three.protectors] == ["passphrase", "key_file", "recovery"]
    other = replace(PASSPHRASE, created="later")
    assert three.with_protector(other).find("passphrase") == other
    assert three.without_protector("passphrase").find("passphrase") is None
    with pytest.raises(TooFewProtectors):
        GENERATION.without_protector("passphrase")


@pytest.mark.parametrize(
    "record",
    [
        RECORD,
        replace(RECORD, store_made=False),
        replace(RECORD, pending=replace(GENERATION.with_protector(RECOVERY), number=2)),
    ],
)
def test_what_is_written_is_read(record: KeyRecord):
    assert read_record(write_record(record)) == record


def test_the_digest_does_not_depend_on_the_order_of_fields():
    assert digest_of({"a": 1, "b": 2}) == digest_of({"b": 2, "a": 1}) != digest_of({"a": 1, "b": 3})


def test_the_file_says_what_it_is():
    fields = json.loads(write_record(RECORD))
    assert fields["format"] == "workbench-keys/1"
    assert fields["current"]["protectors"][0]["argon2id"] == {"memory_kib": 32, "iterations": 1, "lanes": 1}


def test_the_status_shows_no_key():
    status = RECORD.status()
    assert status.identity == StoreIdentity(DATABASE_ID, 1)
    assert status.protectors == (ProtectorStatus("passphrase", CREATED), ProtectorStatus("key_file", CREATED))
    assert not status.rotating
    assert replace(RECORD, pending=replace(GENERATION, number=2)).status().rotating
