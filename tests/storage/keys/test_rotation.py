"""A new key takes the place of the old one; killed at any moment, one key opens the store and nothing is lost."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.architecture.source_tree import ROOT
from tests.fakes.keys import BY_KEY_FILE, BY_PASSPHRASE, RAW_KEY, WORDS, current_key, new_vault, unlocker_of
from workbench.domain.errors import ForeignDatabase, RotationFailed, StoreLocked
from workbench.domain.secrets import Secret
from workbench.storage.database.cipher import open_encrypted
from workbench.storage.folder import DataFolder
from workbench.storage.keys.protectors import Credential, DataKey
from workbench.storage.keys.rotation import Candidates, Rotation
from workbench.storage.keys.unlocking import GivenCredentials, Unlocker
from workbench.storage.keys.vault import KeyVault, require_code

ROWS = 1500
KILLS_BY_CLOCK = 30


class Stopped(BaseException):
    """Stands for the end of the process: nothing in the program catches it."""


def new_store(path: Path, rows: int) -> tuple[KeyVault, Secret]:
    vault, code = new_vault(path, BY_PASSPHRASE, BY_KEY_FILE)
    (path.parent / "raw.key").write_bytes(RAW_KEY)
    with unlocker(path).unlock() as store:
        connection = store.connect()
        connection.execute("CREATE VIRTUAL TABLE words USING fts5 (body)")
        connection.executemany("INSERT INTO words VALUES (?)", ((f"word{row} " * 30,) for row in range(rows)))
        connection.commit()
        connection.close()
    return vault, code


def unlocker(path: Path) -> Unlocker:
    return unlocker_of(path, GivenCredentials(path.parent / "raw.key"))[0]


def count_rows(path: Path) -> int:
    with unlocker(path).unlock() as store:
        connection = store.connect()
        (count,) = connection.execute("SELECT count(*) FROM words").fetchone()
        assert connection.execute("PRAGMA cipher_integrity_check").fetchall() == []
        connection.execute("INSERT INTO words (words) VALUES ('integrity-check')")
        connection.close()
    return int(count)


def prepared(vault: KeyVault, path: Path, stop_at: str = "") -> tuple[Rotation, DataKey, DataKey, Secret]:
    """A rotation that ends at the named step as if killed there; its old key, new key and new code."""

    def step(name: str) -> None:
        if name == stop_at:
            raise Stopped

    old = current_key(vault)
    new, generation, code = vault.next_generation(old, (BY_PASSPHRASE, BY_KEY_FILE))
    rotation = Rotation(DataFolder(path), vault.keys, step)
    if stop_at:
        with pytest.raises(Stopped):
            rotation.rotate(old, new, generation)
    else:
        assert rotation.rotate(old, new, generation) == new
    return rotation, old, new, code


def test_the_store_is_under_the_new_key_alone(tmp_path: Path):
    path = tmp_path / "data"
    vault, _ = new_store(path, 10)
    _, old, new, new_code = prepared(vault, path)
    assert new.identity == replace(old.identity, generation=2)
    assert count_rows(path) == 10
    assert current_key(vault) == new == current_key(vault, BY_KEY_FILE)
    assert current_key(vault, Credential("recovery", require_code(new_code))) == new
    with pytest.raises(ForeignDatabase):
        open_encrypted(path / "store.db", old.key, old.identity)
    assert files(path) == ["keys.json", "keys.lock", "store.db", "store.lock"]


def files(path: Path) -> list[str]:
    return sorted(each.name for each in path.iterdir())


@pytest.mark.parametrize(
    ("step", "generation"), [("announced", 1), ("copied", 1), ("swapped", 2), ("committed", 2)]
)
def test_stopped_after_a_step_the_next_opening_finishes_or_undoes(tmp_path: Path, step: str, generation: int):
    path = tmp_path / "data"
    vault, _ = new_store(path, 10)
    prepared(vault, path, step)
    assert vault.status().rotating == (step != "committed")
    assert count_rows(path) == 10
    assert (vault.status().identity.generation, vault.status().rotating) == (generation, False)
    assert files(path) == ["keys.json", "keys.lock", "store.db", "store.lock"]
    prepared(vault, path)
    assert count_rows(path) == 10


@pytest.mark.parametrize(("step", "works"), [("copied", "old"), ("swapped", "new")])
def test_of_two_recovery_codes_the_one_that_fits_opens(tmp_path: Path, step: str, works: str):
    """The new code is shown before the change: whichever moment it is killed at, one of the two papers opens."""
    path = tmp_path / "data"
    vault, old_code = new_store(path, 10)
    _, _, _, new_code = prepared(vault, path, step)
    right, wrong = (old_code, new_code) if works == "old" else (new_code, old_code)
    with pytest.raises(StoreLocked, match="interrupted"):
        unlocker_of(path, GivenCredentials(passphrase=wrong))[0].unlock()
    assert vault.status().rotating
    unlocker_of(path, GivenCredentials(passphrase=right))[0].unlock().close()
    assert not vault.status().rotating
    assert count_rows(path) == 10


@pytest.mark.parametrize("at", ["announced", "copied"])
def test_a_failure_is_undone_at_once(tmp_path: Path, at: str):
    path = tmp_path / "data"
    vault, _ = new_store(path, 10)
    old = current_key(vault)
    new, generation, _ = vault.next_generation(old, (BY_PASSPHRASE, BY_KEY_FILE))
    with pytest.raises(RotationFailed, match="No space left") as refusal:
        Rotation(DataFolder(path), vault.keys, failing(at)).rotate(old, new, generation)
    assert "are as before" in str(refusal.value)
    assert (vault.status().identity.generation, vault.status().rotating) == (1, False)
    assert files(path) == ["keys.json", "keys.lock", "store.db", "store.lock"]
    assert count_rows(path) == 10


def test_a_failure_after_the_swap_is_finished_all_the_same(tmp_path: Path):
    path = tmp_path / "data"
    vault, _ = new_store(path, 10)
    old = current_key(vault)
    new, generation, _ = vault.next_generation(old, (BY_PASSPHRASE, BY_KEY_FILE))
    assert Rotation(DataFolder(path), vault.keys, failing("swapped")).rotate(old, new, generation) == new
    assert (vault.status().identity.generation, vault.status().rotating) == (2, False)
    assert count_rows(path) == 10


def failing(at: str) -> Callable[[str], None]:
    def step(name: str) -> None:
        if name == at:
            raise OSError(28, "No space left on device")

    return step


def test_a_database_that_is_open_elsewhere_is_left_alone(tmp_path: Path):
    path = tmp_path / "data"
    vault, _ = new_store(path, 10)
    old = current_key(vault)
    other = open_encrypted(path / "store.db", old.key, old.identity)
    with pytest.raises(RotationFailed, match="locked"):
        prepared(vault, path)
    other.execute("INSERT INTO words VALUES ('written meanwhile')")
    other.commit()
    other.close()
    assert count_rows(path) == 11


def test_a_key_that_was_changed_meanwhile_is_noticed(tmp_path: Path):
    path = tmp_path / "data"
    vault, _ = new_store(path, 10)
    old = current_key(vault)
    new, generation, _ = vault.next_generation(old, (BY_PASSPHRASE,))
    prepared(vault, path)
    with pytest.raises(RotationFailed, match="meanwhile"):
        Rotation(DataFolder(path), vault.keys).rotate(old, new, generation)
    assert count_rows(path) == 10


def test_where_neither_key_opens_nothing_is_changed(tmp_path: Path):
    path = tmp_path / "data"
    vault, _ = new_store(path, 10)
    rotation, old, new, _ = prepared(vault, path, "copied")
    (path / "store.db").write_bytes(b"rubbish" * 1000)
    before = {name: (path / name).read_bytes() for name in files(path)}
    with pytest.raises(ForeignDatabase, match="neither"):
        rotation.settle(Candidates(old, new))
    assert {name: (path / name).read_bytes() for name in files(path)} == before


def test_the_first_store_is_made_once(tmp_path: Path):
    """Killed between the keys and the database, the next start makes it; once it was there, it is never made again."""
    vault, _ = new_vault(tmp_path)
    rotation, key = Rotation(DataFolder(tmp_path), vault.keys), Candidates(current_key(vault))
    rotation.settle(key)
    assert vault.keys.read().store_made
    vault.keys.change(lambda record: replace(record, store_made=False))
    rotation.settle(key)
    (tmp_path / "store.db").unlink()
    assert rotation.settle(key) == key.current
    assert not (tmp_path / "store.db").exists()


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Folders whose rotation was killed, each at another moment."""
    folder = tmp_path_factory.mktemp("killed")
    new_store(folder / "template", ROWS)
    command = [
        *(sys.executable, "-m", "tests.fakes.killed_rotations"),
        *(str(folder / "template"), str(KILLS_BY_CLOCK)),
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return [path for path in folder.iterdir() if path.is_dir() and path.name != "template"]


def test_killed_at_any_moment_every_row_is_there_under_one_key(killed: list[Path]):
    """KeePassium #130: key and file of different generations. Here both moments of the two renames are covered."""
    assert len(killed) > KILLS_BY_CLOCK + 20
    interrupted = {path.name for path in killed if new_keys(path).status().rotating}
    generations = set()
    for path in killed:
        assert count_rows(path) == ROWS + 1, path.name
        vault = new_keys(path)
        status = vault.status()
        generations.add((path.name in interrupted, status.identity.generation))
        assert not status.rotating
        assert current_key(vault, BY_PASSPHRASE) == current_key(vault, BY_KEY_FILE)
        # SQLite leaves a journal that was never used; the next change of key removes it.
        left = [name for name in files(path) if name != "store.db-journal"]
        assert left == ["keys.json", "keys.lock", "store.db", "store.lock"], path.name
    # Undone, finished, never begun and complete: the kills met all of them.
    assert generations == {(True, 1), (True, 2), (False, 1), (False, 2)}


def test_after_a_kill_the_key_can_be_changed_again(killed: list[Path]):
    for path in sorted(killed)[::3]:
        vault = new_keys(path)
        unlocker(path).unlock().close()
        generation = vault.status().identity.generation
        prepared(vault, path)
        assert vault.status().identity.generation == generation + 1
        assert files(path) == ["keys.json", "keys.lock", "store.db", "store.lock"], path.name


def new_keys(path: Path) -> KeyVault:
    return unlocker_of(path, GivenCredentials(passphrase=WORDS))[0].vault


@pytest.mark.parametrize(("step", "kept"), [("copied", True), ("swapped", False), ("", False)])
def test_copies_of_older_versions_go_with_the_key_that_opens_them(tmp_path: Path, step: str, kept: bool):
    """Not before the new key is the only one: a change that is undone leaves them as they were."""
    path = tmp_path / "data"
    vault, _ = new_store(path, 10)
    (path / "store.db.version-1").write_bytes(b"under the old key")
    prepared(vault, path, step)
    assert count_rows(path) == 10
    assert (path / "store.db.version-1").exists() == kept
