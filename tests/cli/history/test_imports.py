"""Chats from files: whatever does not come along is said, and nothing that is kept is touched."""

from __future__ import annotations

import asyncio
import json
import socket
from pathlib import Path
from typing import Any

import pytest

from tests.cli.history.test_command import history
from tests.fakes import exports
from tests.fakes.archives import full_archive, plain_archive
from tests.fakes.history import MemoryHistory
from tests.fakes.history_access import MemoryAccess
from tests.fakes.turns import assistant, user
from workbench.domain.errors import NotKept
from workbench.domain.record import ChatArchive
from workbench.engine.exchange.elara_format import export_elara
from workbench.engine.exchange.json_format import export_json
from workbench.engine.exchange.markdown_format import export_markdown
from workbench.engine.keeping import load_conversation
from workbench.storage.elara_cipher import ElaraCipher

NOTE = (
    "**user**: Summarize\n[Context: Notes: docs/a.md, gone.md | URLs: https://x.example/a]\n\n**ai**: Done\n"
)
MESSAGES = '{"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}]}'


class RefusingHistory(MemoryHistory):
    """Takes every chat but one."""

    def __init__(self, refused: str) -> None:
        super().__init__()
        self._refused = refused

    async def adopt(self, archive: ChatArchive, *, own: bool = False) -> None:
        if archive.chat.id == self._refused:
            raise NotKept("This does not fit what is kept; nothing was changed.")
        await super().adopt(archive)


@pytest.fixture
def access() -> MemoryAccess:
    return MemoryAccess()


def kept(access: MemoryAccess, chat: str) -> ChatArchive:
    return asyncio.run(access.store.archive(chat))


def imported(access: MemoryAccess, capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, Any]:
    capsys.readouterr()
    exit_code = history(access, "import", *argv, "--json")
    return exit_code, json.loads(capsys.readouterr().out)


def test_a_chat_comes_in_and_is_named(
    access: MemoryAccess, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "x.json").write_text(MESSAGES)
    assert history(access, "import", str(tmp_path / "x.json")) == 0
    (chat,) = asyncio.run(access.store.chats())
    assert capsys.readouterr() == (f"{chat.id}  2 messages  Hi\n", "Imported: 1 chat.\n")
    assert access.opened == [True]


def test_an_export_of_ours_comes_back_whole(
    access: MemoryAccess, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "chats.json").write_bytes(export_json([full_archive()]))
    exit_code, document = imported(access, capsys, str(tmp_path / "chats.json"))
    assert (exit_code, document["problems"]) == (0, [])
    assert export_json([kept(access, "talk")]) == export_json([full_archive()])


