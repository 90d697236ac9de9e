"""Anthropic's messages: every kind of block becomes a piece, in the order in which it is cached."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.fakes.passing import call, events, message_events, messages, result, said, text, tool
from workbench.context.watch.anthropic import fold, read_request
from workbench.context.watch.documents import documents_in
from workbench.context.watch.pieces import Pieces
from workbench.domain.usage import Usage
from workbench.domain.watch.request import WatchedPiece

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAYAAAC56t6BAAAADklEQVR42mNkYPhfDwACggH/lE2x4wAAAABJRU5ErkJggg=="


def pieces_of(body: dict[str, Any]) -> tuple[WatchedPiece, ...]:
    into = Pieces()
    read_request(body, into)
    return into.all()


def test_tools_stand_before_the_system_prompt_and_that_before_the_messages():
    found = pieces_of(messages(said("user", "Why?"), system="Be brief.", tools=[tool("Read"), tool("Grep")]))

    assert [(one.path, one.kind, one.name, one.layer) for one in found] == [
        ("tools[0]", "tool", "Read", "L1_SYSTEM"),
        ("tools[1]", "tool", "Grep", "L1_SYSTEM"),
        ("system", "system", "", "L1_SYSTEM"),
        ("messages[0].content[0].text", "question", "", "L5_USER"),
    ]


def test_an_agents_turn_is_told_by_its_newest_question():
    """As Claude Code sends it: a reminder before the question, and instructions in a message of their own after it."""
    found = pieces_of(
        messages(
            said("user", "<system-reminder>\nThe date is known.\n</system-reminder>", "What does a.py do?"),
            {"role": "system", "content": "These agents can be called."},
            said(
                "assistant",
                {"type": "thinking", "thinking": "Read it.", "signature": "c2ln"},
                call("Read", "t1"),
            ),
            said("user", result("t1", "1\tpass", mark=True)),
        )
    )

    assert [(one.kind, one.role, one.layer, one.call, one.mark) for one in found] == [
        ("reminder", "user", "L3_TURN", "", ""),
        ("question", "user", "L5_USER", "", ""),
        ("system", "system", "L3_TURN", "", ""),
        ("thought", "assistant", "L3_TURN", "", ""),
        ("call", "assistant", "L3_TURN", "t1", ""),
        ("result", "tool", "L3_TURN", "t1", "5m"),
    ]
    assert found[-1].name == "Read"


def test_what_stands_before_the_newest_question_is_history():
    found = pieces_of(messages(said("user", "One?"), said("assistant", "Yes."), said("user", "Two?")))

    assert [one.layer for one in found] == ["L4_STRIP", "L4_STRIP", "L5_USER"]


def test_a_text_alone_and_a_block_of_it_are_the_same_to_the_model():
    """Claude Code sends the newest question as a block with a mark, and as a plain text in the next request."""
    block = pieces_of(messages(said("user", text("Why?", mark=True))))
    plain = pieces_of(messages({"role": "user", "content": "Why?"}))

    assert block[0].digest == plain[0].digest
    assert (block[0].mark, plain[0].mark) == ("5m", "")


def test_a_mark_may_ask_for_an_hour_or_stand_for_the_whole_request():
    hour = {"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral", "ttl": "1h"}}
    found = pieces_of(messages(said("user", "Why?"), system=[hour], cache_control={"type": "ephemeral"}))

    assert [one.mark for one in found] == ["1h", "5m"]


def test_a_picture_is_known_by_its_size_and_not_repeated_as_text():
    source = {"type": "base64", "media_type": "image/png", "data": PIXEL}
    shown = {
        "type": "tool_result",
        "tool_use_id": "t1",
        "content": [text("Seen."), {"type": "image", "source": source}],
    }
    found = pieces_of(messages(said("user", {"type": "image", "source": source}), said("user", shown)))

    assert [(one.kind, one.text, one.role) for one in found] == [
        ("picture", "", "user"),
        ("result", "Seen.", "tool"),
        ("picture", "", "tool"),
    ]
    assert found[0].image is not None
    assert (found[0].image.width, found[0].image.height) == (2, 3)


@pytest.mark.parametrize(
    ("body", "texts"),
    [
        ({}, []),
        ({"messages": None, "system": 7, "tools": "none"}, []),
        ({"messages": [None, 3, {"role": "user"}]}, []),
        ({"messages": [{"role": "user", "content": [3]}]}, ["3"]),
        (
            {"messages": [{"role": "user", "content": [{"type": "hologram", "x": 1}]}]},
            ['{"type":"hologram","x":1}'],
        ),
        ({"messages": [{"role": "narrator", "content": "Hm."}]}, ["Hm."]),
        ({"system": [{"type": "text"}, "odd"]}, ["", "odd"]),
        (
            {"messages": [{"role": "user", "content": [{"type": "tool_result", "content": {"a": 1}}]}]},
            ['{"a":1}'],
        ),
    ],
)
def test_whatever_is_odd_is_kept_as_text(body: dict[str, Any], texts: list[str]):
    assert [one.text for one in pieces_of(body)] == texts


def test_what_no_reader_knows_is_said():
    into = Pieces()
    read_request({"messages": [{"role": "narrator", "content": [{"type": "hologram"}]}]}, into)

    assert into.odd == [
        "messages[0] has the role “narrator”, which is read as the user's.",
        "messages[0].content[0] is a “hologram”, which is shown as JSON.",
    ]


# Answers.

THOUGHT = {"type": "thinking", "thinking": "Look first.", "signature": ""}
USAGE = {
    "input_tokens": 5,
    "cache_read_input_tokens": 100,
    "cache_creation_input_tokens": 20,
    "output_tokens": 7,
}


def test_a_streamed_answer_reads_like_a_whole_one():
    blocks = [THOUGHT, text("I read it."), call("Read", "t1", path="a.py")]
    stream = documents_in(events(message_events(*blocks, usage=USAGE)))
    whole = {"id": "msg_1", "type": "message", "content": blocks, "stop_reason": "tool_use", "usage": USAGE}

    streamed = fold(stream.found).answer()

    assert streamed == fold(documents_in(json.dumps(whole).encode()).found).answer()
    assert [(one.kind, one.text) for one in streamed.pieces] == [
        ("thought", "Look first."),
        ("answer", "I read it."),
        ("call", '{"path":"a.py"}'),
    ]
    assert streamed.usage == Usage(125, 100, 20, 7)
    assert (streamed.finish_reason, streamed.id, streamed.cut) == ("tool_use", "msg_1", False)


def test_an_answer_that_was_cut_off_keeps_what_came():
    stream = events(message_events(text("It is so."), call("Read", "t1", path="a.py"), usage=USAGE))
    cut = fold(documents_in(stream[: stream.index(b"input_json_delta") + 60]).found).answer()

    assert cut.cut
    assert cut.pieces[0].text == "It is so."
    assert cut.usage.cached_tokens == 100


def test_an_error_in_a_stream_is_its_words():
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}

    assert fold([error]).answer().error == "Overloaded"
