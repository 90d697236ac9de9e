"""The vault: any one protector opens, changing one leaves the others and the database alone, two always stay."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.keys import (
    BY_KEY_FILE,
    BY_PASSPHRASE,
    CREATED,
    DATABASE_ID,
    RAW_KEY,
    SHIPPED,
    WORDS,
    current_key,
    files_with,
    new_vault,
)
from workbench.domain.errors import StoreInUse, StoreLocked, TooFewProtectors, UnusableSecret, WrongSecret
from workbench.domain.secrets import Secret, StoreIdentity
from workbench.storage.folder import DataFolder
from workbench.storage.keys import vault as vault_module
from workbench.storage.keys.protectors import Argon2Cost, Credential, DataKey, passphrase
from workbench.storage.keys.vault import (
    ALPHABET,
    RANDOM_BYTES,
    KeyVault,
    looks_mistyped,
    make_code,
    new_data_key,
    print_code,
    read_code,
    require_code,
)

OTHER_WORDS = passphrase(Secret.of_text("another four random words"))


def by_code(code: Secret) -> Credential:
    return Credential("recovery", require_code(code))


def test_every_protector_opens_the_same_key(tmp_path: Path):
    vault, code = new_vault(tmp_path, BY_PASSPHRASE, BY_KEY_FILE)
    keys = [current_key(vault, each) for each in (BY_PASSPHRASE, BY_KEY_FILE, by_code(code))]
    assert keys[0] == keys[1] == keys[2]
    assert keys[0].identity == StoreIdentity(DATABASE_ID, 1)


def test_the_shipped_costs_are_used_where_none_are_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(vault_module, "USUAL_COST", SHIPPED)
    vault = KeyVault(DataFolder(tmp_path), lambda: CREATED)
    vault.create(new_data_key(), [BY_PASSPHRASE])
    protector = vault.keys.read().current.find("passphrase")
    assert protector is not None
    assert protector.cost == Argon2Cost(64 * 1024, 3, 4)


def test_no_secret_stands_in_any_file(tmp_path: Path):
    vault, code = new_vault(tmp_path, BY_PASSPHRASE, BY_KEY_FILE)
    key = current_key(vault)
    vault.set_protector(key, OTHER_WORDS)
    secrets = [each.reveal() for each in (WORDS, OTHER_WORDS.secret, code, require_code(code), key.key)]
    assert files_with(tmp_path, [*secrets, RAW_KEY]) == []
    assert files_with(tmp_path, [DATABASE_ID.encode()]) == ["keys.json"]


def test_without_a_secret_there_are_no_keys(tmp_path: Path):
    """No default key, ever: a recovery code alone would be one protector."""
    vault = KeyVault(DataFolder(tmp_path), lambda: CREATED)
    with pytest.raises(TooFewProtectors):
        vault.create(new_data_key(), [])
    assert not vault.keys.exists()


def test_a_wrong_secret_is_refused_by_its_kind_and_not_repeated(tmp_path: Path):
    vault, _ = new_vault(tmp_path)
    with pytest.raises(WrongSecret, match="The passphrase does not open") as refusal:
        vault.reveal(vault.keys.read(), [OTHER_WORDS])
    assert "another four" not in str(refusal.value)


def test_a_secret_of_a_kind_that_is_not_used_is_told_apart(tmp_path: Path):
    vault, _ = new_vault(tmp_path)
    with pytest.raises(StoreLocked, match="passphrase, recovery"):
        vault.reveal(vault.keys.read(), [BY_KEY_FILE])


def test_the_first_fitting_secret_is_enough(tmp_path: Path):
    vault, _ = new_vault(tmp_path)
    assert vault.reveal(vault.keys.read(), [BY_KEY_FILE, OTHER_WORDS, BY_PASSPHRASE]).current == current_key(
        vault
    )


def test_a_changed_passphrase_opens_and_the_old_one_does_not(tmp_path: Path):
    vault, code = new_vault(tmp_path)
    key = current_key(vault)
    vault.set_protector(key, OTHER_WORDS)
    assert current_key(vault, OTHER_WORDS) == key == current_key(vault, by_code(code))
    with pytest.raises(WrongSecret):
        current_key(vault, BY_PASSPHRASE)


def test_a_new_recovery_code_ends_the_old_one(tmp_path: Path):
    vault, old = new_vault(tmp_path)
    key = current_key(vault)
    new = vault.new_recovery_code(key)
    assert current_key(vault, by_code(new)) == key
    with pytest.raises(WrongSecret, match="recovery code"):
        current_key(vault, by_code(old))


def test_the_last_two_protectors_stay(tmp_path: Path):
    vault, code = new_vault(tmp_path, BY_PASSPHRASE, BY_KEY_FILE)
    key = current_key(vault)
    vault.remove_protector(key, "key_file")
    for kind in ("passphrase", "recovery"):
        with pytest.raises(TooFewProtectors):
            vault.remove_protector(key, kind)
    assert current_key(vault) == key == current_key(vault, by_code(code))


def test_a_key_of_another_generation_changes_nothing(tmp_path: Path):
    """A window that stayed open during a rotation would otherwise wrap the old key into the new file."""
    vault, _ = new_vault(tmp_path)
    before = (tmp_path / "keys.json").read_bytes()
    with pytest.raises(StoreInUse, match="meanwhile"):
        vault.set_protector(DataKey.make(StoreIdentity(DATABASE_ID, 2)), OTHER_WORDS)
    assert (tmp_path / "keys.json").read_bytes() == before


def test_the_next_generation_is_another_key_for_the_same_secrets(tmp_path: Path):
    vault, old_code = new_vault(tmp_path)
    old = current_key(vault)
    new, generation, code = vault.next_generation(old, [BY_PASSPHRASE])
    assert new.identity == StoreIdentity(DATABASE_ID, 2)
    assert new.key != old.key
    assert code != old_code
    assert [each.kind for each in generation.protectors] == ["passphrase", "recovery"]


def test_the_status_needs_no_secret(tmp_path: Path):
    vault, _ = new_vault(tmp_path)
    status = vault.status()
    assert [each.kind for each in status.protectors] == ["passphrase", "recovery"]
    assert (status.created, status.identity) == (CREATED, StoreIdentity(DATABASE_ID, 1))


def test_database_ids_differ():
    assert new_data_key().identity != new_data_key().identity
    assert len(new_data_key().identity.database_id) == 32


# The recovery code survives paper: however it is typed it is read, and a typing error is noticed.


MATERIAL = bytes(range(100, 120))
CODE = print_code(MATERIAL).reveal_text()


def secret(text: str) -> Secret:
    return Secret.of_text(text)


def test_a_code_has_160_random_bits_in_nine_groups():
    first, second = make_code(), make_code()
    assert first != second
    assert RANDOM_BYTES * 8 >= 160
    assert re.fullmatch(rf"(?:[{ALPHABET}]{{4}}-){{8}}[{ALPHABET}]{{4}}", first.reveal_text())


@given(st.binary(min_size=RANDOM_BYTES, max_size=RANDOM_BYTES))
def test_what_is_printed_is_read(material: bytes):
    assert read_code(print_code(material)) == Secret(material)


@pytest.mark.parametrize(
    "typed",
    [
        CODE.lower(),
        CODE.replace("-", ""),
        CODE.replace("-", " "),
        CODE.replace("-", "–"),
        f"  {CODE}\n",
        " ".join(CODE),
        CODE.replace("0", "O").replace("1", "l"),
        CODE.replace("0", "o").replace("1", "I"),
    ],
)
def test_case_spaces_dashes_and_lookalikes_do_not_matter(typed: str):
    assert read_code(secret(typed)) == Secret(MATERIAL)


def test_every_single_wrong_letter_is_noticed():
    letters = CODE.replace("-", "")
    for place, right in enumerate(letters):
        for wrong in ALPHABET.replace(right, ""):
            typed = secret(letters[:place] + wrong + letters[place + 1 :])
            assert read_code(typed) is None
            assert looks_mistyped(typed)


def test_every_swap_of_neighbours_is_noticed():
    letters = CODE.replace("-", "")
    for place in range(len(letters) - 1):
        swapped = letters[:place] + letters[place + 1] + letters[place] + letters[place + 2 :]
        assert swapped == letters or read_code(secret(swapped)) is None


@pytest.mark.parametrize("typed", [CODE[:-1], CODE + "A", CODE[:-1] + "U", CODE[:-1] + "!"])
def test_missing_added_and_impossible_letters_are_noticed(typed: str):
    assert read_code(secret(typed)) is None
    assert looks_mistyped(secret(typed))
    with pytest.raises(UnusableSecret, match="36 letters") as refusal:
        require_code(secret(typed))
    assert typed not in str(refusal.value)


@pytest.mark.parametrize("typed", ["", "correct horse battery staple", "x" * 100, "\0", "日本語の長い合言葉"])
def test_a_passphrase_is_not_taken_for_a_code(typed: str):
    assert read_code(secret(typed)) is None
    assert not looks_mistyped(secret(typed))


def test_a_right_code_is_not_mistyped():
    assert not looks_mistyped(secret(CODE))
    assert require_code(secret(CODE)) == Secret(MATERIAL)