def test_an_id_that_is_taken_is_replaced_everywhere(
    access: MemoryAccess, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    """A continued chat is kept under its last request's name, which must not be that of the other chat."""
    asyncio.run(access.store.adopt(plain_archive(user("q"))))
    (tmp_path / "chats.json").write_bytes(export_json([full_archive()]))
    exit_code, document = imported(access, capsys, str(tmp_path / "chats.json"))
    assert exit_code == 0
    other = document["chats"][0]["id"]
    assert document["problems"] == [f"There is another chat talk; the imported one is kept as {other}."]
    assert len(kept(access, "talk").records) == 1
    conversation = asyncio.run(load_conversation(access.store, other))
    assert conversation.id == other


def test_a_file_that_cannot_be_used_fails_but_stops_no_other(
    access: MemoryAccess, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "x.json").write_text(MESSAGES)
    (tmp_path / "y.json").write_text("{}")
    exit_code, document = imported(access, capsys, str(tmp_path))
    assert (exit_code, len(document["chats"]), document["files_refused"]) == (1, 1, 1)


def test_nothing_is_opened_where_nothing_came(
    access: MemoryAccess, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "\x1b.json").write_text("{}")
    assert history(access, "import", str(tmp_path / "\x1b.json")) == 1
    shown = capsys.readouterr()
    assert (shown.out, access.opened) == ("", [])
    assert shown.err.startswith("\\u001b.json: this is none of the formats")
    assert shown.err.endswith("Imported: 0 chats. Could not be used: 1.\n")


def test_a_chat_that_the_store_refuses_is_named(
    access: MemoryAccess, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    access.store = RefusingHistory("talk")
    (tmp_path / "x.json").write_bytes(export_json([full_archive()]))
    (tmp_path / "y.json").write_bytes(export_json([plain_archive(user("q"), assistant("a"), chat="fine")]))
    exit_code, document = imported(access, capsys, str(tmp_path / "x.json"), str(tmp_path / "y.json"))
    assert exit_code == 1
    assert [chat["id"] for chat in document["chats"]] == ["fine"]
    assert "talk: the chat was not imported" in document["problems"][0]


def test_what_was_attached_is_found_in_the_folder_and_pages_are_not_fetched(
    access: MemoryAccess, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    def refuse(*arguments: object) -> None:
        raise AssertionError("nothing may be fetched")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("the note")
    (tmp_path / "chat.md").write_text(NOTE)
    argv = [str(tmp_path / "chat.md"), "--attach-from", str(tmp_path)]
    exit_code, document = imported(access, capsys, *argv)
    assert exit_code == 0
    assert document["problems"] == [
        "gone.md: not attached again: No such file or directory.",
        "https://x.example/a: not attached again: pages are never fetched again.",
    ]
    archive = kept(access, document["chats"][0]["id"])
    assert archive.records[0].attached == ("docs/a.md", "gone.md", "https://x.example/a")
    assert [(taken.artifact.key, taken.artifact.text) for taken in archive.snapshots] == [
        ("docs/a.md", "the note")
    ]
    conversation = asyncio.run(load_conversation(access.store, archive.chat.id))
    assert [entry.key for entry in conversation.library] == ["docs/a.md"]


def test_without_a_folder_it_is_said_how_to_name_one(
    access: MemoryAccess, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "chat.md").write_text(NOTE)
    _, document = imported(access, capsys, str(tmp_path / "chat.md"))
    assert "--attach-from DIR says where to look" in document["problems"][0]


def test_a_chat_that_is_still_here_gives_its_attachments(
    access: MemoryAccess, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    asyncio.run(access.store.adopt(full_archive()))
    (tmp_path / "chat.md").write_bytes(export_markdown(full_archive()))
    _, document = imported(access, capsys, str(tmp_path / "chat.md"))
    archive = kept(access, document["chats"][0]["id"])
    assert [taken.content for taken in archive.snapshots] == [b"\x00\xff bytes"]
    assert "notes/a.md: attached as it was kept in the chat talk." in document["problems"]


def test_two_files_of_one_chat_are_one_chat(
    access: MemoryAccess, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_bytes(export_markdown(full_archive()))
    exit_code, document = imported(access, capsys, str(tmp_path))
    assert exit_code == 0
    assert (len(document["chats"]), len(asyncio.run(access.store.chats()))) == (1, 1)


def test_elaras_files_need_their_key(
    access: MemoryAccess, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    """The key of Elara's documentation is never tried: whoever uses it has to say so."""
    cipher, other = ElaraCipher("replace-me-before-deployment"), ElaraCipher("another")
    folder = tmp_path / "Conversation"
    folder.mkdir()
    for number, (name, body) in enumerate(export_elara(plain_archive(user("q"), assistant("a"), user("r")))):
        (folder / name).write_bytes((cipher if number else other).seal(body))
    exit_code, document = imported(access, capsys, str(folder))
    assert (exit_code, document["chats"], document["files_locked"]) == (1, [], 3)
    (tmp_path / "key").write_text("replace-me-before-deployment\n")
    exit_code, document = imported(access, capsys, str(folder), "--elara-key-file", str(tmp_path / "key"))
    assert (exit_code, document["chats"][0]["messages"], document["files_locked"]) == (1, 2, 1)
    assert document["problems"][-1] == "1 of 3 files could not be decrypted."


def test_a_folder_that_is_none_is_wrong_usage(access: MemoryAccess, tmp_path: Path):
    assert history(access, "import", "x.json", "--attach-from", str(tmp_path / "nowhere")) == 2


def test_imported_again_it_says_what_was_there_and_is_undone(
    access: MemoryAccess, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    """A monthly export doubled the archive."""
    name = str(tmp_path / "chatgpt.zip")
    (tmp_path / "chatgpt.zip").write_bytes(exports.chatgpt_zip())
    exit_code, first = imported(access, capsys, name)
    assert (exit_code, first["already_here"], first["lost"]) == (
        0,
        0,
        {"file of the archive that holds no chats": 2},
    )
    assert [chat["how"] for chat in first["chats"]] == ["new"]
    assert history(access, "import", name) == 0
    assert capsys.readouterr().err.endswith("Imported: 0 chats. Already here: 1.\n")
    (tmp_path / "chatgpt.zip").write_bytes(exports.chatgpt_zip(2))
    assert history(access, "import", name) == 0
    shown = capsys.readouterr()
    assert "  2 new messages  Birds" in shown.out
    assert shown.err.endswith("Imported: 0 chats. Grown: 1.\n")
    capsys.readouterr()
    assert history(access, "import", "--undo", "--json") == 0
    assert json.loads(capsys.readouterr().out)["messages"] == 2
    assert history(access, "import", "--undo") == 0
    assert capsys.readouterr().out.startswith("undone: the import of ")
    assert asyncio.run(access.store.chats()) == ()
    assert history(access, "import", "--undo") == 1
    assert "no import to take back" in capsys.readouterr().err


def test_undo_takes_no_files_and_an_import_needs_some(
    access: MemoryAccess, capsys: pytest.CaptureFixture[str]
):
    assert history(access, "import", "--undo", "x.json") == 2
    assert history(access, "import") == 2


def test_a_folder_of_many_files_comes_in_one_go(
    access: MemoryAccess, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    for number, (name, body) in enumerate(exports.EXPORTS.values()):
        (tmp_path / f"{number}").mkdir()
        (tmp_path / f"{number}" / name).write_bytes(body)
    exit_code, document = imported(access, capsys, str(tmp_path))
    assert (exit_code, document["files_refused"]) == (0, 0)
    assert len(asyncio.run(access.store.chats())) == 8


def test_a_hostile_archive_is_refused_and_nothing_is_kept(
    access: MemoryAccess, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "x.zip").write_bytes(exports.zipped(**{"..___in_x__json".replace("___", ""): b"{}"}))
    exit_code, document = imported(access, capsys, str(tmp_path / "x.zip"))
    assert (exit_code, document["chats"], document["files_refused"]) == (1, [], 1)
