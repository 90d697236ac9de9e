"""A variant that is taken over into its chat: settings, priorities and what is left out, as one step."""

from __future__ import annotations

from workbench.domain.variant import Variant
from workbench.engine.intents import ChangeSettings, ChatChange
from workbench.engine.state import ChatState
from workbench.engine.tuning_intents import AttachedChange, TuneAttached, TuneMessages
from workbench.ui.steps import Step
from workbench.ui.translation import translator
from workbench.ui.widgets.plain import shown

_tr = translator("Compare")


def apply_variant(chat: ChatState, variant: Variant) -> Step | None:
    """Build requests as a variant does from now on; None where the chat is so already."""
    pairs = [*_settings(chat, variant), *_priorities(chat, variant), *_attached(chat, variant)]
    title = _tr("Apply the variant {name}").format(name=shown(variant.name))
    do, undo = tuple(one for one, _ in pairs), tuple(back for _, back in reversed(pairs))
    return Step(chat.chat.id, title, do, undo) if pairs else None


def _settings(chat: ChatState, variant: Variant) -> list[tuple[ChatChange, ChatChange]]:
    key, seen = chat.chat.id, chat.chat.settings
    wanted = variant.over(seen)
    return [] if wanted == seen else [(ChangeSettings(key, wanted, seen), ChangeSettings(key, seen, wanted))]


def _priorities(chat: ChatState, variant: Variant) -> list[tuple[ChatChange, ChatChange]]:
    key, wanted = chat.chat.id, variant.priorities
    held = [one for one in chat.conversation.attached if wanted.get(one.key, one.priority) != one.priority]
    do = tuple(AttachedChange(one.key, wanted[one.key]) for one in held)
    undo = tuple(AttachedChange(one.key, one.priority, one.essential) for one in held)
    return [(TuneAttached(key, do), TuneAttached(key, undo))] if held else []


def _attached(chat: ChatState, variant: Variant) -> list[tuple[ChatChange, ChatChange]]:
    key, out = chat.chat.id, chat.conversation.tuning.excluded
    known = {one.key for one in chat.conversation.attached}
    there = {name: on for name, on in variant.attached.items() if name in known}
    leave = frozenset(name for name, on in there.items() if not on) - out
    back = frozenset(name for name, on in there.items() if on) & out
    do, undo = (
        TuneMessages(key, leave_out=leave, put_back=back),
        TuneMessages(key, leave_out=back, put_back=leave),
    )
    return [(do, undo)] if leave or back else []
