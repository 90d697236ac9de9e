"""What instructions are made of, with the tokens of each part."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.counter import LetterCounter
from workbench.context.assembly.render import system_segments
from workbench.context.explain.view import instruction_parts
from workbench.domain.segment import Segment
from workbench.domain.settings.context_settings import ContextSettings, PersonaSources
from workbench.domain.workspace import memory_text

WHO = PersonaSources("Be kind to all.", "Python only.", "Be brief.")


def segment(settings: ContextSettings, kind: str) -> Segment:
    return next(one for one in system_segments(settings) if one.kind == kind)


def parts(settings: ContextSettings, kind: str) -> list[tuple[str, str, int]]:
    found = instruction_parts(segment(settings, kind), settings, LetterCounter())
    return [(one.source, one.text, one.tokens) for one in found]


def test_a_persona_by_who_says_it():
    assert parts(ContextSettings(persona=WHO, persona_mode="add"), "persona") == [
        ("default", "Be kind to all.", 15), ("workspace", "Python only.", 12), ("chat", "Be brief.", 9),
    ]  # fmt: skip
    assert parts(ContextSettings(persona=WHO), "persona") == [("chat", "Be brief.", 9)]


def test_memory_fact_by_fact_however_many_lines_each_has():
    facts = ["Tokens live 900 s.", "Two\nlines", "- a dash"]
    made = ContextSettings(user_memory=memory_text(facts))
    assert [(source, text) for source, text, _ in parts(made, "memory")] == [("fact", one) for one in facts]
    plain = ContextSettings(user_memory="Likes tea.")
    assert parts(plain, "memory") == []


def test_what_was_replaced_on_the_way_is_one_piece():
    made = ContextSettings(persona=WHO, persona_mode="add")
    other = Segment("persona", "L1_SYSTEM", "persona", "Be kind to all. •••", "")
    assert instruction_parts(other, made, LetterCounter()) == ()
    assert (
        instruction_parts(segment(ContextSettings(system_prompt="x"), "system"), made, LetterCounter()) == ()
    )


@given(st.lists(st.text(alphabet="ab-\n é", min_size=1, max_size=12).filter(str.strip), max_size=5))
def test_parts_never_cost_more_than_their_row(facts: list[str]):
    made = ContextSettings(user_memory=memory_text(facts))
    if made.user_memory:
        row = segment(made, "memory")
        found = instruction_parts(row, made, LetterCounter())
        assert len(found) == len(facts)
        assert sum(part.tokens for part in found) <= len(row.text)
