"""A request layer by layer: rows that no cut takes, where layers begin, and what they depend on."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.turns import artifact, assistant, build, result, shelved, user
from tests.fakes.views import around, layers_of, rows_of
from workbench.context.explain.view import layer_key, layer_starts
from workbench.domain.message import Image
from workbench.domain.settings.context_settings import ContextSettings, PersonaSources
from workbench.domain.shown.envelope_view import NO_REASON, REFERENCES, Reason
from workbench.domain.tool import ToolDefinition

SETTINGS = ContextSettings(
    model="word-1", system_prompt="Be kind.", persona=PersonaSources("A poet."), user_memory="Likes tea.",
    project_instructions="Use tabs.", tools=(ToolDefinition("read"),), tool_guidelines="Be careful.",
)  # fmt: skip
TALK = (user("u1"), assistant("a1"))


def test_instructions_tools_and_the_question_are_locked():
    built = build(SETTINGS, question=user("q"), now="noon")
    rows = [*rows_of(around(built), "L1_SYSTEM"), *rows_of(around(built), "L5_USER")]
    assert [(row.kind, row.name) for row in rows] == [
        ("tool", "read"),
        ("persona", "persona"),
        ("system", "system"),
        ("tool_guidelines", "tool_guidelines"),
        ("project", "project"),
        ("memory", "memory"),
        ("time", "time"),
        ("question", "question"),
    ]
    assert {(row.state, row.pinned, row.priority) for row in rows} == {("locked", True, 0)}
    assert not any(row.tunable or row.excludable for row in rows)


def test_a_question_is_a_draft_until_it_is_sent():
    built = build(SETTINGS, question=user("q"))
    assert [row.reason for row in rows_of(around(built), "L5_USER")] == [Reason("draft")]
    for standing in ("in_flight", "sent"):
        seen = around(built, standing=standing)
        assert [row.reason for row in rows_of(seen, "L5_USER")] == [NO_REASON]


def test_a_layer_sums_its_rows_and_an_empty_one_has_no_digest():
    built = build(SETTINGS, history=TALK, question=user("q"), attached=(artifact("a"),))
    layers = layers_of(around(built), read_tokens=10)
    assert [layer.name for layer in layers] == [layer.name for layer in built.envelope.layers]
    assert [layer.tokens for layer in layers] == [layer.total_tokens for layer in built.envelope.layers]
    assert [layer.cached_tokens for layer in layers] == [10, 0, 0, 0, 0]
    assert [bool(layer.digest) for layer in layers] == [True, False, True, True, True]


def test_layers_begin_where_the_one_before_ends():
    shelf = (shelved(artifact("b")),)
    built = build(SETTINGS, history=TALK, question=user("q"), attached=(artifact("a"),), library=shelf)
    sizes = [layer.total_tokens for layer in built.envelope.layers]
    assert layer_starts(built) == [sum(sizes[:n]) for n in range(5)]


def test_the_question_begins_before_what_was_said_after_it():
    rounds = (assistant("a", "", "c1"), result("r", "c1"))
    with_rounds, without = (build(SETTINGS, question=user("q"), rounds=some) for some in (rounds, ()))
    assert layer_starts(with_rounds) == layer_starts(without)


def test_the_key_of_a_layer_changes_with_the_request_before():
    built = build(SETTINGS, history=TALK, question=user("q"))
    other = build(replace(SETTINGS, system_prompt="Be brief."), question=user("q"))
    later = replace(other, inputs=replace(other.inputs, turn=2))
    for layer in built.envelope.layers:
        assert layer_key(layer, around(built)) == layer_key(layer, around(built))
        assert layer_key(layer, around(built)) != layer_key(layer, around(built, other))
        assert layer_key(layer, around(built, other)) != layer_key(layer, around(built, later))


def test_a_picture_has_a_row_of_its_own_with_what_it_costs():
    photo = artifact("p", "[photo.png]", kind="image", name="photo.png")
    asked = replace(user("q", "what is it"), images=(Image("d", 300, source="p"), Image("e", 40)))
    for layout in ("layered", "append_only"):
        built = build(replace(SETTINGS, layout=layout), question=asked, attached=(photo,))
        seen = rows_of(around(built), "L5_USER")
        assert [(row.kind, row.name, row.tokens) for row in seen[1:]] == [
            ("image", "photo.png", 300), ("image", "picture", 40),
        ]  # fmt: skip
        assert sum(row.tokens for row in seen) == built.envelope.layer("L5_USER").total_tokens
        words = build(replace(SETTINGS, layout=layout), question=replace(asked, images=()), attached=(photo,))
        assert seen[0].tokens == rows_of(around(words), "L5_USER")[0].tokens


def test_the_price_of_a_picture_that_nobody_published_is_estimated_not_that_of_the_words():
    built = build(SETTINGS, question=replace(user("q"), images=(Image("d", width=64, height=64),)))
    assert [row.state for row in rows_of(around(built), "L5_USER")] == ["locked", "estimated"]


def test_tools_are_grouped_by_their_server():
    tools = tuple(ToolDefinition(name) for name in ("read", "docs__search", "docs__fetch", "mail__send"))
    layer = layers_of(around(build(replace(SETTINGS, tools=tools), question=user("q"))))[0]
    assert [(one.server, one.count) for one in layer.groups] == [("docs", 2), ("mail", 1)]
    inside = [row for row in layer.rows if row.group == layer.groups[0].key]
    assert layer.groups[0].tokens == sum(row.tokens for row in inside)


def test_references_to_the_library_are_a_group():
    file = artifact("a.md", "alpha beta " * 30)
    built = build(SETTINGS, attached=(file,), library=(shelved(file, attached=True),), question=user("q"))
    layer = next(one for one in layers_of(around(built)) if one.name == "L3_TURN")
    assert [(row.state, row.group) for row in layer.rows] == [("reference", REFERENCES)]
    assert [(one.key, one.count, one.tokens) for one in layer.groups] == [(REFERENCES, 1, layer.tokens)]
