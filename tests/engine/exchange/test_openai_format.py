"""Messages as OpenAI's API takes them, out and in."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.archives import SETTINGS, fresh, full_archive, plain_archive
from tests.fakes.turns import assistant, result, user
from workbench.domain.message import Message, ToolCall
from workbench.engine.exchange.openai_format import export_openai, import_openai


def lines(raw: bytes) -> list[Any]:
    return [json.loads(line) for line in raw.decode().splitlines()]


def test_calls_and_results_are_in_their_native_form():
    archive = plain_archive(
        user("q", "Read it"), assistant("a", "", "c1"), result("r", "c1", "text"), assistant("e", "Done")
    )
    assert lines(export_openai([archive])) == [
        {
            "messages": [
                {"role": "user", "content": "Read it"},
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [
                        {"id": "c1", "type": "function", "function": {"name": "read", "arguments": "{}"}}
                    ],
                },
                {"role": "tool", "content": "text", "tool_call_id": "c1"},
                {"role": "assistant", "content": "Done"},
            ]
        }
    ]


def test_a_line_a_chat_with_its_system_prompt():
    found = lines(export_openai([full_archive(), plain_archive(user("q"))]))
    assert found[0]["messages"][0] == {"role": "system", "content": SETTINGS.system_prompt}
    assert len(found) == 2


def test_it_comes_back():
    archive = full_archive()
    back = import_openai(lines(export_openai([archive])), fresh())
    assert back.problems == ()
    assert back.archives[0].chat.settings.system_prompt == SETTINGS.system_prompt
    entries = [record.entry for record in back.archives[0].records]
    for entry, record in zip(entries, archive.records[:12], strict=True):
        assert isinstance(record.entry, Message)
        assert replace(entry, id=record.id) == record.entry


def test_parts_stay_parts():
    archive = plain_archive(Message("m", "user", ("one", "two")))
    back = import_openai(lines(export_openai([archive])), fresh())
    assert back.archives[0].records[0].entry == Message("id2", "user", ("one", "two"))


def test_what_others_write_is_understood():
    document = [
        {"role": "developer", "content": "Be brief"},
        {
            "role": "user",
            "content": [{"type": "text", "text": "Look"}, {"type": "image_url", "image_url": {"url": "x"}}],
        },
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": {"a": 1}}},
        {"role": "function", "name": "f", "content": "42"},
        {"role": "critic", "content": "Hm"},
        "nonsense",
    ]
    back = import_openai(document, fresh())
    archive = back.archives[0]
    assert archive.chat.settings.system_prompt == "Be brief"
    assert [record.entry for record in archive.records] == [
        Message("id2", "user", ("Look",)),
        Message("id3", "assistant", (), (), (ToolCall("call_1", "f", '{"a": 1}'),)),
        Message("id4", "tool", ("42",)),
        Message("id5", "user", ("Hm",)),
    ]
    assert back.problems == (
        "chat 1, message 5: its role is unknown; kept as the user's",
        "chat 1, message 6: expected an object; left out",
        "1 × field “name” of a message: left out",
        "1 × image_url: left out",
    )


fields = [
    "messages",
    "role",
    "content",
    "type",
    "text",
    "tool_calls",
    "function",
    "name",
    "function_call",
    "id",
]
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["user", "assistant", "tool", "text", "id"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(fields), inner, max_size=4),
    max_leaves=25,
)


@given(json_values)
def test_no_document_ends_in_a_traceback(document: Any):
    import_openai(document, fresh())
    import_openai({"messages": document}, fresh())
    import_openai([{"messages": [document]}, document], fresh())


def test_fields_that_mean_nothing_here_are_named():
    """A refusal, a name and the tools of a chat went away without a word."""
    messages = [
        {"role": "user", "content": "Why?", "name": "Ann"},
        {"role": "assistant", "content": None, "refusal": "I cannot.", "annotations": []},
        {"role": "user", "content": {"text": "odd"}},
    ]
    back = import_openai({"messages": messages, "tools": [{"type": "function"}]}, fresh())
    assert back.problems == (
        "1 × content that is neither text nor a list: left out",
        "1 × field “name” of a message: left out",
        "1 × field “refusal” of a message: left out",
        "1 × field “tools” of a chat: left out",
    )
