"""Pieces of an answer as messages: what follows a tool's result is a message of its own, and nothing is lost."""

from __future__ import annotations

import pytest

from workbench.domain.message import Image
from workbench.engine.exchange.imported import ImportedMessage
from workbench.engine.exchange.spoken import Spoken, as_arguments, as_words, said_in


def test_rounds_follow_each_other():
    spoken = Spoken(ImportedMessage("assistant", id="m"))
    spoken.think("hm")
    spoken.say("Let me look")
    first = spoken.call("look", {"at": 1}, "c1")
    second = spoken.call("look", "there")
    assert spoken.newest_call == first == "c1"
    assert spoken.give_back(first, {"seen": True})
    assert spoken.newest_call == second == "call-m-2"
    assert spoken.give_back(second, "nothing")
    assert not spoken.give_back("c9", "x")
    third = spoken.call("stop", None)
    assert third == "call-m-3"
    spoken.say("Done")
    said = spoken.messages()
    assert [(one.id, one.role, one.texts) for one in said] == [
        ("m", "assistant", ("Let me look",)), ("m.2", "tool", ('{"seen": true}',)), ("m.3", "tool", ("nothing",)),
        ("m.4", "assistant", ()), ("m.5", "assistant", ("Done",)),
    ]  # fmt: skip
    assert [call.arguments for call in said[0].tool_calls] == ['{"at": 1}', '{"input": "there"}']
    assert (said[0].thinking[0].text, said[1].tool_call_id) == ("hm", "c1")


def test_thoughts_between_words_begin_another_message():
    spoken = Spoken(ImportedMessage("assistant"))
    spoken.say("One")
    spoken.think("wait")
    spoken.say("Two")
    assert [(one.texts, len(one.thinking)) for one in spoken.messages()] == [(("One",), 0), (("Two",), 1)]


def test_a_picture_knows_its_place_and_what_was_attached_stays():
    spoken = Spoken(ImportedMessage("user", id="m"))
    spoken.say("Before")
    spoken.show(Image("d"))
    spoken.say("After")
    spoken.attach("a.txt")
    (one,) = spoken.messages()
    assert (one.images[0].after, one.texts, one.attached) == (1, ("Before", "After"), ("a.txt",))
    assert Spoken(ImportedMessage("user")).messages() == []


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ('{"a": 1}', '{"a": 1}'),
        ("[1]", '{"input": "[1]"}'),
        ("", "{}"),
        ({"a": "é"}, '{"a": "é"}'),
        ([1], '{"input": [1]}'),
    ],
)
def test_what_is_handed_to_a_tool_is_an_object(given: object, written: str):
    assert as_arguments(given) == written


def test_words_are_found_where_they_may_stand():
    assert said_in({"text": {"value": "Hi"}}, "text") == "Hi"
    assert said_in({"text": "", "error": "Oh"}, "text", "error") == "Oh"
    assert said_in(None, "text") == said_in({"text": 3}, "text") == ""
    assert (as_words(None), as_words("x"), as_words([1])) == ("", "x", "[1]")
