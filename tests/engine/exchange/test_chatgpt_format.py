"""ChatGPT's export: branches become siblings, circles are cut open, what is no text is named."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.archives import fresh
from workbench.domain.message import Message, ToolCall
from workbench.engine.exchange.chatgpt_format import import_chatgpt
from workbench.engine.exchange.soundness import make_sound


def node(
    key: str, parent: str | None, *children: str, role: str = "user", text: Any = None, **extra: Any
) -> Any:
    message = None
    if text is not None:
        content = text if isinstance(text, dict) else {"content_type": "text", "parts": [text]}
        message = {
            "id": key, "author": {"role": role, "name": None, "metadata": {}}, "create_time": 1693526400.25,
            "content": content, "recipient": "all", "metadata": {}, "weight": 1.0, **extra,
        }  # fmt: skip
    return {"id": key, "message": message, "parent": parent, "children": list(children)}


def conversation(*nodes: Any, **changes: Any) -> Any:
    return {
        "title": "Pigeons", "create_time": 1693526399.0, "update_time": 1693526500.0,
        "mapping": {one["id"]: one for one in nodes}, "moderation_results": [], "plugin_ids": None,
        "conversation_id": "11111111-2222-3333-4444-555555555555", "current_node": nodes[-1]["id"], **changes,
    }  # fmt: skip


BRANCHED = conversation(
    node("root", None, "sys"),
    node("sys", "root", "q", role="system", text=""),
    node("q", "sys", "a1", "a2", text="Do pigeons dream?"),
    node("a2", "q", "q2", role="assistant", text="They do.", metadata={"model_slug": "gpt-4"}),
    node("a1", "q", role="assistant", text="Perhaps."),
    node("q2", "a2", text="Of what?"),
)


def test_branches_become_siblings_and_the_current_node_is_in_view():
    back = import_chatgpt([BRANCHED], fresh())
    assert back.problems == ()
    archive = back.archives[0]
    assert (archive.chat.id, archive.chat.title) == ("11111111-2222-3333-4444-555555555555", "Pigeons")
    assert archive.chat.created_utc == "2023-08-31T23:59:59Z"
    assert [(record.id, record.parent) for record in archive.records] == [
        ("q", None), ("a1", "q"), ("a2", "q"), ("q2", "a2"),
    ]  # fmt: skip
    assert archive.chat.leaf == "q2"
    assert archive.records[0].created_utc == "2023-09-01T00:00:00.250Z"
    assert archive.records[2].metadata == {"model": "gpt-4"}
    assert make_sound(archive) == (archive, ())


def test_calls_of_tools_and_their_results_belong_together():
    document = conversation(
        node("q", None, "c", text="2+2?"),
        node("c", "q", "r", role="assistant", text={"content_type": "code", "text": "2+2"}, recipient="python"),
        node("r", "c", role="tool", text={"content_type": "execution_output", "text": "4"}),
    )  # fmt: skip
    records = import_chatgpt([document], fresh()).archives[0].records
    assert records[1].entry == Message(
        "c", "assistant", (), (), (ToolCall("call-c", "python", '{"input": "2+2"}'),)
    )
    assert records[2].entry == Message("r", "tool", ("4",), tool_call_id="call-c")


def test_what_is_no_text_is_named():
    picture = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://x"}
    document = conversation(
        node("q", None, "t", text={"content_type": "multimodal_text", "parts": [picture, "What is this?"]},
             metadata={"attachments": [{"name": "a.png"}]}),
        node("t", "q", "a", role="assistant", text={"content_type": "thoughts", "thoughts": [{"content": "hm"}]}),
        node("a", "t", role="assistant", text="A pigeon."),
    )  # fmt: skip
    back = import_chatgpt([document, {"title": "broken"}], fresh())
    assert [(r.id, r.parent) for r in back.archives[0].records] == [("q", None), ("a", "q")]
    assert back.problems == (
        "conversation 2: it has no mapping of messages; left out",
        "1 × attached file: left out",
        "1 × image_asset_pointer: left out",
    )
    answer = back.archives[0].records[1].entry
    assert isinstance(answer, Message)
    assert [thought.text for thought in answer.thinking] == ["hm"]


def test_messages_in_a_circle_are_all_kept():
    document = conversation(
        node("a", "c", "b", text="1"), node("b", "a", "c", text="2"), node("c", "b", "a", text="3")
    )
    back = import_chatgpt([document], fresh())
    assert [(r.id, r.parent) for r in back.archives[0].records] == [("a", None), ("b", "a"), ("c", "b")]
    circle = "1 × circle of messages that answer each other: cut open, nothing is missing"
    assert back.problems == (circle,)


def test_a_parent_that_is_not_there_makes_a_beginning():
    back = import_chatgpt(conversation(node("a", "lost", text="1"), current_node="nowhere"), fresh())
    assert [(r.id, r.parent) for r in back.archives[0].records] == [("a", None)]
    assert back.archives[0].chat.leaf == "a"
    assert back.problems == (
        "1 × conversation whose newest message is not in the file: its last one is shown",
        "1 × message that answers one which is not in the file: it begins a branch of its own",
    )


def test_answers_that_are_named_and_not_there_are_counted():
    """Nodes were missing from a file, and nothing was said."""
    back = import_chatgpt(
        conversation(node("a", None, "b", "lost", "gone", text="1"), node("b", "a")), fresh()
    )
    assert back.problems == ("2 × message that is named, and is not in the file: left out",)


def test_a_question_that_was_only_a_picture_is_missed():
    picture = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://x"}
    back = import_chatgpt(
        conversation(
            node("q", None, "a", text={"content_type": "multimodal_text", "parts": [picture]}),
            node("a", "q", role="assistant", text="A pigeon."),
        ),
        fresh(),
    )
    assert back.problems == (
        "1 × image_asset_pointer: left out",
        "1 × question of which nothing is left: left out",
    )


def test_ids_that_occur_twice_are_told_apart():
    document = conversation(node("a", None, "b", text="1"), node("b", "a", text="2"))
    document["mapping"]["b"]["message"]["id"] = "a"
    back = import_chatgpt([document, document], fresh())
    assert [r.id for r in back.archives[0].records] == ["a", "id1"]
    assert len({archive.chat.id for archive in back.archives}) == 2


def test_a_very_long_chat_needs_no_deep_stack():
    nodes = [node(f"n{i}", f"n{i - 1}" if i else None, f"n{i + 1}", text=str(i)) for i in range(5000)]
    assert len(import_chatgpt(conversation(*nodes), fresh()).archives[0].records) == 5000


names = st.sampled_from(["a", "b", "c", "d"])
fields = [
    "author",
    "role",
    "content",
    "parts",
    "content_type",
    "text",
    "recipient",
    "metadata",
    "attachments",
]
odd = st.recursive(
    st.none() | st.booleans() | st.integers() | names | st.sampled_from(["user", "tool", "text", "all"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*fields, "id", "create_time"]), inner, max_size=5)
    ),
    max_leaves=12,
)
nodes_of = st.dictionaries(
    names, st.fixed_dictionaries({"parent": odd, "children": odd, "message": odd}) | odd, max_size=4
)


@given(nodes_of, odd, odd)
@settings(deadline=None)
def test_no_mapping_ends_in_a_traceback(mapping: Any, current: Any, other: Any):
    document = [
        {"mapping": mapping, "current_node": current, "create_time": other, "title": other, "id": other},
        other,
    ]
    for archive in import_chatgpt(document, fresh()).archives:
        assert make_sound(archive) == (archive, ())
