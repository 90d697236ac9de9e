"""`workbench keys`, as it is run: real files, real Argon2id, exit codes, and no secret where it does not belong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from argparse import Namespace
from pathlib import Path

import pytest

from tests.fakes.keys import CHEAP, DATABASE_ID, RAW_KEY, files_with
from tests.fakes.paper_keys import PaperKeys
from tests.fakes.parts import parts_with
from tests.fakes.program import loaded_program
from workbench.cli.main import run
from workbench.domain.secrets import Secret, StoreIdentity
from workbench.storage.folder import DataFolder
from workbench.storage.keys.protectors import Credential, DataKey, passphrase
from workbench.storage.keys.vault import KeyVault, read_code

WORDS = "correct horse battery staple"
NEW_WORDS = "entirely different wörds"


def run_on_paper(keys: PaperKeys, *argv: str) -> int:
    return run(["keys", *argv], lambda arguments: parts_with(keys=lambda: keys))


def workbench(
    data: Path, *argv: str, passphrase: str | None = None, typed: bytes = b"", **variables: str
) -> tuple[int, str, str]:
    """Run the program as a script does: without a terminal, with only what is given in the environment."""
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}  # noqa: TID251
    given = {} if passphrase is None else {"WORKBENCH_PASSPHRASE": passphrase}
    environment = {
        "LANGUAGE": "en",
        **kept,
        **given,
        **variables,
        "WORKBENCH_DATA_DIR": str(data),
        "HOME": str(data.parent),
    }
    done = loaded_program().run("keys", *argv, cwd=data.parent, environment=environment, typed=typed)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder whose passphrase is cheap to try; what the program itself wraps has the shipped costs."""
    folder = DataFolder(tmp_path / "data")
    folder.make()
    KeyVault(folder, lambda: "then", CHEAP).create(
        DataKey.make(StoreIdentity(DATABASE_ID, 1)), [passphrase(Secret.of_text(WORDS))]
    )
    return folder.path


def test_the_status_as_json(capsys: pytest.CaptureFixture[str]):
    assert run_on_paper(PaperKeys(), "status", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {
        "database_id": DATABASE_ID[:8],
        "generation": 3,
        "created": "sunday",
        "key_created": "monday",
        "protectors": [
            {"kind": "passphrase", "created": "monday"},
            {"kind": "key_file", "created": "tuesday"},
        ],
        "rotating": False,
    }


def test_the_status_in_words(capsys: pytest.CaptureFixture[str]):
    assert run_on_paper(PaperKeys(rotating=True), "status") == 0
    assert capsys.readouterr().out.splitlines() == [
        "store       01234567, made sunday",
        "key         generation 3, since monday",
        "passphrase  since monday",
        "key file    since tuesday",
        "A change of the key was interrupted; the next opening finishes or undoes it.",
    ]


def test_a_recovery_code_is_the_only_result(capsys: pytest.CaptureFixture[str]):
    assert run_on_paper(PaperKeys(), "recovery") == 0
    assert capsys.readouterr().out == "CODE\n"
    assert run_on_paper(PaperKeys(), "recovery", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"recovery_code": "CODE"}


@pytest.mark.parametrize(
    ("argv", "done"),
    [(["rotate"], "rotate"), (["keyring"], "keyring True"), (["keyring", "--off"], "keyring False")],
)
def test_an_action_is_done(argv: list[str], done: str, capsys: pytest.CaptureFixture[str]):
    keys = PaperKeys()
    assert run_on_paper(keys, *argv) == 0
    assert keys.done == [done]
    assert "generation 3" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "taken"),
    [(b"words", "words"), (b"words\n", "words"), (b"words\r\n", "words"), (b" words \n\n", " words \n")],
)
def test_a_new_passphrase_from_a_file_loses_one_line_end(tmp_path: Path, content: bytes, taken: str):
    keys = PaperKeys()
    (tmp_path / "p").write_bytes(content)
    assert run_on_paper(keys, "passphrase", "--new-passphrase-file", str(tmp_path / "p")) == 0
    assert keys.done == [taken]


@pytest.mark.parametrize(
    "content", [None, b"\xff\xfe", b"x" * 70_000], ids=["missing", "no text", "too long"]
)
def test_a_file_that_holds_no_passphrase_is_refused(
    tmp_path: Path, content: bytes | None, capsys: pytest.CaptureFixture[str]
):
    keys = PaperKeys()
    if content is not None:
        (tmp_path / "p").write_bytes(content)
    assert run_on_paper(keys, "passphrase", "--new-passphrase-file", str(tmp_path / "p")) == 2
    assert keys.done == []
    assert str(tmp_path / "p") in capsys.readouterr().err


@pytest.mark.parametrize(
    "argv", [["status", "--off"], ["rotate", "--new-passphrase-file", "f"]], ids=lambda argv: argv[0]
)
def test_an_option_of_another_action_is_wrong_usage(argv: list[str], capsys: pytest.CaptureFixture[str]):
    keys = PaperKeys()
    assert run_on_paper(keys, *argv) == 2
    assert keys.done == []
    assert "belongs to" in capsys.readouterr().err


@pytest.mark.parametrize("argv", [[], ["nonsense"]])
def test_no_action_and_an_unknown_one_are_wrong_usage(argv: list[str]):
    with pytest.raises(SystemExit) as leaving:
        run_on_paper(PaperKeys(), *argv)
    assert leaving.value.code == 2


