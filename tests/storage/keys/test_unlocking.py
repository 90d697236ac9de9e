"""Unlocking: what was given first, then the keyring, then a person; and a first run that makes the keys."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes.keys import (
    BY_KEY_FILE,
    BY_PASSPHRASE,
    RAW_KEY,
    WORDS,
    KeptInMemory,
    ScriptedPerson,
    current_key,
    files_with,
    new_vault,
    unlocker_of,
)
from workbench.domain.errors import DamagedKeyFile, NoKeysYet, StoreGone, StoreInUse, StoreLocked, WrongSecret
from workbench.domain.secrets import Secret
from workbench.storage.keys.keyring import OsKeyring
from workbench.storage.keys.unlocking import GivenCredentials

GIVEN = GivenCredentials(passphrase=WORDS)
WRONG = GivenCredentials(passphrase=Secret.of_text("wrong wrong wrong"))


@pytest.fixture
def raw_key(tmp_path: Path) -> Path:
    (tmp_path / "raw.key").write_bytes(RAW_KEY)
    return tmp_path / "raw.key"


def kinds(path: Path) -> list[str]:
    return [each.kind for each in unlocker_of(path)[0].vault.status().protectors]


def printed_code(told: list[str]) -> Secret:
    (line,) = [line for line in "\n".join(told).splitlines() if line.startswith("    ")]
    return Secret.of_text(line)


def test_a_first_run_makes_keys_and_store_and_tells_the_recovery_code_once(tmp_path: Path):
    path = tmp_path / "new" / "data"
    unlocker, told = unlocker_of(path, GIVEN)
    with unlocker.unlock() as store:
        store.connect().close()
    assert kinds(path) == ["passphrase", "recovery"]
    code = printed_code(told)
    unlocker_of(path, GivenCredentials(passphrase=code))[0].unlock().close()
    assert files_with(path, [WORDS.reveal(), code.reveal(), store.data_key.key.reveal()]) == []
    again, told_again = unlocker_of(path, GIVEN)
    again.unlock().close()
    assert told_again == []


def test_everything_is_the_owner_s_alone(tmp_path: Path):
    path = tmp_path / "data"
    with unlocker_of(path, GIVEN)[0].unlock() as store:
        connection = store.connect()
        connection.execute("CREATE TABLE t (a)")
        modes = {each.name: oct(each.stat().st_mode & 0o777) for each in path.iterdir()}
        connection.close()
    assert set(modes.values()) == {"0o600"}
    assert {"keys.json", "store.db", "store.db-wal", "store.lock"} <= set(modes)
    assert path.stat().st_mode & 0o777 == 0o700


def test_a_first_run_without_anything_is_refused_with_instructions(tmp_path: Path):
    unlocker, told = unlocker_of(tmp_path / "data")
    with pytest.raises(StoreLocked, match="WORKBENCH_PASSPHRASE") as refusal:
        unlocker.unlock()
    assert "--key-file" in str(refusal.value)
    assert told == []
    assert list(tmp_path.iterdir()) == []


def test_a_first_run_with_a_key_file(tmp_path: Path, raw_key: Path):
    unlocker_of(tmp_path / "data", GivenCredentials(key_file=raw_key))[0].unlock().close()
    assert kinds(tmp_path / "data") == ["key_file", "recovery"]
    unlocker_of(tmp_path / "data", GivenCredentials(key_file=raw_key))[0].unlock().close()


def test_a_first_run_with_a_person_asks_once(tmp_path: Path):
    unlocker, told = unlocker_of(tmp_path / "data", person=ScriptedPerson("a phrase with words"))
    unlocker.unlock().close()
    assert kinds(tmp_path / "data") == ["passphrase", "recovery"]
    assert printed_code(told)


def test_a_first_run_with_only_a_keyring(tmp_path: Path):
    keyring = OsKeyring(KeptInMemory())
    unlocker_of(tmp_path / "data", keyring=keyring)[0].unlock().close()
    assert kinds(tmp_path / "data") == ["keyring", "recovery"]
    unlocker_of(tmp_path / "data", keyring=keyring)[0].unlock().close()


def test_a_given_passphrase_leaves_the_keyring_alone(tmp_path: Path):
    """A throw-away folder of a script must not leave entries in the user's keyring."""
    backend = KeptInMemory()
    unlocker_of(tmp_path / "data", GIVEN, keyring=OsKeyring(backend))[0].unlock().close()
    assert backend.kept == {}


def test_a_short_passphrase_is_remarked_on(tmp_path: Path):
    unlocker, told = unlocker_of(tmp_path / "data", GivenCredentials(passphrase=Secret.of_text("short")))
    unlocker.unlock().close()
    assert "short" in told[0]


def test_a_wrong_given_secret_is_refused_and_nothing_else_tried(tmp_path: Path, raw_key: Path):
    person = ScriptedPerson(WORDS.reveal_text())
    new_vault(tmp_path / "data", BY_PASSPHRASE, BY_KEY_FILE)
    with pytest.raises(WrongSecret):
        unlocker_of(tmp_path / "data", WRONG, person)[0].unlock()
    assert person.texts == [WORDS.reveal_text()]
    both = GivenCredentials(raw_key, Secret.of_text("wrong wrong wrong"))
    unlocker_of(tmp_path / "data", both)[0].unlock().close()


