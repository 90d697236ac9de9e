"""`workbench history undo`: what a tool did is taken back, the newest first, unless the world has moved on."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import pytest

from tests.fakes.chat_model import FakeModel, FakeModels, Step, calls, words
from tests.fakes.engine import SETTINGS, fake_world
from tests.fakes.history_access import MemoryAccess
from tests.fakes.parts import parts_with
from tests.fakes.toolbox import FakeToolbox
from workbench.cli.history.imports import effect_of
from workbench.cli.main import run
from workbench.cli.services import WorldOptions
from workbench.domain.message import Message
from workbench.domain.record import Record
from workbench.domain.settings.preferences import ContextSettings
from workbench.engine.world import World
from workbench.ports.history import HistoryStore

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
