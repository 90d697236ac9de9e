"""Our own format loses nothing, and a file that was tampered with harms nothing."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.archives import full_archive, plain_archive
from tests.fakes.effort import tries
from tests.fakes.turns import artifact, user
from workbench.domain.codec import encode
from workbench.domain.errors import InvalidInput
from workbench.domain.message import Image, Message, ToolCall
from workbench.domain.record import Chat, ChatArchive, Record, TurnState
from workbench.domain.turn import Tuning
from workbench.engine.exchange.json_format import export_json, import_json

FULL = full_archive()

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=80),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=8), inner, max_size=2),
    max_leaves=4,
)
notes = st.dictionaries(st.text(max_size=9), json_values, max_size=2)
any_text = st.text(st.characters(), max_size=200)
messages = st.builds(
    Message,
    id=st.just(""),
    role=st.sampled_from(["system", "user", "assistant", "tool"]),
    texts=st.lists(any_text, max_size=2).map(tuple),
    images=st.lists(
        st.builds(Image, st.text("abc", max_size=3), st.none() | st.integers(0, 9)), max_size=1
    ).map(tuple),
    tool_calls=st.lists(st.builds(ToolCall, any_text, any_text, any_text), max_size=2).map(tuple),
    tool_call_id=st.none() | any_text,
)


@st.composite
def archives(draw: st.DrawFn) -> ChatArchive:
    chat = "c" + draw(st.text("abc1", max_size=3))
    records: list[Record] = []
    for number, message in enumerate(draw(st.lists(messages, max_size=5))):
        parent = draw(st.none() | st.sampled_from([record.id for record in records])) if records else None
        state: TurnState = draw(st.sampled_from(["complete", "stopped", "failed"]))
        metadata, hints = draw(notes), draw(notes)
        records.append(
            Record(
                chat,
                replace(message, id=f"m{number}"),
                "t",
                parent,
                number,
                state,
                metadata=metadata,
                hints=hints,
            )
        )
    leaf = draw(st.none() | st.sampled_from([record.id for record in records])) if records else None
    title = draw(st.text(max_size=9))
    parameters = draw(st.dictionaries(st.text(max_size=4), json_values, max_size=2))
    tuning = Tuning(draw(st.frozensets(st.text("ab", max_size=2), max_size=2)))
    return ChatArchive(
        Chat(chat, "t", title, leaf=leaf, parameters=parameters), tuple(records), tuning=tuning
    )


def round_trip(*given_archives: ChatArchive) -> Any:
    return import_json(json.loads(export_json(given_archives)))


def comparable(archive: ChatArchive) -> tuple[Any, Any]:
    """Messages of a request are compared by identity, so an archive is compared by what would be written."""
    return encode(replace(archive, snapshots=())), archive.snapshots


def test_a_chat_with_everything_comes_back_equal():
    back = round_trip(FULL)
    assert back.problems == ()
    assert comparable(back.archives[0]) == comparable(FULL)
    assert len(FULL.turns) == 4
    assert FULL.turns[-1].built.inputs.rounds[0].thinking
    assert (
        FULL.turns[2].built.envelope.combined_digest
        == back.archives[0].turns[2].built.envelope.combined_digest
    )


def test_a_chosen_length_comes_back_and_an_older_export_has_none():
    one = replace(FULL, attached=(artifact("a.log", "text", most_tokens=400),))
    written = json.loads(export_json([one]))
    assert import_json(written).archives[0].attached == one.attached
    (chat,) = written["chats"]
    del chat["attached"][0]["most_tokens"]
    assert [a.most_tokens for a in import_json(written).archives[0].attached] == [None]


@given(st.lists(archives(), max_size=2))
@settings(max_examples=tries(40), deadline=None)
def test_any_chat_comes_back_equal(given_archives: list[ChatArchive]):
    back = round_trip(*given_archives)
    assert back.problems == ()
    assert list(back.archives) == given_archives


def test_what_was_sent_in_several_turns_is_written_once():
    document = json.loads(export_json([FULL]))
    assert "words of a note" not in json.dumps(document["chats"])
    assert "words of a note" in json.dumps(document["texts"])
    assert len(document["files"]) == 1
    assert document["format"] == "workbench-chats/1"


def test_the_file_is_plain_ascii():
    assert export_json([plain_archive(user("q", "漢字 \ud800 \u202e"))]).isascii()


def test_damaged_text_is_noticed():
    raw = export_json([FULL]).replace(b"words of a note", b"words of a fake")
    back = import_json(json.loads(raw))
    assert back.archives == ()
    assert back.refused == 1
    assert "is not the one that was exported" in back.problems[0]


def test_damaged_bytes_are_noticed():
    document = json.loads(export_json([FULL]))
    document["files"] = dict.fromkeys(document["files"], "AAAA")
    assert "is not the one that was exported" in import_json(document).problems[0]
    document["files"] = dict.fromkeys(document["files"], "not base64!")
    assert "base64" in import_json(document).problems[0]


def test_one_bad_chat_does_not_stop_the_others():
    document = json.loads(export_json([plain_archive(user("q"), chat="good")]))
    document["chats"].insert(0, {"chat": {"id": 7}})
    back = import_json(document)
    assert [archive.chat.id for archive in back.archives] == ["good"]
    assert back.problems == ("chats[0] was left out: id: expected a value of type str",)


def test_chats_that_are_no_list_are_refused():
    with pytest.raises(InvalidInput):
        import_json({"chats": 3})


def replaced(document: Any, path: list[Any], value: Any) -> Any:
    """The document with one value somewhere inside replaced."""
    if not path or not isinstance(document, dict | list) or not document:
        return value
    keys = list(document) if isinstance(document, dict) else list(range(len(document)))
    key = keys[path[0] % len(keys)]
    copy: Any = dict(document) if isinstance(document, dict) else list(document)
    copy[key] = replaced(document[key], path[1:], value)
    return copy


WHOLE = json.loads(export_json([FULL]))


@given(st.lists(st.integers(0, 40), min_size=1, max_size=9), json_values)
@settings(max_examples=tries(100), deadline=None)
def test_no_mutation_ends_in_a_traceback(path: list[int], value: Any):
    try:
        back = import_json(replaced(WHOLE, path, value))
    except InvalidInput:
        return
    for archive in back.archives:
        assert {record.chat for record in archive.records} <= {archive.chat.id}
        export_json([archive])
