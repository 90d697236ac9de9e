"""Messages of the history that two requests have differently."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.turns import assistant, build, user, word_counter
from workbench.context.compare import Moved, compare, moved_messages
from workbench.domain.change import Built
from workbench.domain.settings.context_settings import ContextSettings, HistorySettings
from workbench.domain.turn import Tuning

SETTINGS = ContextSettings(model=WORD_MODEL.name, system_prompt="Be kind.")
TALK = tuple(
    message
    for number in range(1, 5)
    for message in (user(f"q{number}", "why so?"), assistant(f"a{number}", "words " * 30))
)

LONGER = (*TALK, user("q5", "and?"), assistant("a5", "words " * 30))
TIGHT = replace(
    SETTINGS, context_window=260, reserved_output_tokens=0, history=HistorySettings(keep_last_n_assistant=1)
)


def turn(settings: ContextSettings = SETTINGS, **changes: object) -> Built:
    given = {"turn": 5, "history": TALK, "question": user("q5", "and?"), **changes}
    return build(settings, **given)  # type: ignore[arg-type]


def moved(before: Built, after: Built) -> list[Moved]:
    return list(moved_messages(before, after, compare(before, after, word_counter()).causes))


def ids(group: Moved) -> tuple[list[str], list[str]]:
    return [one.id for one, _ in group.before], [one.id for one, _ in group.after]


def test_messages_that_were_trimmed_stand_together_and_say_up_to_where():
    """A row a message would bury every other reason under fifty equal ones."""
    trimmed, new = moved(turn(TIGHT), turn(TIGHT, turn=6, history=LONGER, question=user("q6", "so?")))
    assert (trimmed.cause, trimmed.subject, new.cause) == ("trimmed", "a1", None)
    assert ids(trimmed) == (["a1", "a2", "a3", "a4"], ["a1", "a2", "a3", "a4"])
    assert sum(cost for _, cost in trimmed.after) < sum(cost for _, cost in trimmed.before)
    assert trimmed.numbers[1] > trimmed.numbers[0] == 0


def test_messages_that_somebody_left_out_are_counted():
    (group,) = moved(turn(), turn(tuning=Tuning(excluded=frozenset({"q2", "a2"}))))
    assert (group.cause, group.subject, group.numbers) == ("excluded", "q2", (0, 2))
    assert ids(group) == (["q2", "a2"], [])


def test_messages_that_came_back_are_there_again():
    (group,) = moved(turn(tuning=Tuning(excluded=frozenset({"a2"}))), turn())
    assert (group.cause, ids(group)) == ("excluded", ([], ["a2"]))


def test_an_edited_message_has_both_texts():
    edited = (TALK[0], assistant("a1", "other words"), *TALK[2:])
    (group,) = moved(turn(), turn(history=edited))
    assert (group.cause, ids(group)) == ("history_edited", (["a1"], ["a1"]))


def test_turns_between_the_two_are_history_for_the_later_one():
    after = turn(turn=7, history=(*TALK, user("q5", "and?"), assistant("a5"), user("q6"), assistant("a6")))
    (group,) = moved(turn(), after)
    assert (group.cause, group.subject, group.numbers) == (None, "q5", (5, 6))
    assert ids(group) == ([], ["q5", "a5", "q6", "a6"])


def test_a_changed_instruction_does_not_explain_a_trimmed_message():
    """Both are causes; only one of them is about messages."""
    other = replace(TIGHT, system_prompt="Be brief.")
    groups = moved(turn(TIGHT), turn(other, turn=6, history=LONGER, question=user("q6", "so?")))
    assert [(group.cause, len(group.before)) for group in groups] == [("trimmed", 4), (None, 0)]
