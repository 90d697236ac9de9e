"""What a person does with the keys: each change takes effect, leaves the rest, and needs to unlock first."""

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
    new_vault,
    unlocker_of,
)
from workbench.domain.errors import (
    KeyringUnusable,
    NoKeysYet,
    StoreInUse,
    StoreLocked,
    TooFewProtectors,
    WrongSecret,
)
from workbench.domain.secrets import Secret
from workbench.storage.keys.keeper import FolderKeyKeeper
from workbench.storage.keys.keyring import OsKeyring
from workbench.storage.keys.unlocking import GivenCredentials

GIVEN = GivenCredentials(passphrase=WORDS)
NEW_WORDS = Secret.of_text("entirely different words")


def keeper(path: Path, offered: GivenCredentials = GIVEN, **others: object) -> FolderKeyKeeper:
    return FolderKeyKeeper(unlocker_of(path, offered, **others)[0])  # type: ignore[arg-type]


def opens(path: Path, secret: Secret) -> bool:
    try:
        with unlocker_of(path, GivenCredentials(passphrase=secret))[0].unlock() as store:
            store.connect().close()
    except WrongSecret:
        return False
    return True


@pytest.fixture
def data(tmp_path: Path) -> Path:
    unlocker_of(tmp_path / "data", GIVEN)[0].unlock().close()
    return tmp_path / "data"


def kinds(path: Path) -> list[str]:
    return [each.kind for each in keeper(path).status().protectors]


def test_a_passphrase_is_checked_by_itself_whatever_else_would_open_the_store(data: Path):
    held = keeper(data)
    code = held.new_recovery_code()
    held.check(WORDS)
    held.check(code)
    for wrong in (NEW_WORDS, Secret.of_text("x")):
        with pytest.raises(WrongSecret):
            held.check(wrong)


def test_changing_the_passphrase_leaves_the_database_alone(data: Path):
    before = (data / "store.db").read_bytes()
    keeper(data).change_passphrase(lambda: NEW_WORDS)
    assert (data / "store.db").read_bytes() == before
    assert opens(data, NEW_WORDS)
    assert not opens(data, WORDS)


def test_the_new_passphrase_is_asked_for_only_after_unlocking(data: Path):
    def choose() -> Secret:
        raise AssertionError("asked for nothing")

    with pytest.raises(WrongSecret):
        keeper(data, GivenCredentials(passphrase=NEW_WORDS)).change_passphrase(choose)


def test_a_recovery_code_unlocks_to_set_a_new_passphrase(tmp_path: Path):
    _, code = new_vault(tmp_path)
    keeper(tmp_path, GivenCredentials(passphrase=code)).change_passphrase(lambda: NEW_WORDS)
    assert opens(tmp_path, NEW_WORDS)


def test_a_new_recovery_code_ends_the_old_one(data: Path):
    first = keeper(data).new_recovery_code()
    second = keeper(data).new_recovery_code()
    assert not opens(data, first)
    assert opens(data, second)


def test_rotating_tells_the_new_code_before_and_keeps_the_passphrase(data: Path):
    old_code = keeper(data).new_recovery_code()
    unlocker, told = unlocker_of(data, GIVEN)
    status = FolderKeyKeeper(unlocker).rotate()
    assert status.identity.generation == 2
    (line,) = [line for line in told[0].splitlines() if line.startswith("    ")]
    assert opens(data, Secret.of_text(line))
    assert opens(data, WORDS)
    assert not opens(data, old_code)


def test_who_takes_the_new_code_gets_it_as_it_is(data: Path):
    unlocker, told = unlocker_of(data, GIVEN)
    codes: list[Secret] = []
    unlocker.people = replace(unlocker.people, take_code=codes.append)
    FolderKeyKeeper(unlocker).rotate()
    assert (told, len(codes)) == ([], 1)
    assert opens(data, codes[0])


def test_rotating_needs_every_protector(tmp_path: Path):
    """A protector that was not rewrapped would be lost without a word."""
    path = tmp_path / "data"
    new_vault(path, BY_PASSPHRASE, BY_KEY_FILE)
    with pytest.raises(StoreLocked, match="The key file is needed too"):
        keeper(path).rotate()
    (tmp_path / "raw.key").write_bytes(RAW_KEY)
    with pytest.raises(StoreLocked, match="The passphrase is needed too"):
        keeper(path, GivenCredentials(tmp_path / "raw.key")).rotate()
    assert keeper(path).status().identity.generation == 1
    assert keeper(path, GivenCredentials(tmp_path / "raw.key", WORDS)).rotate().identity.generation == 2
    assert opens(path, WORDS)


def test_rotating_asks_a_person_once(data: Path):
    person = ScriptedPerson(WORDS.reveal_text())
    assert keeper(data, GivenCredentials(), person=person).rotate().identity.generation == 2
    assert person.texts == []


def test_rotating_after_the_keyring_unlocked_asks_for_the_passphrase(data: Path):
    keyring = OsKeyring(KeptInMemory())
    keeper(data, keyring=keyring).use_keyring(True)
    with pytest.raises(WrongSecret, match="The passphrase"):
        keeper(data, GivenCredentials(), keyring=keyring, person=ScriptedPerson("wrong wrong wrong")).rotate()
    person = ScriptedPerson(WORDS.reveal_text())
    assert keeper(data, GivenCredentials(), keyring=keyring, person=person).rotate().identity.generation == 2
    unlocker_of(data, keyring=keyring)[0].unlock().close()


def test_rotating_beside_an_open_store_is_refused(data: Path):
    with unlocker_of(data, GIVEN)[0].unlock(), pytest.raises(StoreInUse, match="Close the window"):
        keeper(data).rotate()
    assert keeper(data).status().identity.generation == 1


def test_the_keyring_is_taken_up_and_given_up(data: Path):
    backend = KeptInMemory()
    keyring = OsKeyring(backend)
    keeper(data, keyring=keyring).use_keyring(True)
    assert kinds(data) == ["passphrase", "recovery", "keyring"]
    unlocker_of(data, keyring=keyring)[0].unlock().close()
    keeper(data, keyring=keyring).use_keyring(False)
    assert kinds(data) == ["passphrase", "recovery"]
    assert backend.kept == {}


def test_a_vanished_keyring_can_be_given_up(data: Path):
    keeper(data, keyring=OsKeyring(KeptInMemory())).use_keyring(True)
    keeper(data).use_keyring(False)
    assert kinds(data) == ["passphrase", "recovery"]


def test_without_a_keyring_nothing_changes(data: Path):
    with pytest.raises(KeyringUnusable):
        keeper(data).use_keyring(True)
    assert kinds(data) == ["passphrase", "recovery"]


def test_the_keyring_stays_when_it_is_one_of_the_last_two(tmp_path: Path):
    backend = KeptInMemory()
    keyring = OsKeyring(backend)
    unlocker_of(tmp_path / "data", keyring=keyring)[0].unlock().close()
    with pytest.raises(TooFewProtectors):
        keeper(tmp_path / "data", GivenCredentials(), keyring=keyring).use_keyring(False)
    assert len(backend.kept) == 1
    unlocker_of(tmp_path / "data", keyring=keyring)[0].unlock().close()


def test_without_keys_nothing_is_made(tmp_path: Path):
    for action in ("status", "new_recovery_code", "rotate"):
        with pytest.raises(NoKeysYet):
            getattr(keeper(tmp_path / "none"), action)()
    assert list(tmp_path.iterdir()) == []
