from __future__ import annotations

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.turns import artifact, assistant, build, shelved, user
from workbench.context.influence.pieces import Piece, Unit, pieces_of, units_of
from workbench.domain.change import Built
from workbench.domain.recall import Found
from workbench.domain.settings.context_settings import ContextSettings, PersonaSources
from workbench.domain.tool import ToolDefinition

SETTINGS = ContextSettings(
    model=WORD_MODEL.name,
    persona=PersonaSources(default="Be kind.", user="Be quick."),
    persona_mode="add",
    project_instructions="Use tabs.",
    user_memory="- Likes tea.\n- Lives in\n  Graz.",
    tools=(ToolDefinition("read", "reads"), ToolDefinition("ls", "lists")),
)


def whole_request() -> Built:
    return build(
        SETTINGS,
        turn=3,
        history=(user("q1", "one"), assistant("a1", "two"), user("q2", "three"), assistant("a2", "four")),
        library=(shelved(artifact("old.md", "old text")),),
        attached=(artifact("new.md", "new text"),),
        question=user("q3", "What now?"),
    )


def piece(name: str, text: str = "", tokens: int = 10, place: int = 0) -> Piece:
    return Piece(name, name, "L2_PREVIOUS", "artifact", tokens, (name,), (name,), text or name, place)


def test_everything_but_the_question_is_a_piece_in_wire_order():
    found = pieces_of(whole_request())
    assert [(one.kind, one.id) for one in found] == [
        ("tool", "tool:read"), ("tool", "tool:ls"), ("instruction", "persona:default"),
        ("instruction", "persona:user"), ("instruction", "project"), ("fact", "memory:0"), ("fact", "memory:1"),
        ("artifact", "old.md"), ("exchange", "q1"), ("exchange", "q2"), ("artifact", "new.md"),
    ]  # fmt: skip
    assert [one.place for one in found] == list(range(len(found)))
    assert found[6].name == "Lives in"
    assert found[8].name == "turn 1"


def test_what_pieces_cost_is_what_the_request_says():
    built = whole_request()
    question = built.envelope.layer("L5_USER").total_tokens
    counted = sum(one.tokens for one in pieces_of(built))
    assert abs(counted + question - built.envelope.total_tokens) <= 3  # parts share what frames them


def test_a_quote_is_a_piece():
    quote = Found(
        "elsewhere/m1", 2.0, text="They met in Riga.", speaker="user", chat="elsewhere", title="Trip"
    )
    built = build(ContextSettings(model=WORD_MODEL.name), question=user("q", "Where?"), found=(quote,))
    assert [(one.kind, one.id, one.name) for one in pieces_of(built)] == [("quote", "elsewhere/m1", "Trip")]


def test_equal_texts_are_one_unit():
    units = units_of([piece("a", "same"), piece("b", "other", place=1), piece("c", "same ", place=2)], 32)
    assert [unit.members for unit in units] == [("a", "c"), ("b",)]
    assert units[0].copies
    assert units[0].name == "a, c"


def test_four_hundred_pieces_are_at_most_so_many_groups_of_neighbours():
    pieces = [piece(f"p{n:03}", tokens=10, place=n) for n in range(399)]
    long = piece("long", tokens=4_000, place=399)
    units = units_of([*pieces, long], 32)
    assert len(units) <= 32
    order = [name for unit in units for name in unit.members]
    assert order == [f"p{n:03}" for n in range(399)] + ["long"]
    assert max(len(unit.pieces) for unit in units) < 50
    assert units[0].name == f"p000 … {units[0].members[-1]}"


def test_a_few_pieces_stay_alone():
    pieces = [piece(f"p{n}", place=n) for n in range(32)]
    assert units_of(pieces, 32) == tuple(Unit((one,)) for one in pieces)