def test_a_folder_without_keys(tmp_path: Path):
    for action in ("status", "recovery", "rotate"):
        code, out, err = workbench(tmp_path / "none", action, passphrase=WORDS)
        assert (code, out) == (1, "")
        assert err.startswith("workbench: There is no history in")
    assert list(tmp_path.iterdir()) == []


def test_without_a_secret_it_says_what_to_give(data: Path):
    code, out, err = workbench(data, "recovery")
    assert (code, out) == (1, "")
    assert "WORKBENCH_PASSPHRASE" in err
    assert "--key-file" in err
    assert workbench(data, "status")[0] == 0


def test_a_wrong_passphrase_is_refused_and_not_repeated(data: Path):
    before = (data / "keys.json").read_bytes()
    code, out, err = workbench(data, "recovery", passphrase="canary canary")
    assert (code, out) == (1, "")
    assert "The passphrase does not open this store" in err
    assert "canary" not in err
    assert (data / "keys.json").read_bytes() == before


def test_the_passphrase_is_changed_without_a_terminal(data: Path):
    refused = workbench(data, "passphrase", passphrase=WORDS)
    assert refused[0] == 1
    assert "--new-passphrase-file" in refused[2]
    typed = NEW_WORDS.encode() + b"\n"
    code, out, err = workbench(
        data, "passphrase", "--new-passphrase-file", "-", passphrase=WORDS, typed=typed
    )
    assert (code, err) == (0, "")
    assert "changed" in out
    assert workbench(data, "recovery", passphrase=WORDS)[0] == 1
    code, out, _ = workbench(data, "recovery", passphrase=NEW_WORDS)
    assert code == 0
    assert read_code(Secret.of_text(out)) is not None
    assert files_with(data, [WORDS.encode(), NEW_WORDS.encode(), out.strip().encode()]) == []


def test_rotating_from_the_command_line(data: Path):
    code, out, err = workbench(data, "rotate", "--json", passphrase=WORDS)
    assert (code, json.loads(out)["generation"]) == (0, 2)
    (shown,) = [line for line in err.splitlines() if line.startswith("    ")]
    assert workbench(data, "recovery", passphrase=shown)[0] == 0
    protector = KeyVault(DataFolder(data), lambda: "").keys.read().current.find("passphrase")
    assert protector is not None
    assert protector.cost is not None
    assert (protector.cost.memory_kib, protector.cost.iterations) == (64 * 1024, 3)


def test_a_damaged_key_file_is_named_and_left(data: Path):
    (data / "keys.json").write_bytes(b"{")
    code, out, err = workbench(data, "status")
    assert (code, out) == (1, "")
    assert str(data / "keys.json") in err
    assert (data / "keys.json").read_bytes() == b"{"


def test_a_key_file_opens_where_it_is_a_protector(tmp_path: Path, data: Path):
    vault = KeyVault(DataFolder(data), lambda: "then", CHEAP)
    found = vault.reveal(vault.keys.read(), [passphrase(Secret.of_text(WORDS))]).current
    assert found is not None
    (tmp_path / "raw.key").write_bytes(RAW_KEY)
    vault.set_protector(found, Credential("key_file", Secret(RAW_KEY)))
    assert workbench(data, "recovery", "--key-file", str(tmp_path / "raw.key"))[0] == 0


def test_a_provider_s_key_goes_in_by_name_and_does_not_come_out(data: Path):
    canary = "sk-xanthocanary-1"
    wanted = ("provider", "openai", "--key-env", "MY_KEY")
    code, out, err = workbench(
        data, *wanted, passphrase=WORDS, MY_KEY=canary, OPENAI_API_KEY="sk-not-asked-for"
    )
    assert (code, out) == (
        0,
        "The key for https://api.openai.com:443 is kept; it is sent to no other server.\n",
    )
    listed = workbench(data, "provider", "--json", passphrase=WORDS)
    assert (listed[0], json.loads(listed[1])) == (0, {"origins": ["https://api.openai.com:443"]})
    assert canary not in out + err + listed[1] + listed[2]
    assert files_with(data.parent, [canary.encode(), b"sk-not-asked-for"]) == []
    assert workbench(data, "provider", "http://models.example", passphrase=WORDS, MY_KEY=canary)[0] == 2


def test_a_replay_needs_no_cryptography():
    """It takes a tenth of a second to load, and a broken installation of it must not stop a replay."""
    script = (
        "import sys; from workbench.__main__ import main; main(['replay', '-']); "
        "heavy = {'cryptography', 'sqlcipher3', 'keyring', 'workbench.storage'}; "
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    talk = b'{"format": "workbench-trajectory/1", "turns": [{"user": "Hello"}]}'
    done = subprocess.run([sys.executable, "-c", script], input=talk, capture_output=True)
    assert done.stderr.decode() == "[]\n"


def test_the_place_of_the_data_is_decided_in_wiring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from workbench.wiring.folder import data_dir

    monkeypatch.setenv("WORKBENCH_DATA_DIR", str(tmp_path / "environment"))
    monkeypatch.setenv("HOME", str(tmp_path))
    assert data_dir(Namespace(data_dir="given")) == Path("given")
    assert data_dir(Namespace(data_dir=None)) == tmp_path / "environment"
    monkeypatch.delenv("WORKBENCH_DATA_DIR")
    if sys.platform == "linux":
        assert data_dir(Namespace()) == tmp_path / ".local" / "share" / "context-workbench"
