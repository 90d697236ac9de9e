"""Trajectories come in as chats."""

from __future__ import annotations

import json

import pytest

from tests.architecture.source_tree import ROOT
from tests.fakes.archives import fresh, import_files
from workbench.domain.message import Message, ToolCall
from workbench.engine.exchange.soundness import make_sound
from workbench.engine.exchange.trajectory_format import FORMAT

CASES = sorted((ROOT / "tests" / "trajectories" / "cases").glob("*.json"))


def test_a_conversation_with_its_texts_and_settings_becomes_a_chat():
    back = import_files(
        [("t.json", (ROOT / "tests/trajectories/cases/three_turns.json").read_bytes())], fresh()
    )
    (archive,) = back.archives
    assert archive.chat.title == "A walkthrough: a spec, API docs beside it, then only the spec."
    assert archive.chat.settings.system_prompt == "You are a careful reader."
    said = [record.entry.text for record in archive.records if isinstance(record.entry, Message)]
    assert said[:2] == ["Summarize this", "Here is a summary of the project spec..."]
    assert said[-1] == "Explain the auth flow from the spec"
    assert archive.records[0].attached == ("project-spec.md",)
    assert [one.artifact.key for one in archive.snapshots] == ["project-spec.md", "docs/api-docs.md"]
    assert back.losses.left_out == {"field “detach” of a turn": 1}


def test_calls_of_tools_and_what_stood_before_the_first_turn_come_along():
    call = {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "c", "name": "read", "arguments": "{}"}],
    }
    result = {"role": "tool", "tool_call_id": "c", "content": "x"}
    document = {
        "format": FORMAT,
        "history": [{"role": "user", "content": "Hi"}],
        "turns": [
            {"user": "Look", "now": "2026-01-02T03:04:05Z", "reply": [call, result]},
            3,
        ],
        "settings": {"model": 7},
    }  # fmt: skip
    back = import_files([("t.json", json.dumps(document).encode())], fresh())
    entries = [record.entry for record in back.archives[0].records]
    assert [entry.role for entry in entries if isinstance(entry, Message)] == [
        "user",
        "user",
        "assistant",
        "tool",
    ]
    assert isinstance(entries[2], Message)
    assert entries[2].tool_calls == (ToolCall("c", "read", "{}"),)
    assert back.archives[0].records[1].created_utc.startswith("2026-01-02T03:04:05")
    assert len(back.problems) == 2


def test_one_of_a_newer_program_is_refused_with_what_is_known():
    back = import_files([("t.json", b'{"format": "workbench-trajectory/2"}')], fresh())
    assert back.problems == (
        "t.json: format: expected workbench-trajectory/1; a newer program wrote this file; left out",
    )


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_every_trajectory_that_is_kept_here_comes_in_sound(path):
    for archive in import_files([(path.name, path.read_bytes())], fresh()).archives:
        assert make_sound(archive) == (archive, ())
