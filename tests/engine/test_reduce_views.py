"""Events about what is shown and listed replace one part of the state, and nothing else."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from tests.fakes.turns import fake_builder, user
from workbench.domain.job import Job
from workbench.domain.model import ModelListing
from workbench.domain.outcome import TurnOutcome
from workbench.domain.record import Chat
from workbench.domain.settings.app_preferences import Preferences
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.shown.attachment_view import AttachmentRow
from workbench.domain.shown.diff_view import DiffSide, DiffView
from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.domain.shown.turn_view import TurnRow
from workbench.engine.assembly.prepare import Ask, prepare_turn
from workbench.engine.conversation import Conversation
from workbench.engine.events import (
    ChatLoaded,
    ChatShown,
    EnvelopeBuilt,
    JobDismissed,
    JobMoved,
    LookEvent,
    ModelReadied,
    PreferencesChanged,
    ProgramEvent,
    ProgramShown,
    TurnEnded,
)
from workbench.engine.state import ChatState, Fix, Found, Readiness, Trial, WorkbenchState
from workbench.engine.store import in_program, look, reduce

SETTINGS = ContextSettings(model="word-1")
CHAT = ChatState(Chat("c", ""), Conversation("c"))
VIEW = EnvelopeView(1, "word-1", (), 0, 100, 0)
FILE = AttachmentRow("a", "file", "a", 3, 5, False, "sent")
FIX = Fix("unpin", "a", 50, True)
TRIAL = Trial(SETTINGS, VIEW)
TURN = TurnRow(1, "q", None, "Why?", "", "word-1", "complete", 10)
SIDE = DiffSide(1, "", 0, ())
DIFF = DiffView(SIDE, SIDE, "first", None, 0, 0)


def changed(before: object, after: object) -> dict[str, object]:
    """The fields that differ, by name."""
    names = [field.name for field in fields(before)]  # type: ignore[arg-type]
    return {name: getattr(after, name) for name in names if getattr(after, name) != getattr(before, name)}


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (
            ChatShown("c", {"view": VIEW, "attachments": (FILE,), "fixes": (FIX,)}),
            {"view": VIEW, "attachments": (FILE,), "fixes": (FIX,)},
        ),
        (ChatShown("c", {"in_flight": VIEW}), {"in_flight": VIEW}),
        (ChatShown("c", {"trial": TRIAL}), {"trial": TRIAL}),
        (
            ChatShown("c", {"turns": (TURN,), "versions": {"m": ("m", "n")}}),
            {"turns": (TURN,), "versions": {"m": ("m", "n")}},
        ),
        (ChatShown("c", {"opened": VIEW}), {"opened": VIEW}),
        (ChatShown("c", {"compared": DIFF}), {"compared": DIFF}),
        (ChatShown("c", {"disk": {"a": ("gone", "")}}), {"disk": {"a": ("gone", "")}}),
    ],
)
def test_a_look_replaces_one_part_of_a_chat(event: LookEvent, expected: dict[str, object]):
    assert changed(CHAT, look(CHAT, event)) == expected
    opened = reduce(WorkbenchState(), ChatLoaded(CHAT.chat, CHAT.conversation, (), ""))
    assert changed(opened.open["c"], reduce(opened, event).open["c"]) == expected


def test_a_look_that_is_over_leaves_nothing_behind():
    full = replace(CHAT, trial=TRIAL, opened=VIEW, compared=DIFF, fixes=(FIX,), view=VIEW)
    for event in (
        ChatShown("c", {"trial": None}),
        ChatShown("c", {"opened": None}),
        ChatShown("c", {"compared": None}),
    ):
        full = look(full, event)
    assert (full.trial, full.opened, full.compared) == (None, None, None)
    assert look(full, ChatShown("c", {"view": VIEW, "attachments": (), "fixes": ()})).fixes == ()


def test_a_chat_that_is_not_open_is_not_looked_at():
    state = WorkbenchState()
    assert reduce(state, ChatShown("c", {"view": VIEW, "attachments": ()})) == state
    assert reduce(state, ChatShown("c", {"in_flight": VIEW})) == state


def test_the_next_request_stays_when_it_is_built_and_goes_when_a_turn_ends():
    request = prepare_turn(Conversation("c"), Ask(SETTINGS, user("q")), fake_builder())
    opened = reduce(WorkbenchState(), ChatLoaded(CHAT.chat, CHAT.conversation, (), ""))
    flying = reduce(
        reduce(opened, ChatShown("c", {"view": VIEW, "attachments": ()})), ChatShown("c", {"in_flight": VIEW})
    )
    built = reduce(flying, EnvelopeBuilt("c", request)).open["c"]
    assert (built.view, built.in_flight, built.prepared) == (VIEW, VIEW, request)
    ended = reduce(flying, TurnEnded("c", 1, TurnOutcome("complete"))).open["c"]
    assert (ended.view, ended.in_flight) == (VIEW, None)


FOUND = Found("words")
LISTING = ModelListing("word-1", None, True)
READY = Readiness(ready=True)
JOB = Job("j1", "export", "markdown")


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (ProgramShown({"found": FOUND}), {"found": FOUND}),
        (ProgramShown({"models": (LISTING,)}), {"models": (LISTING,)}),
        (ModelReadied("word-1", READY), {"readiness": {"word-1": READY}}),
        (ProgramShown({"key_origins": ("https://x",)}), {"key_origins": ("https://x",)}),
        (ProgramShown({"presets": {"mine": SETTINGS}}), {"presets": {"mine": SETTINGS}}),
        (JobMoved(JOB), {"jobs": (JOB,)}),
    ],
)
def test_an_event_replaces_one_part_of_the_whole(event: ProgramEvent, expected: dict[str, object]):
    before = WorkbenchState()
    assert changed(before, in_program(before, event)) == expected
    assert changed(before, reduce(before, event)) == expected


def test_other_preferences_hold():
    other = Preferences()
    assert in_program(WorkbenchState(), PreferencesChanged(other)).preferences is other


def test_models_get_ready_each_by_itself():
    state = in_program(WorkbenchState(), ModelReadied("a", READY))
    state = in_program(state, ModelReadied("b", Readiness(ready=False, what="loading")))
    assert state.readiness == {"a": READY, "b": Readiness(ready=False, what="loading")}


def test_a_job_keeps_its_place_while_it_goes_on_and_leaves_when_it_is_dismissed():
    other = Job("j2", "import", "chats.json")
    state = WorkbenchState()
    for event in (JobMoved(JOB), JobMoved(other), JobMoved(replace(JOB, done=3, total=9))):
        state = in_program(state, event)
    assert [(job.id, job.done) for job in state.jobs] == [("j1", 3), ("j2", 0)]
    assert in_program(state, JobDismissed("j1")).jobs == (other,)
    assert in_program(state, JobDismissed("nobody")).jobs == state.jobs
