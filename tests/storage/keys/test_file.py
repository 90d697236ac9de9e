"""The key file is replaced whole, keeps its predecessor until it is checked, and is never overwritten in the dark."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.key_records import GENERATION, PASSPHRASE, RECORD, RECOVERY
from tests.fakes.keys import CREATED, DATABASE_ID
from workbench.domain.errors import DamagedKeyFile, FutureVersion, NoKeysYet, StoreInUse, TooFewProtectors
from workbench.domain.secrets import ProtectorStatus, StoreIdentity
from workbench.storage.file_lock import FileLock
from workbench.storage.folder import DataFolder
from workbench.storage.keys.file import (
    MOST_BYTES,
    FromTheFuture,
    Generation,
    KeyFile,
    KeyRecord,
    Unreadable,
    digest_of,
    read_record,
    write_record,
)
from workbench.storage.keys.protectors import Protector


def new_file(path: Path) -> KeyFile:
    keys = KeyFile(DataFolder(path))
    keys.create(RECORD)
    return keys


def test_it_is_the_owner_s_alone(tmp_path: Path):
    new_file(tmp_path)
    assert (tmp_path / "keys.json").stat().st_mode & 0o777 == 0o600


def test_a_change_sees_what_is_there_now_and_leaves_nothing_behind(tmp_path: Path):
    keys = new_file(tmp_path)
    changed = keys.change(lambda record: replace(record, store_made=False))
    assert keys.read() == changed == replace(RECORD, store_made=False)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["keys.json", "keys.lock"]


def test_a_change_that_fails_changes_nothing(tmp_path: Path):
    keys = new_file(tmp_path)

    def fail(record: KeyRecord) -> KeyRecord:
        raise StoreInUse("here", "Stop.")

    with pytest.raises(StoreInUse):
        keys.change(fail)
    assert (tmp_path / "keys.json").read_bytes() == write_record(RECORD)


def test_it_is_not_created_twice(tmp_path: Path):
    keys = new_file(tmp_path)
    with pytest.raises(StoreInUse):
        keys.create(replace(RECORD, store_made=False))
    assert keys.read() == RECORD


def test_two_do_not_change_it_at_once(tmp_path: Path):
    keys = new_file(tmp_path)
    with FileLock(tmp_path / "keys.lock", alone=True, advice=""), pytest.raises(StoreInUse, match="moment"):
        keys.change(lambda record: record)


def test_an_empty_folder_has_no_keys_yet(tmp_path: Path):
    keys = KeyFile(DataFolder(tmp_path))
    assert not keys.exists()
    with pytest.raises(NoKeysYet, match=str(tmp_path)):
        keys.read()


@pytest.mark.parametrize("content", [b"", b"{", b"{}", write_record(RECORD)[:-20]], ids=range(4))
def test_a_damaged_file_is_named_and_not_overwritten(tmp_path: Path, content: bytes):
    keys = new_file(tmp_path)
    (tmp_path / "keys.json").write_bytes(content)
    with pytest.raises(DamagedKeyFile, match=r"keys\.json") as refusal:
        keys.read()
    assert "Nothing was overwritten" in str(refusal.value)
    with pytest.raises(DamagedKeyFile):
        keys.change(lambda record: record)
    with pytest.raises(StoreInUse):
        keys.create(RECORD)
    assert (tmp_path / "keys.json").read_bytes() == content


def test_a_kept_version_is_pointed_to(tmp_path: Path):
    keys = new_file(tmp_path)
    (tmp_path / "keys.json").rename(tmp_path / "keys.json.bak")
    for content in (None, b"broken"):
        if content is not None:
            (tmp_path / "keys.json").write_bytes(content)
        with pytest.raises(DamagedKeyFile, match=r"keys\.json\.bak"):
            keys.read()


def test_a_database_without_its_keys_is_no_first_run(tmp_path: Path):
    """New keys beside an old database would make it unreadable for good, and look like an empty history."""
    (tmp_path / "store.db").write_bytes(b"precious")
    with pytest.raises(DamagedKeyFile, match=r"store\.db"):
        KeyFile(DataFolder(tmp_path)).exists()


def test_a_later_version_is_left_alone(tmp_path: Path):
    keys = new_file(tmp_path)
    (tmp_path / "keys.json").write_bytes(b'{"format": "workbench-keys/2"}')
    with pytest.raises(FutureVersion, match="newer version"):
        keys.change(lambda record: record)
    assert (tmp_path / "keys.json").read_bytes() == b'{"format": "workbench-keys/2"}'


def test_a_folder_in_its_place_is_named(tmp_path: Path):
    (tmp_path / "keys.json").mkdir()
    with pytest.raises(DamagedKeyFile):
        KeyFile(DataFolder(tmp_path)).read()


def test_remains_of_an_interrupted_change_are_removed_once_the_file_is_good(tmp_path: Path):
    """A kept version still opens with the passphrase that was given up."""
    keys = new_file(tmp_path)
    for name in ("keys.json.bak", "keys.json.tmp", "keys.json.bak.tmp"):
        (tmp_path / name).write_bytes(write_record(RECORD))
    keys.forget_kept()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["keys.json", "keys.lock"]


# A key file that is not exactly as written is refused, whatever is wrong with it.


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


# The record of keys: at least two protectors, each kind once, written so that it reads back the same.


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
