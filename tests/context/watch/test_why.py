"""Causes in words, each for one kind of change."""

from __future__ import annotations

from typing import Any

import pytest

from tests.context.watch.test_comparing import request
from tests.fakes.passing import call, result, said, text, tool
from workbench.context.watch.comparing import compared, why_parameters

ONE = (said("user", "Why?"),)
LONG = "This session is being continued from a previous conversation that ran out of context."


def why(
    before: tuple[Any, ...], after: tuple[Any, ...], was: dict[str, Any], now: dict[str, Any]
) -> tuple[str, ...]:
    return compared(request(*before, **was), request(*after, **now)).words


@pytest.mark.parametrize(
    ("was", "now", "words"),
    [
        (["Read"], ["Read", "Grep"], ["The tool Grep was added."]),
        (["Read", "Grep", "Write"], ["Read"], ["2 tools were removed: Grep, Write."]),
        (["Read", "Grep"], ["Grep", "Read"], ["The tools are in another order."]),
        (["Read", "Read"], ["Read"], ["A tool is listed more or less often than before."]),
        (
            ["Read"],
            list("abcdefg"),
            ["7 tools were added: a, b, c, d, e and 2 more.", "The tool Read was removed."],
        ),
    ],
)
def test_tools(was: list[str], now: list[str], words: list[str]):
    found = why(ONE, ONE, {"tools": [*map(tool, was)]}, {"tools": [*map(tool, now)]})

    assert list(found) == words


def test_a_tools_description_and_its_schema():
    was, described = {"tools": [tool("Read")]}, {"tools": [tool("Read", "Reads.")]}
    other = {"tools": [{**tool("Read"), "input_schema": {"type": "array"}}]}

    assert why(ONE, ONE, was, described) == ("The description of the tool Read changed.",)
    many = why(
        ONE, ONE, {"tools": [tool("Read"), tool("Grep")]}, {"tools": [tool("Read", "a"), tool("Grep", "b")]}
    )
    assert many == ("The descriptions of 2 tools changed: Read, Grep.",)
    assert why(ONE, ONE, was, other) == ("The definition of the tool Read changed.",)


@pytest.mark.parametrize(
    ("was", "now", "words"),
    [
        ("Hi.\nToday is 2026-11-16.", "Hi.\nToday is 2026-11-17.",
         "A date or time in system, line 2, changed from 2026-11-16 to 2026-11-17."),
        ("Now: 10:00:01", "Now: 10:00:07", "A date or time in system, line 1, changed from 10:00:01 to 10:00:07."),
        ("It is Nov 16, 2026.", "It is Nov 17, 2026.",
         "A date or time in system, line 1, changed from Nov 16, 2026 to Nov 17, 2026."),
        ("Turn 41 of many", "Turn 42 of many", "A number in system, line 1, changed from 41 to 42."),
        ("Be kind.", "Be blunt.", "system changed from “kind” to “blunt”."),
        ("Be kind.", "Be kind." + " Be very kind." * 20, "system has 288 characters in place of 8."),
    ],
)  # fmt: skip
def test_one_text_of_the_system_prompt(was: str, now: str, words: str):
    assert why(ONE, ONE, {"system": was}, {"system": now}) == (words,)


def test_blocks_of_the_system_prompt():
    one, two = {"system": [text("Be kind.")]}, {"system": [text("Be kind."), text("Be brief.")]}

    assert why(ONE, ONE, one, two) == (
        "A block was added to the system prompt.",
        "The system prompt has 17 characters in place of 8.",
    )
    assert why(ONE, ONE, two, one)[0] == "A block was removed from the system prompt."
    assert why(ONE, ONE, {}, one) == ("A system prompt was added.",)
    assert why(ONE, ONE, one, {}) == ("The system prompt was removed.",)


TALK = (
    said("user", "Why?"),
    said("assistant", call("Read", "t1")),
    said("user", result("t1", "a long text " * 9)),
    said("assistant", "So."),
)
LATER = said("user", "And now?")


@pytest.mark.parametrize(
    ("after", "words"),
    [
        ((said("user", LONG), LATER), "The history was compacted: a summary replaces 4 messages."),
        ((*TALK[:2], said("user", result("t1", "[cleared]")), TALK[3], LATER),
         "The result of Read at messages[2].content[0].content was cut from 108 to 9 characters."),
        ((*TALK[:2], said("user", result("t1", "A long text " * 9)), TALK[3], LATER),
         "The result of Read at messages[2].content[0].content was edited."),
        ((*TALK[1:], LATER), "Earlier parts of the history were removed: 1 message."),
        (TALK[:1], "The end of the conversation was removed: 3 messages."),
        ((*TALK[:1], said("assistant", "Wait.")),
         "The history was rewritten from messages[1].content[0].text on: 3 messages changed or were removed."),
    ],
)  # fmt: skip
def test_history(after: tuple[Any, ...], words: str):
    assert why(TALK, after, {}, {}) == (words,)


def test_a_second_compaction_is_one_again():
    before = (said("user", LONG), LATER)

    assert why(before, (said("user", f"{LONG} It grew."), LATER), {}, {}) == (
        "The history was compacted: a summary replaces 2 messages.",
    )


def test_parameters():
    assert why_parameters((("tool_choice", '{"type":"auto"}'),), (("thinking", '"on"'),)) == [
        'The parameter tool_choice changed from {"type":"auto"} to unset.',
        'The parameter thinking changed from unset to "on".',
    ]
