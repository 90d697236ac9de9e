from __future__ import annotations

import re
from dataclasses import replace

import pytest

from tests.context.influence.test_pieces import whole_request
from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.turns import RENDERERS, artifact, assistant, build, user, wire, word_counter
from workbench.context.assemble import Assembly, assemble
from workbench.context.assembly.render import system_segments
from workbench.context.influence.pieces import Piece, pieces_of, sentences_of, units_of
from workbench.context.influence.without import built_without, inputs_without, with_fences_of
from workbench.domain.change import Built
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.tool import ToolDefinition


def said(built: Built) -> str:
    return "\n".join(f"{one.role}: {one.content}" for one in built.envelope.messages)


def rebuilt(built: Built, pieces: list[Piece]) -> Built:
    inputs = inputs_without(built.inputs, pieces)
    return Built(inputs, assemble(inputs, Assembly(word_counter(), RENDERERS)))


def in_place(built: Built, pieces: list[Piece]) -> Built:
    instructions = system_segments(inputs_without(built.inputs, pieces).settings)
    return built_without(built, pieces, instructions)


WORDS = {
    "persona:default": "Be kind.", "persona:user": "Be quick.", "project": "Use tabs.", "memory:0": "Likes tea.",
    "memory:1": "Graz.", "old.md": "old text", "new.md": "new text", "q1": "two", "q2": "four",
}  # fmt: skip


@pytest.mark.parametrize("gone", WORDS)
def test_the_builder_makes_the_request_without_one_piece_and_with_all_others(gone: str):
    built = whole_request()
    one = next(piece for piece in pieces_of(built) if piece.id == gone)
    text = said(rebuilt(built, [one]))
    assert {name for name, words in WORDS.items() if words not in text} == {gone}
    assert "What now?" in text


@pytest.mark.parametrize("gone", WORDS)
def test_taken_out_in_place_it_is_the_request_that_the_builder_makes(gone: str):
    built = whole_request()
    one = next(piece for piece in pieces_of(built) if piece.id == gone)
    assert said(in_place(built, [one])) == said(rebuilt(built, [one]))


def test_a_memory_without_its_last_fact_begins_byte_for_byte_as_it_was_sent():
    """A fence is made of all that it encloses: with another one in the opening tag, a cache held nothing of it."""
    built = whole_request()
    last = next(piece for piece in pieces_of(built) if piece.id == "memory:1")
    text = said(with_fences_of(built, rebuilt(built, [last])))
    before, _, _ = said(built).partition("- Lives in")
    assert text.startswith(before)
    opening, closing = re.search('<user_memory fence="(.*)">', text), re.search("</user_memory (.*)>", text)
    assert opening is not None
    assert closing is not None
    assert opening[1] == closing[1]
    assert WORDS["memory:1"] not in text


def test_several_pieces_and_tools_are_left_out_together():
    built = whole_request()
    gone = [
        one for one in pieces_of(built) if one.id in ("tool:read", "memory:0", "memory:1", "q1", "new.md")
    ]
    without = rebuilt(built, gone)
    assert without.inputs.settings.tools == (ToolDefinition("ls", "lists"),)
    text = said(without)
    assert {name for name, words in WORDS.items() if words not in text} == {
        "memory:0",
        "memory:1",
        "q1",
        "new.md",
    }
    assert "user_memory" not in text


def test_the_heading_stays_with_the_next_file():
    built = build(
        turn=2,
        history=(user("q1", "one"), assistant("a1", "two")),
        attached=(artifact("a.md", "first file"), artifact("b.md", "second file")),
        question=user("q2", "What?"),
    )
    one = next(piece for piece in pieces_of(built) if piece.id == "a.md")
    assert said(in_place(built, [one])) == said(rebuilt(built, [one]))
    both = [piece for piece in pieces_of(built) if piece.kind == "artifact"]
    assert said(in_place(built, both)) == said(rebuilt(built, both))
    assert in_place(built, both).envelope.messages[-1].content == "What?"


def test_a_file_that_came_with_a_question_goes_with_the_next_one_when_that_is_gone():
    """In a log a file stands where it was first sent; without its question two messages of a person would follow."""
    first = build(attached=(artifact("a.md", "a file"),), question=user("q1", "one"))
    log = Built(
        first.inputs,
        replace(
            first.envelope,
            messages=(*first.envelope.messages, wire("a1", "assistant", "two"), wire("q2", "user", "What?")),
        ),
    )
    gone = Piece("q1", "", "L4_STRIP", "exchange", 1, ("q1", "a1"), ("q1", "a1"), "", 0)
    last = built_without(log, [gone], None).envelope.messages[-1]
    assert last.role == "user"
    assert last.content.index("a file") < last.content.index("What?")
    assert len(built_without(log, [gone], None).envelope.messages) == 1


def test_a_fact_that_another_one_begins_with_is_left_out_alone():
    memory = "- Likes tea with milk.\n- Likes tea\n- Lives in Graz."
    built = build(ContextSettings(model=WORD_MODEL.name, user_memory=memory), question=user("q", "What?"))
    second = pieces_of(built)[1]
    assert inputs_without(built.inputs, [second]).settings.user_memory == (
        "- Likes tea with milk.\n- Lives in Graz."
    )


def test_of_a_sentence_that_stands_twice_the_one_that_is_meant_is_left_out():
    text = "It rained all day.\nThen we left.\nIt rained all day.\nAt last.\n"
    built = build(attached=(artifact("a.md", text),), question=user("q", "What?"))
    unit = units_of(pieces_of(built), 32)[0]
    cuts = [inputs_without(built.inputs, [one.piece]).attached[0].text for one in sentences_of(unit, built)]
    assert cuts[0].startswith("\nThen we left.\nIt rained")
    assert cuts[2] == "It rained all day.\nThen we left.\n\nAt last.\n"
    assert "It rained all day." not in "".join(
        inputs_without(built.inputs, [one.piece for one in sentences_of(unit, built)]).attached[0].text
    )
