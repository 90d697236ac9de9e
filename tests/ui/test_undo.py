"""The undo stack of tuning: every chat has its own, and steps go out as intents."""

from __future__ import annotations

from collections.abc import Iterable

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
