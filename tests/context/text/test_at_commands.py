"""Commands in a question: found where a person means them, and nowhere else."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.context.text.at_commands import MOST_COMMANDS, planned_calls


def calls(question: str) -> list[tuple[str, dict[str, Any]]]:
    return [(call.name, json.loads(call.arguments)) for call in planned_calls(question)]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("@read notes.md", [("read", {"path": "notes.md"})]),
        ("Summarise @read notes.md, please.", [("read", {"path": "notes.md"})]),
        ('@read "my notes.md" now', [("read", {"path": "my notes.md"})]),
        ("What?\n@ls", [("ls", {"path": "."})]),
        ("What?\n@ls\nand more", [("ls", {"path": "."})]),
        ("@ls src/ and tell", [("ls", {"path": "src/"})]),
        ("@search budget  trim", [("grep", {"pattern": "budget trim", "words": True, "ignore_case": True})]),
        ('@search "a  b" is it?', [("grep", {"pattern": "a  b", "ignore_case": True})]),
        (
            "@search budget @read a.md",
            [("grep", {"pattern": "budget", "words": True, "ignore_case": True}), ("read", {"path": "a.md"})],
        ),
        ("@search one\ntwo", [("grep", {"pattern": "one", "words": True, "ignore_case": True})]),
        ("@read a.md @read a.md", [("read", {"path": "a.md"})]),
        ("\t@read x\n @read a.md", [("read", {"path": "a.md"})]),
        ("(`x`) @read ünï.md", [("read", {"path": "ünï.md"})]),
    ],
)
def test_a_command_becomes_a_call(question: str, expected: list[tuple[str, dict[str, Any]]]):
    assert calls(question) == expected


@pytest.mark.parametrize(
    "question",
    [
        "", "@", "@read", "@search", '@search ""', "@read\nnotes.md", "me@read notes.md", "write to ann@ls.org",
        "@reading notes.md", "@read.md x", "@Read notes.md", "@unknown x", "`@read a.md`", "``@search `x` ``",
        "```py\n@read a.md\n```", "~~~\n@ls\n~~~", "    @read a.md", "(@read a.md)", "@@read a.md", "@read ...",
    ],
)  # fmt: skip
def test_everything_else_is_text(question: str):
    assert calls(question) == []


def test_the_ninth_stands_for_all_that_are_too_many():
    question = " ".join(f"@read {number}.md" for number in range(20))
    planned = planned_calls(question)
    assert [json.loads(call.arguments)["path"] for call in planned] == [f"{n}.md" for n in range(9)]
    assert [call.left_out for call in planned] == [0] * MOST_COMMANDS + [12]


@given(st.text(alphabet='@readlsch "`\n.x', max_size=80))
def test_any_text_can_be_read_and_gives_the_same_again(question: str):
    assert planned_calls(question) == planned_calls(question)
    assert all(name in ("read", "grep", "ls") for name, _ in calls(question))
