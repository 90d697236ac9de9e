"""Steps that are kept with their chat: what is written comes back the same, and only what still holds is taken back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.sample_state import CHAT, sample_state
from workbench.domain.secrets import Secret
from workbench.domain.summary import Summary
from workbench.engine.intents import AttachFiles, DetachArtifacts, RefreshArtifacts
from workbench.engine.open_chat.prices import after_step, settings_after
from workbench.engine.state import ChatState
from workbench.engine.tuning_intents import TuneLog
from workbench.ui import steps, undo
from workbench.ui.steps import Step
from workbench.ui.undo import newest, read, still_holds, written

OPEN = sample_state().open[CHAT]
KEY = OPEN.conversation.attached[0].key
TAKEN = {
    "pin": steps.pin(OPEN, (KEY,), not OPEN.conversation.attached[0].essential),
    "priority": steps.set_priority(OPEN, (KEY,), 9),
    "shorten": steps.shorten(OPEN, (KEY,), 400),
    "detach": steps.detach(OPEN, (KEY,)),
    "leave out": steps.leave_out_members(OPEN, ("m1",), True),
    "summary": steps.apply_summary(OPEN, Summary("s", "In short.", ("m1",), compacted_at="2026-01-01")),
    "settings": steps.apply_settings(OPEN, replace(OPEN.chat.settings, layout="append_only")),
}


def after(chat: ChatState, step: Step) -> ChatState:
    settings = settings_after(chat.chat.settings, step.do)
    return replace(
        chat,
        conversation=after_step(chat.conversation, step.do),
        chat=replace(chat.chat, settings=settings),
    )


@pytest.mark.parametrize("name", TAKEN)
def test_a_step_comes_back_as_it_was_and_holds_until_something_else_changes_it(name: str):
    step = TAKEN[name]
    assert step is not None
    kept = read(CHAT, written(step))
    assert kept == step
    done = after(OPEN, step)
    assert still_holds(step, done)
    assert not still_holds(step, OPEN), "it was taken back elsewhere"


def test_nothing_is_kept_of_what_is_about_keys_or_cannot_be_checked():
    purging = Step(CHAT, "Detach", (DetachArtifacts(CHAT, (KEY,)), TuneLog(CHAT, purge=frozenset({KEY}))), ())
    locked = Step(CHAT, "Add", (AttachFiles(CHAT, ("a.pdf",), passwords=(Secret.of_text("x"),)),), ())
    other = Step(CHAT, "Refresh", (RefreshArtifacts(CHAT, (KEY,)),), ())
    assert [written(one) for one in (purging, locked, other)] == ["", "", ""]


def test_no_copy_is_kept_of_what_was_purged_from_a_log_later():
    detach, pin = TAKEN["detach"], TAKEN["pin"]
    assert detach is not None
    assert pin is not None
    purge = Step(CHAT, "Remove", (TuneLog(CHAT, purge=frozenset({KEY})),), ())
    taken = [(one, written(one)) for one in (pin, detach, purge)]
    assert newest(taken[:2]) == (written(pin), written(detach))
    assert newest(taken) == (written(pin),)


def test_the_newest_are_kept_within_limits(monkeypatch: pytest.MonkeyPatch):
    step = Step(CHAT, "x", (), ())
    many = [(step, f"{number:03}") for number in range(60)]
    assert newest(many) == tuple(text for _, text in many[-50:])
    monkeypatch.setattr(undo, "MOST_CHARS", 10)
    assert newest(many) == ("057", "058", "059")


@pytest.mark.parametrize("text", ["", "[]", "{", '{"type":"_KeptStep","title":1}', "[purged]"])
def test_what_cannot_be_read_is_no_step(text: str):
    assert read(CHAT, text) is None
