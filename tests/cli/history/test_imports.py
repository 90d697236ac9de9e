"""Chats from files: whatever does not come along is said, and nothing that is kept is touched."""

from __future__ import annotations

import asyncio
import json
import socket
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.cli.history.test_command import history
from tests.fakes import exports
from tests.fakes.archives import full_archive, plain_archive
from tests.fakes.chat_model import FakeModel, FakeModels, Step, calls, words
from tests.fakes.engine import SETTINGS, fake_world
from tests.fakes.history import MemoryHistory
from tests.fakes.history_access import MemoryAccess
from tests.fakes.parts import parts_with
from tests.fakes.toolbox import FakeToolbox
from tests.fakes.turns import assistant, user
from workbench.cli.history.imports import effect_of, read_elara_key
from workbench.cli.main import run
from workbench.cli.services import WorldOptions
from workbench.domain.errors import InvalidInput, NotKept
from workbench.domain.message import Message
from workbench.domain.record import ChatArchive, Record
from workbench.domain.settings.context_settings import ContextSettings
from workbench.engine.exchange.elara_format import export_elara
from workbench.engine.exchange.json_format import export_json
from workbench.engine.exchange.markdown_format import export_markdown
from workbench.engine.stored_conversation import load_conversation
from workbench.engine.world import World
from workbench.ports.history import HistoryStore
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


# Elara's key text is read from a file, and nothing is assumed where there is none.


@pytest.mark.parametrize("content", ["geheim ß", "geheim ß\n", "geheim ß\r\n", "\ufeffgeheim ß\n"])
def test_a_line_end_is_left_out(tmp_path: Path, content: str):
    (tmp_path / "key").write_bytes(content.encode())
    assert read_elara_key(str(tmp_path / "key")).reveal_text() == "geheim ß"


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"\xff", b"x" * 70_000], ids=["empty", "line", "no text", "long"]
)
def test_what_cannot_be_a_key_text_is_refused(tmp_path: Path, content: bytes):
    (tmp_path / "key").write_bytes(content)
    with pytest.raises(InvalidInput):
        read_elara_key(str(tmp_path / "key"))


def test_a_missing_file_is_refused(tmp_path: Path):
    with pytest.raises(InvalidInput, match="No such file"):
        read_elara_key(str(tmp_path / "key"))


# `workbench history undo`: what a tool did is taken back, the newest first, unless the world has moved on.


Capture = pytest.CaptureFixture[str]


class Written:
    """A chat in which a tool wrote two files, and who can take that back."""

    def __init__(self) -> None:
        self.access = MemoryAccess()
        self.box = FakeToolbox({"a.md": "Old."})
        self.wishes: list[WorldOptions] = []
        answers: list[list[Step]] = [
            calls(("write", '{"path": "a.md", "text": "New."}')),
            calls(("write", '{"path": "b.md", "text": "Fresh."}')),
            calls(("read", '{"path": "a.md"}')),
            words("Done."),
        ]
        self.model = FakeModel(answers)
        assert self.run("ask", "Write it.", "--tools", "--yes") == 0

    def world(self, store: HistoryStore, wishes: WorldOptions) -> World:
        self.wishes.append(wishes)
        numbers = iter(range(1, 100))
        return fake_world(
            store=store, models=FakeModels(self.model), toolbox=self.box, new_id=lambda: f"m{next(numbers)}"
        )

    def settings(self, tools: bool) -> ContextSettings:
        return replace(SETTINGS, tools=tuple(tool.definition for tool in self.box.tools))

    def run(self, *argv: str) -> int:
        parts = parts_with(
            history=lambda: self.access, world=self.world, new_chat_settings=self.settings, new_id=lambda: "talk",
            models=lambda: FakeModels(self.model), keys=lambda: self.access.keys,
        )  # fmt: skip
        return run(argv, lambda _: parts)

    def undo(self, *argv: str) -> int:
        return self.run("history", "undo", "talk", *argv)

    def results(self) -> list[Record]:
        path = asyncio.run(self.access.store.path("talk"))
        return [one for one in path if isinstance(one.entry, Message) and one.entry.role == "tool"]


@pytest.fixture
def chat(capsys: Capture) -> Written:
    written = Written()
    assert written.box.files == {"a.md": "New.", "b.md": "Fresh."}
    capsys.readouterr()
    return written


def test_the_newest_change_goes_first_and_each_only_once(chat: Written, capsys: Capture):
    assert chat.undo() == 0
    assert chat.box.files == {"a.md": "New."}
    assert chat.undo() == 0
    assert chat.box.files == {"a.md": "Old."}
    assert capsys.readouterr() == ("undone: write: b.md was written.\nundone: write: a.md was written.\n", "")
    assert chat.undo() == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("workbench: There is nothing to undo: ")
    assert chat.access.store.closed


def test_a_change_can_be_named(chat: Written, capsys: Capture):
    first, *_ = chat.results()
    assert chat.undo("--message", first.id, "--workspace", "/somewhere", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {
        "chat": "talk", "message": first.id, "tool": "write", "undone": "a.md was written.",
    }  # fmt: skip
    assert chat.box.files == {"a.md": "Old.", "b.md": "Fresh."}
    assert chat.wishes[-1].workspace == "/somewhere"


def test_what_was_changed_since_stays(chat: Written, capsys: Capture):
    chat.box.files["b.md"] = "Somebody's."
    assert chat.undo("--workspace", "w") == 1
    assert capsys.readouterr() == ("", "workbench: b.md was changed since; nothing was undone.\n")
    assert chat.undo() == 1
    assert "nothing was undone. If the tools worked in another folder" in capsys.readouterr().err
    assert chat.box.files["b.md"] == "Somebody's."
    assert [effect_of(one) for one in chat.results()] == ["undoable", "undoable", None]


@pytest.mark.parametrize(
    ("message", "complaint"),
    [
        ("gone", "There is no message 'gone' here"),
        ("m", "messages begin with 'm'"),
        ("", "There is no message"),
    ],
)
def test_a_message_that_nobody_means_is_not_undone(
    chat: Written, message: str, complaint: str, capsys: Capture
):
    assert chat.undo("--message", message) == 1
    assert complaint in capsys.readouterr().err
    assert chat.box.undone == []


def test_a_message_that_changed_nothing_has_nothing_to_undo(chat: Written, capsys: Capture):
    assert chat.undo("--message", chat.results()[-1].id) == 1
    said = capsys.readouterr().err
    assert "There is nothing to undo here" in said
    assert "--workspace" not in said


def test_the_history_shows_what_can_be_undone(chat: Written, capsys: Capture):
    chat.undo()
    capsys.readouterr()
    assert chat.run("history", "show", "talk") == 0
    headings = [line for line in capsys.readouterr().out.splitlines() if line.startswith("tool  ")]
    first, second, third = chat.results()
    assert headings == [
        f"tool  {first.created_utc}  (undoable: {first.id})",
        f"tool  {second.created_utc}  (undone {second.metadata['undone']})",
        f"tool  {third.created_utc}",
    ]
    assert chat.run("history", "show", "talk", "--json") == 0
    shown = json.loads(capsys.readouterr().out)["messages"]
    assert [one.get("effect") for one in shown if one["role"] == "tool"] == ["undoable", "undone", None]


def test_only_a_tools_result_tells_of_a_change():
    noted = {"undo": {"kind": "rewrite"}}
    assert effect_of(Record("c", Message("m", "user", ("x",)), "now", metadata=noted)) is None
    assert effect_of(Record("c", Message("m", "tool", ("x",)), "now", metadata=noted)) == "undoable"
