"""Steps about what comes back for a question: always, never, or as the question wants; each with what takes it back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from workbench.engine.state import ChatState
from workbench.engine.tuning_intents import TuneMessages
from workbench.ui.steps import Step
from workbench.ui.translation import translator

_tr = translator("QuoteSteps")

Wanted = Literal["always", "never", "as_found"]
"""Whether something that was cut comes back whatever is asked, never does, or comes when it fits."""


def is_wanted(chat: ChatState, key: str) -> Wanted:
    """What is decided about a message or a section, by its id."""
    tuning = chat.conversation.tuning
    return "always" if key in tuning.recalled else "never" if key in tuning.unrecalled else "as_found"


def want_back(chat: ChatState, keys: Iterable[str], wanted: Wanted) -> Step | None:
    """Decide about messages or sections; taken back, each is again as it was decided before."""
    old = {key: is_wanted(chat, key) for key in keys}
    turned = frozenset(key for key, before in old.items() if before != wanted)
    if not turned:
        return None
    titles = {
        "always": _tr("Always recall this"),
        "never": _tr("Never recall this"),
        "as_found": _tr("Recall this when it fits"),
    }
    befores: dict[Wanted, set[str]] = {}
    for key in turned:
        befores.setdefault(old[key], set()).add(key)
    undo = tuple(_tuned(chat, frozenset(some), before) for before, some in sorted(befores.items()))
    return Step(chat.chat.id, titles[wanted], (_tuned(chat, turned, wanted),), undo)


def toggle_always(chat: ChatState, keys: tuple[str, ...]) -> Step | None:
    """Let something always come back, or only when it fits."""
    always = all(is_wanted(chat, key) == "always" for key in keys)
    return want_back(chat, keys, "as_found" if always else "always")


def _tuned(chat: ChatState, keys: frozenset[str], wanted: Wanted) -> TuneMessages:
    key = chat.chat.id
    match wanted:
        case "always":
            return TuneMessages(key, always=keys)
        case "never":
            return TuneMessages(key, never=keys)
        case "as_found":
            return TuneMessages(key, as_found=keys)
