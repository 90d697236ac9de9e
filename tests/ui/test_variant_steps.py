"""A variant that is taken over: one step, and back again."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.compared import compared
from workbench.domain.variant import Variant
from workbench.engine.intents import ChangeSettings
from workbench.engine.tuning_intents import AttachedChange, TuneAttached, TuneMessages
from workbench.ui.steps import apply_variant

_, CHAT = compared()
FIRST, SECOND = CHAT.conversation.attached[:2]


def test_settings_priorities_and_what_is_left_out_are_one_step():
    variant = Variant(
        "All", {"layout": "append_only"}, {FIRST.key: 9, "gone.md": 2}, {SECOND.key: False, "gone.md": False}
    )
    step = apply_variant(CHAT, variant)
    assert step is not None
    key, own = CHAT.chat.id, CHAT.chat.settings
    log = replace(own, layout="append_only")
    assert step.title == "Apply the variant All"
    out = frozenset({SECOND.key})
    assert step.do == (
        ChangeSettings(key, log, own),
        TuneAttached(key, (AttachedChange(FIRST.key, 9),)),
        TuneMessages(key, leave_out=out),
    )
    assert step.undo == (
        TuneMessages(key, put_back=out),
        TuneAttached(key, (AttachedChange(FIRST.key, FIRST.priority, FIRST.essential),)),
        ChangeSettings(key, own, log),
    )


def test_where_nothing_would_change_there_is_no_step():
    assert apply_variant(CHAT, Variant("Same", {"layout": CHAT.chat.settings.layout})) is None
    assert apply_variant(CHAT, Variant("Same", priorities={FIRST.key: FIRST.priority})) is None
    assert apply_variant(CHAT, Variant("Same", attached={FIRST.key: True})) is None


def test_what_is_left_out_is_put_back():
    tuning = replace(CHAT.conversation.tuning, excluded=frozenset({FIRST.key}))
    chat = replace(CHAT, conversation=replace(CHAT.conversation, tuning=tuning))
    step = apply_variant(chat, Variant("Back", attached={FIRST.key: True}))
    assert step is not None
    assert step.do == (TuneMessages(chat.chat.id, put_back=frozenset({FIRST.key})),)
