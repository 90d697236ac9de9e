"""History is shown turn by turn; turns that one rule cut are shown as one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.fakes.turns import assistant, build, result, user
from workbench.context.assembly.exchanges import TurnGroup, exchanges
from workbench.domain.change import Built
from workbench.domain.envelope import TrimState
from workbench.domain.message import Image, Message
from workbench.domain.settings.context_settings import ContextSettings, FilterSettings, HistorySettings
from workbench.domain.turn import Tuning

SETTINGS = ContextSettings(model="word-1")
LONG = "many words in an answer that is worth trimming"


def talk(turns: int, answer: str = LONG) -> tuple[Message, ...]:
    return tuple(m for n in range(1, turns + 1) for m in (user(f"u{n}"), assistant(f"a{n}", answer)))


def history(settings: ContextSettings = SETTINGS, turns: int = 4, **changes: Any) -> list[TurnGroup]:
    built = build(settings, **{"history": talk(turns), "turn": turns + 1, "question": user("q"), **changes})
    return found(built)


def found(built: Built) -> list[TurnGroup]:
    return exchanges(built.envelope.layer("L4_STRIP"), built)


def spans(some: list[TurnGroup]) -> list[tuple[int, int, str]]:
    return [(one.first_turn, one.last_turn, one.fate) for one in some]


def ids(exchange: TurnGroup) -> list[str]:
    return [segment.id for segment, _ in exchange.parts]


def test_a_question_and_its_answers_are_one_exchange():
    said = (user("u1"), assistant("a1", "x", "c"), result("r1", "c"), assistant("b1"), user("u2"))
    some = found(build(history=said, turn=3))
    assert [ids(one) for one in some] == [["u1", "a1", "r1", "b1"], ["u2"]]
    assert spans(some) == [(1, 1, "sent"), (2, 2, "sent")]


def test_what_stands_before_the_first_question_belongs_to_it():
    some = found(build(history=(assistant("hello"), *talk(2)), turn=3))
    assert [ids(one) for one in some] == [["hello", "u1", "a1"], ["u2", "a2"]]
    assert spans(found(build(history=(assistant("hello"),), turn=2))) == [(1, 1, "sent")]


def test_numbers_are_those_of_the_turns_even_where_the_first_ones_were_deleted():
    assert spans(history(turns=3, turn=8)) == [(5, 5, "sent"), (6, 6, "sent"), (7, 7, "sent")]
    assert spans(history(turns=2, turn=1)) == [(1, 1, "sent"), (2, 2, "sent")]


def test_trimmed_turns_are_one_and_the_others_each_their_own():
    assert spans(history(trim=TrimState(6))) == [(1, 3, "trimmed"), (4, 4, "sent")]


def test_an_answer_shorter_than_its_placeholder_does_not_part_trimmed_ones():
    said = list(talk(4))
    said[3] = assistant("a2", "")
    assert spans(history(history=tuple(said), trim=TrimState(6))) == [(1, 3, "trimmed"), (4, 4, "sent")]


def test_a_pinned_turn_stands_alone_among_trimmed_ones():
    some = history(trim=TrimState(6), tuning=Tuning(pinned=frozenset({"a2"})))
    assert spans(some) == [(1, 1, "trimmed"), (2, 2, "sent"), (3, 3, "trimmed"), (4, 4, "sent")]
    assert [one.alone for one in some] == [False, True, False, False]


def test_short_answers_between_pinned_turns_are_turns_of_their_own():
    said = list(talk(6))
    said[5], said[7] = assistant("a3", "ok"), assistant("a4", "ok")
    pinned = Tuning(pinned=frozenset({"a2", "a5"}))
    some = history(history=tuple(said), turn=7, trim=TrimState(12), tuning=pinned)
    assert spans(some) == [
        (1, 1, "trimmed"),
        (2, 2, "sent"),
        (3, 3, "sent"),
        (4, 4, "sent"),
        (5, 5, "sent"),
        (6, 6, "trimmed"),
    ]


def test_turns_beyond_a_cap_are_one():
    capped = replace(SETTINGS, history=HistorySettings(last_n_messages=4))
    some = history(capped)
    assert spans(some) == [(1, 2, "capped"), (3, 3, "sent"), (4, 4, "sent")]
    assert [one.sent for one in some] == [False, True, True]


def test_a_turn_that_a_cap_cuts_in_the_middle_is_trimmed():
    capped = replace(SETTINGS, history=HistorySettings(last_n_messages=3))
    assert spans(history(capped)) == [(1, 2, "capped"), (3, 3, "trimmed"), (4, 4, "sent")]


def test_what_a_person_left_out_stands_alone():
    out = Tuning(excluded=frozenset({"u2", "a2", "u3", "a3", "u4"}))
    some = history(tuning=out)
    assert spans(some) == [(1, 1, "sent"), (2, 2, "left_out"), (3, 3, "left_out"), (4, 4, "sent")]
    assert [one.left_out for one in some] == [0, 2, 2, 1]


def test_what_a_filter_takes_is_not_what_a_cap_takes():
    filtered = replace(SETTINGS, filters=FilterSettings(exclude_kinds=frozenset({"agent"})))
    assert spans(history(filtered)) == [(1, 4, "filtered")]


def test_what_no_provider_accepts_is_repaired_away():
    said = (user("u1"), user("u2"), result("r2", "nobody"))
    some = found(build(history=said, turn=3))
    assert spans(some) == [(1, 1, "sent"), (2, 2, "sent")]
    alone = found(build(history=(result("r", "nobody"),), turn=2))
    assert spans(alone) == [(1, 1, "repaired")]


def test_a_picture_of_unknown_cost_makes_a_guess():
    known, unknown = (Message("u1", "user", ("Look",), (Image("d", tokens),)) for tokens in (85, None))
    assert [one.guessed for one in found(build(history=(known,), turn=2))] == [False]
    assert [one.guessed for one in found(build(history=(unknown,), turn=2))] == [True]


def test_no_history_no_exchanges():
    assert history(turns=0) == []
