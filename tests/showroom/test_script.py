"""The script of the pictures: it names files that are there, and passages that are in them."""

from __future__ import annotations

from tests.architecture.source_tree import ROOT
from workbench.showroom.script import PROMPTS, WORKSPACE, load_script

SCRIPT = load_script(ROOT / "resources" / "sample" / "work")


def test_every_file_of_the_script_is_there():
    named = {path for turn in SCRIPT.turns for path in (*turn.attach, *turn.detach)}
    for path in {*named, *SCRIPT.draft.attach, *SCRIPT.draft.priority}:
        assert (SCRIPT.folder / path).is_file(), path


def test_every_passage_is_in_its_file_once():
    for passage in (SCRIPT.edit, SCRIPT.changed):
        text = (SCRIPT.folder / passage.path).read_text(encoding="utf-8")
        assert text.count(passage.old) == 1
        assert passage.new not in text


def test_lines_that_answers_name_are_those_of_the_file():
    lines = (SCRIPT.folder / "src" / "auth.py").read_text(encoding="utf-8").splitlines()
    named = {63: "self._lock = asyncio.Lock()", 72: "lock = asyncio.Lock()", 75: "datetime.now()"}
    named |= {15: "SKEW", 16: "GRACE", 81: "while True", 88: "self._refresh(token)", 105: "while True"}
    for number, words in named.items():
        assert words in lines[number - 1]


def test_turns_are_asked_one_after_the_other():
    times = [turn.at for turn in (*SCRIPT.turns, SCRIPT.arriving)]
    assert times == sorted(times)
    assert SCRIPT.arriving.question == SCRIPT.draft.text


def test_workspaces_name_chats_and_files_that_there_are():
    titles = {SCRIPT.title, *(chat.title for chat in SCRIPT.chats)}
    for place in SCRIPT.workspaces:
        assert titles >= {*place.chats, *place.pinned, *place.tags}
        assert all((SCRIPT.folder / path).is_file() for path in place.files)


# The workspace of the scripted conversation.


def test_a_prompt_belongs_to_the_workspace_or_to_all_of_them():
    assert {prompt.workspace for prompt in PROMPTS} == {"", WORKSPACE.id}