def test_a_mistyped_recovery_code_is_recognised(tmp_path: Path):
    _, code = new_vault(tmp_path)
    text = code.reveal_text()
    mistyped = text[:-1] + ("0" if text[-1] != "0" else "1")
    with pytest.raises(WrongSecret, match="typing error") as refusal:
        unlocker_of(tmp_path, GivenCredentials(passphrase=Secret.of_text(mistyped)))[0].unlock()
    assert mistyped not in str(refusal.value)
    unlocker_of(tmp_path, GivenCredentials(passphrase=Secret.of_text(text.lower().replace("-", " "))))[
        0
    ].unlock().close()


def test_who_takes_the_code_gets_it_as_it_is_and_words_do_not_hold_it(tmp_path: Path):
    unlocker, told = unlocker_of(tmp_path / "data", GIVEN)
    codes: list[Secret] = []
    unlocker.people = replace(unlocker.people, take_code=codes.append)
    unlocker.unlock().close()
    (code,) = codes
    assert told == []
    unlocker_of(tmp_path / "data", GivenCredentials(passphrase=code))[0].unlock().close()


def test_who_asks_again_by_themselves_is_refused_at_once(tmp_path: Path):
    new_vault(tmp_path)
    person = ScriptedPerson("no", WORDS.reveal_text())
    unlocker, told = unlocker_of(tmp_path, person=person)
    unlocker.people = replace(unlocker.people, attempts=1)
    with pytest.raises(WrongSecret):
        unlocker.unlock()
    assert told == []
    unlocker.unlock().close()


def test_a_person_is_asked_three_times(tmp_path: Path):
    new_vault(tmp_path)
    person = ScriptedPerson("no", "no again", WORDS.reveal_text())
    unlocker, told = unlocker_of(tmp_path, person=person)
    unlocker.unlock().close()
    assert len(told) == 2
    with pytest.raises(WrongSecret):
        unlocker_of(tmp_path, person=ScriptedPerson("no", "no", "no"))[0].unlock()


def test_without_a_person_a_locked_store_stays_locked(tmp_path: Path):
    new_vault(tmp_path)
    with pytest.raises(StoreLocked, match="no terminal to ask"):
        unlocker_of(tmp_path)[0].unlock()


def test_a_lost_keyring_falls_back_to_the_person(tmp_path: Path):
    """Signal #6970: after a reinstalled desktop the keyring was empty, and the history with it."""
    vault, _ = new_vault(tmp_path)
    keyring = OsKeyring(KeptInMemory())
    vault.set_protector(current_key(vault), keyring.make(vault.status().identity.database_id))
    unlocker_of(tmp_path, keyring=keyring)[0].unlock().close()
    lost = OsKeyring(KeptInMemory())
    unlocker_of(tmp_path, person=ScriptedPerson(WORDS.reveal_text()), keyring=lost)[0].unlock().close()


def test_a_store_that_vanished_is_not_made_anew(tmp_path: Path):
    unlocker_of(tmp_path, GIVEN)[0].unlock().close()
    (tmp_path / "store.db").unlink()
    with unlocker_of(tmp_path, GIVEN)[0].unlock() as store:
        with pytest.raises(StoreGone, match="No new one was made"):
            store.connect()
        (tmp_path / "store.db").write_bytes(b"")
        with pytest.raises(StoreGone, match="No new one was made"):
            store.connect()


def test_a_store_without_keys_is_not_a_first_run(tmp_path: Path):
    unlocker_of(tmp_path, GIVEN)[0].unlock().close()
    (tmp_path / "keys.json").unlink()
    before = (tmp_path / "store.db").read_bytes()
    with pytest.raises(DamagedKeyFile, match="missing"):
        unlocker_of(tmp_path, GIVEN)[0].unlock()
    assert (tmp_path / "store.db").read_bytes() == before
    assert not (tmp_path / "keys.json").exists()


def test_who_only_changes_keys_makes_none(tmp_path: Path):
    with pytest.raises(NoKeysYet):
        unlocker_of(tmp_path / "data", GIVEN)[0].unlock_existing()
    assert list(tmp_path.iterdir()) == []


def test_while_the_store_is_open_nobody_replaces_it(tmp_path: Path):
    unlocker, _ = unlocker_of(tmp_path, GIVEN)
    with unlocker.unlock(), pytest.raises(StoreInUse, match="Close the window"):
        unlocker.alone()
    with unlocker.alone(), pytest.raises(StoreInUse, match="changing the key"):
        unlocker.unlock()
    unlocker.unlock().close()


def test_a_refusal_gives_the_lock_back(tmp_path: Path):
    new_vault(tmp_path)
    unlocker, _ = unlocker_of(tmp_path, WRONG)
    with pytest.raises(WrongSecret):
        unlocker.unlock()
    unlocker.alone().close()


def test_a_kept_key_file_is_removed_when_the_present_one_opened(tmp_path: Path):
    unlocker_of(tmp_path, GIVEN)[0].unlock().close()
    (tmp_path / "keys.json.bak").write_bytes((tmp_path / "keys.json").read_bytes())
    unlocker_of(tmp_path, GIVEN)[0].unlock().close()
    assert not (tmp_path / "keys.json.bak").exists()


def test_an_empty_passphrase_is_not_given():
    assert not GivenCredentials(passphrase=Secret(b""))
