"""What is kept of an open chat: a request is had at once, or it is said that it takes long."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.chat_model import NoPrices
from tests.fakes.turns import artifact, assistant, fake_builder, user
from workbench.domain.record import Chat, Record
from workbench.domain.settings.context_settings import ContextSettings
from workbench.engine.assembly.prepare import Ask, prepare_turn
from workbench.engine.conversation import Conversation
from workbench.engine.open_chat.requests import OpenRequests, ShownRequest
from workbench.engine.shown.request_view import RequestViewer
from workbench.engine.state import ChatState

SETTINGS = ContextSettings(model="word-1", context_window=10**6)
TALK = Conversation("talk", history=(user("u"), assistant("m")))
ASK = Ask(SETTINGS, user("q", "why"))
LONG = "ten words are in this line, and no more of\n" * 2_000
WHEN = "2026-01-01T00:00:00Z"


def easel() -> ShownRequest:
    builder = fake_builder()
    return ShownRequest(builder, RequestViewer(builder, NoPrices()))


def test_a_small_request_is_had_at_once_and_a_keystroke_goes_on_from_it():
    one = easel()
    first = one.quickly(TALK, ASK)
    second = one.quickly(TALK, replace(ASK, question=user("q", "why not")))
    assert first is not None
    assert second is not None
    assert second.built.envelope.messages[0] is first.built.envelope.messages[0]


def test_the_same_request_again_is_the_same_object():
    one = easel()
    assert one.quickly(TALK, ASK) is one.quickly(TALK, replace(ASK))


def test_what_takes_long_is_not_built_here_but_can_be_delivered():
    one, large = easel(), replace(TALK, attached=(artifact("a", LONG),))
    assert one.quickly(large, ASK) is None
    built = prepare_turn(large, ASK, fake_builder())
    one.deliver(large, ASK, built)
    assert one.quickly(large, ASK) is built
    typed = one.quickly(large, replace(ASK, question=user("q", "why not")))
    assert typed is not None
    assert typed.built.envelope.layers[3] is built.built.envelope.layers[3]


def test_a_delivery_that_came_too_late_is_still_what_typing_goes_on_from():
    one, large = easel(), replace(TALK, attached=(artifact("a", LONG),))
    one.deliver(large, ASK, prepare_turn(large, ASK, fake_builder()))
    typed = one.quickly(large, replace(ASK, question=user("q", "why not")))
    assert typed is not None
    assert typed.built.inputs.question == user("q", "why not")


def test_a_large_paste_is_not_counted_here():
    one = easel()
    assert one.quickly(TALK, ASK) is not None
    assert one.quickly(TALK, replace(ASK, question=user("q", LONG))) is None


def test_starting_over_forgets_what_was_built():
    one = easel()
    first = one.quickly(TALK, ASK)
    one.start_over()
    assert one.quickly(TALK, ASK) is not first


def test_a_desk_tells_when_something_was_attached_first_and_reads_records_once():
    desk = OpenRequests(fake_builder(), NoPrices())
    records = (Record("talk", user("u"), WHEN, attached=("a",)),)
    state = ChatState(Chat("talk", WHEN), TALK, records, disk={"a": ("changed", WHEN)})
    scene = desk.scene(state)
    assert (scene.attached_in, scene.disk) == ({"a": 1}, {"a": ("changed", WHEN)})
    assert (scene.standing, scene.sent_utc) == ("next", "")
    later = desk.scene(replace(state, draft="x"), "in_flight", WHEN)
    assert later.attached_in is scene.attached_in
    assert (later.standing, later.sent_utc) == ("in_flight", WHEN)


def test_both_requests_of_a_desk_start_over_together():
    desk = OpenRequests(fake_builder(), NoPrices())
    before = [one.quickly(TALK, ASK) for one in (desk.next, desk.trial)]
    desk.start_over()
    after = [one.quickly(TALK, ASK) for one in (desk.next, desk.trial)]
    assert all(old is not new for old, new in zip(before, after, strict=True))
    assert desk.tried is None
