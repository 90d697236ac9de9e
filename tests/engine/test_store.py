"""The state and those who listen to it."""

from __future__ import annotations

from workbench.engine.events import Event, NoticeGiven
from workbench.engine.state import WorkbenchState
from workbench.engine.store import StateStore

HELLO = NoticeGiven(None, "hello")


def no_report(name: str, error: BaseException) -> None:
    raise AssertionError(f"{name} failed") from error


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
