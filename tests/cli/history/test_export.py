"""Chats to files: nothing is overwritten, nothing is written in the clear unless asked, what is left out is said."""

from __future__ import annotations

import asyncio
import json
import stat
from pathlib import Path

import pytest

from tests.cli.history.test_command import history
from tests.fakes.archives import full_archive, plain_archive
from tests.fakes.history import MemoryHistory
from tests.fakes.history_access import MemoryAccess
from tests.fakes.turns import assistant, user
from workbench.domain.errors import StoreDamaged
from workbench.domain.record import ChatArchive


@pytest.fixture
def access() -> MemoryAccess:
    made = MemoryAccess()
    asyncio.run(made.store.adopt(full_archive()))
    asyncio.run(made.store.adopt(plain_archive(user("q"), assistant("a"), chat="short")))
    return made


@pytest.mark.parametrize("chosen", ["json", "openai", "sharegpt", "markdown"])
def test_one_file_goes_to_standard_output(
    access: MemoryAccess, chosen: str, capsys: pytest.CaptureFixture[str]
):
    assert history(access, "export", "short", "--format", chosen) == 0
    shown = capsys.readouterr()
    assert "question" in shown.out
    assert shown.err.startswith("Nothing is left out." if chosen == "json" else "Left out: other branches")
    assert "not encrypted" in shown.err


def test_all_chats_are_exported_where_none_is_named(access: MemoryAccess, capsys: pytest.CaptureFixture[str]):
    assert history(access, "export") == 0
    assert [one["chat"]["id"] for one in json.loads(capsys.readouterr().out)["chats"]] == ["short", "talk"]


def test_several_files_need_a_folder(
    access: MemoryAccess, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    assert history(access, "export", "--format", "markdown") == 2
    assert capsys.readouterr().out == ""
    assert history(access, "export", "--format", "markdown", "--out", str(tmp_path / "new"), "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["chats"] == ["short", "talk"]
    assert sorted(Path(name) for name in document["files"]) == sorted((tmp_path / "new").iterdir())


def test_a_file_is_for_its_owner_only(access: MemoryAccess, tmp_path: Path):
    out = tmp_path / "chats.json"
    assert history(access, "export", "--out", str(out)) == 0
    assert stat.S_IMODE(out.stat().st_mode) == 0o600


def test_nothing_is_overwritten(access: MemoryAccess, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    out = tmp_path / "chats.json"
    out.write_text("precious")
    assert history(access, "export", "--out", str(out)) == 1
    assert out.read_text() == "precious"
    assert "exists already. Nothing was written" in capsys.readouterr().err


def test_a_link_is_not_followed(access: MemoryAccess, tmp_path: Path):
    (tmp_path / "chats.workbench.json").symlink_to(tmp_path / "elsewhere")
    assert history(access, "export", "--out", str(tmp_path)) == 1
    assert not (tmp_path / "elsewhere").exists()


def test_a_folder_that_cannot_be_made_is_said(
    access: MemoryAccess, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "file").write_text("")
    assert history(access, "export", "--out", str(tmp_path / "file" / "x.json")) == 1
    assert "could not be written" in capsys.readouterr().err


def test_elara_is_encrypted_with_the_key_that_is_given(access: MemoryAccess, tmp_path: Path):
    (tmp_path / "key").write_text("geheim\n")
    out = tmp_path / "Conversation"
    argv = [
        "export",
        "short",
        "--format",
        "elara",
        "--elara-key-file",
        str(tmp_path / "key"),
        "--out",
        str(out),
    ]
    assert history(access, *argv) == 0
    names = sorted(path.name for path in out.iterdir())
    assert names == ["20260101T120000000Z_0001_user.json", "20260101T120000000Z_0002_assistant.json"]
    assert json.loads((out / names[0]).read_text())["Alg"] == "AES-256-GCM"
    assert history(access, "import", str(out), "--elara-key-file", str(tmp_path / "key")) == 0


def test_elara_is_in_the_clear_only_when_asked(
    access: MemoryAccess, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    out = ["--out", str(tmp_path / "Conversation")]
    assert history(access, "export", "short", "--format", "elara", *out) == 2
    assert not (tmp_path / "Conversation").exists()
    assert history(access, "export", "short", "--format", "elara", "--plaintext", *out) == 0
    written = [json.loads(path.read_text())["Alg"] for path in (tmp_path / "Conversation").iterdir()]
    assert written == ["PLAINTEXT", "PLAINTEXT"]
    assert "not encrypted" in capsys.readouterr().err


@pytest.mark.parametrize(
    "argv",
    [
        ["--format", "elara", "--plaintext"],
        ["--elara-form", "seed"],
        ["--format", "elara", "--plaintext", "--elara-key-file", "k", "--out", "o"],
        ["--format", "json", "--plaintext"],
        ["--json"],
    ],
    ids=" ".join,
)
def test_options_that_do_not_go_together_are_refused(access: MemoryAccess, argv: list[str]):
    assert history(access, "export", *argv) == 2


def test_there_must_be_something_to_export(capsys: pytest.CaptureFixture[str]):
    assert history(MemoryAccess(), "export") == 1
    assert capsys.readouterr() == ("", "workbench: There are no chats to export.\n")


class Damaged(MemoryHistory):
    """A history of which one chat cannot be read."""

    async def archive(self, chat: str) -> ChatArchive:
        """Everything but the chat `talk`."""
        if chat == "talk":
            raise StoreDamaged("database disk image is malformed")
        return await super().archive(chat)


def test_one_damaged_chat_does_not_keep_the_others(access: MemoryAccess, capsys: pytest.CaptureFixture[str]):
    damaged = Damaged()
    for key in ("talk", "short"):
        asyncio.run(damaged.adopt(asyncio.run(access.store.archive(key))))
    access.store = damaged
    assert history(access, "export") == 1
    shown = capsys.readouterr()
    assert [one["chat"]["id"] for one in json.loads(shown.out)["chats"]] == ["short"]
    assert "talk: damaged, and left out." in shown.err


def test_elaras_form_is_chosen(access: MemoryAccess, tmp_path: Path):
    for form, names in (("2025", {"Alg", "Content"}), ("seed", {"alg", "ciphertext"})):
        out = tmp_path / form
        elara = ["--format", "elara", "--plaintext", "--elara-form", form, "--out", str(out)]
        assert history(access, "export", "short", *elara) == 0
        assert all(set(json.loads(file.read_bytes())) == names for file in out.iterdir())


def test_where_files_lie_is_said_only_with_paths(access: MemoryAccess, capsys: pytest.CaptureFixture[str]):
    asyncio.run(access.store.adopt(plain_archive(user("p"), chat="files", attached=("/home/ann/a/plan.md",))))
    for chosen in ("markdown", "html"):
        assert history(access, "export", "files", "--format", chosen) == 0
        shown = capsys.readouterr().out
        assert "plan.md" in shown
        assert "/home" not in shown
        assert history(access, "export", "files", "--format", chosen, "--paths") == 0
        assert "/home/ann/a/plan.md" in capsys.readouterr().out
    assert history(access, "export", "files", "--paths") == 2
    assert "--paths: belongs to --format markdown or html" in capsys.readouterr().err
