"""The undo stack of tuning: every chat has its own, and steps go out as intents."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from tests.fakes.sample_state import CHAT, sample_state
from workbench.engine.intents import Intent, RenameChat
from workbench.ui.steps import Step
from workbench.ui.undo import TuningUndo


class Sent(list[Intent]):
    def all(self, intents: Iterable[Intent]) -> None:
        self.extend(intents)


def step(chat: str, title: str) -> Step:
    return Step(chat, title, (RenameChat(chat, f"do {title}"),), (RenameChat(chat, f"undo {title}"),))


def words(sent: Sent) -> list[str]:
    return [intent.title for intent in sent if isinstance(intent, RenameChat)]


def test_a_step_is_done_taken_back_and_done_again(qapp):
    sent = Sent()
    undo = TuningUndo(sent.all)
    undo.show("a")
    undo.push(step("a", "pin"))
    assert undo.undo_text() == "pin"
    assert undo.undo() == "pin"
    assert (undo.undo_text(), undo.redo_text()) == ("", "pin")
    assert undo.redo() == "pin"
    assert words(sent) == ["do pin", "undo pin", "do pin"]


def test_undo_is_about_the_chat_in_view_only(qapp):
    sent = Sent()
    undo = TuningUndo(sent.all)
    undo.show("a")
    undo.push(step("a", "one"))
    undo.show("b")
    assert undo.undo_text() == ""
    undo.undo()
    undo.push(step("b", "two"))
    undo.show("a")
    undo.undo()
    assert words(sent) == ["do one", "do two", "undo one"]


def test_a_chat_that_is_gone_leaves_nothing_to_undo(qapp):
    undo = TuningUndo(Sent().all)
    undo.show("a")
    undo.push(step("a", "one"))
    undo.forget("a")
    undo.show("a")
    assert undo.undo_text() == ""


def test_a_step_is_taken_back_by_itself_whatever_is_in_view(qapp: object):
    """Otherwise a toast would undo the last step of another chat."""
    sent: list[object] = []
    undo = TuningUndo(sent.extend)
    one, other = (
        Step(chat, chat, (RenameChat(chat, "new"),), (RenameChat(chat, "old"),)) for chat in ("a", "b")
    )
    undo.push(one)
    undo.push(other)
    undo.show("b")
    undo.take_back(one)
    assert sent[2:] == [RenameChat("a", "old")]
    assert undo.undo_text() == "b"
    undo.take_back(one)  # it is not the last one any more: its own way back is taken
    assert sent[3:] == [RenameChat("a", "old")]


def test_steps_of_an_earlier_session_are_taken_back_and_one_that_does_not_hold_is_dropped(qapp: object):
    sent, kept = Sent(), dict[str, tuple[str, ...]]()
    first = TuningUndo(sent.all)
    first.kept.connect(lambda chat, steps: kept.update({chat: steps}))
    first.push(step(CHAT, "one"))
    first.push(step(CHAT, "two"))
    sent.clear()
    undo = TuningUndo(sent.all)
    undo.show(CHAT)
    undo.restore(CHAT, kept[CHAT])
    undo.restore(CHAT, kept[CHAT])
    assert (sent, undo.undo_text()) == ([], "two")
    chat = sample_state().open[CHAT]
    as_left = replace(chat, chat=replace(chat.chat, title="do two"))
    assert undo.outdated(as_left) == ""
    assert (undo.undo(), words(sent)) == ("two", ["undo two"])
    assert undo.outdated(as_left) == "one", "the title is another by now"
    assert (undo.undo_text(), words(sent)) == ("", ["undo two"])
    assert (undo.redo(), words(sent)) == ("two", ["undo two", "do two"])


def test_what_was_taken_back_is_not_kept(qapp: object):
    kept = list[int]()
    undo = TuningUndo(Sent().all)
    undo.kept.connect(lambda _, steps: kept.append(len(steps)))
    undo.show(CHAT)
    undo.push(step(CHAT, "one"))
    undo.push(step(CHAT, "two"))
    undo.undo()
    undo.redo()
    assert kept == [1, 2, 1, 2]


def test_a_step_that_was_dropped_does_not_come_back_with_the_next_state(qapp: object):
    kept = list[tuple[str, ...]]()
    first = TuningUndo(Sent().all)
    first.kept.connect(lambda _, steps: kept.append(steps))
    first.push(step(CHAT, "one"))
    undo = TuningUndo(Sent().all)
    undo.show(CHAT)
    undo.restore(CHAT, kept[-1])
    assert undo.outdated(sample_state().open[CHAT]) == "one"
    undo.restore(CHAT, kept[-1])
    assert undo.undo_text() == ""
