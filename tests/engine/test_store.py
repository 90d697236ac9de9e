"""The state and those who listen to it."""

from __future__ import annotations

from workbench.engine.events import Event, NoticeGiven
from workbench.engine.state import WorkbenchState
from workbench.engine.store import StateStore

HELLO = NoticeGiven(None, "hello")


def no_report(name: str, error: BaseException) -> None:
    raise AssertionError(f"{name} failed") from error


class Heard:
    """Notes each event with the notices of the state it made."""

    def __init__(self) -> None:
        self.events: list[tuple[Event, list[str]]] = []

    def __call__(self, event: Event, state: WorkbenchState) -> None:
        self.events.append((event, [notice.text for notice in state.notices]))


def test_who_listens_gets_every_event_with_the_state_it_made():
    states, heard = StateStore(no_report), []
    states.subscribe(lambda event, state: heard.append((event, state)))
    states.emit(HELLO)
    assert heard == [(HELLO, states.state)]
    assert [notice.text for notice in states.state.notices] == ["hello"]


def test_listeners_are_told_in_the_order_they_came_until_they_leave():
    states, heard = StateStore(no_report), []
    leave = states.subscribe(lambda event, state: heard.append("first"))
    states.subscribe(lambda event, state: heard.append("second"))
    states.emit(HELLO)
    leave()
    states.emit(HELLO)
    assert heard == ["first", "second", "second"]


def test_a_listener_may_leave_while_it_is_told():
    states, heard = StateStore(no_report), []

    def once(event: Event, state: WorkbenchState) -> None:
        heard.append("once")
        leave()

    leave = states.subscribe(once)
    states.subscribe(lambda event, state: heard.append("always"))
    states.emit(HELLO)
    states.emit(HELLO)
    assert heard == ["once", "always", "always"]


def test_everyone_hears_what_a_listener_emits_after_the_event_it_was_told_of():
    """Who came after it heard the answer before the question, and the state of the answer with both."""
    states, first, last = StateStore(no_report), Heard(), Heard()
    answer, thanks = NoticeGiven(None, "answer"), NoticeGiven(None, "thanks")

    def answers(event: Event, state: WorkbenchState) -> None:
        if event == HELLO:
            states.emit(answer)
            assert [notice.text for notice in states.state.notices] == ["hello", "answer"], "known at once"
            states.emit(thanks)

    for listener in (first, answers, last):
        states.subscribe(listener)
    states.emit(HELLO)
    in_order = [(HELLO, ["hello"]), (answer, ["hello", "answer"]), (thanks, ["hello", "answer", "thanks"])]
    assert first.events == in_order
    assert last.events == in_order


def test_who_comes_or_leaves_while_an_event_is_told_hears_none_of_before_or_after():
    states, early, late = StateStore(no_report), Heard(), Heard()

    def changes(event: Event, state: WorkbenchState) -> None:
        if event == HELLO:
            states.emit(NoticeGiven(None, "answer"))
            states.subscribe(late)
            leave()

    states.subscribe(changes)
    leave = states.subscribe(early)
    states.emit(HELLO)
    assert (early.events, late.events) == ([], [])


def test_the_old_state_stays_as_it_was():
    states = StateStore(no_report)
    before = states.state
    states.emit(HELLO)
    assert (before, before.notices) == (WorkbenchState(), ())


def test_a_listener_that_fails_ends_nothing():
    """`ask | head` broke the pipe, and with it the turn: what was still to come was not kept."""
    seen: list[tuple[str, BaseException]] = []
    states, heard = StateStore(lambda name, error: seen.append((name, error))), []
    broken = BrokenPipeError()

    def breaks(event: Event, state: WorkbenchState) -> None:
        raise broken

    states.subscribe(breaks)
    states.subscribe(lambda event, state: heard.append(event))
    states.emit(HELLO)
    assert (heard, seen) == ([HELLO], [("a listener", broken)])
