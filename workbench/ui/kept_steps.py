"""Steps of tuning as they are kept with their chat, so that they can be taken back after a restart.

Only such are kept of which can be seen whether they still hold: what changed since is not taken back by mistake.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import get_args

from workbench.domain.codec import decode, encode
from workbench.domain.errors import WorkbenchError
from workbench.engine.intents import AttachFiles, ChangeSettings, DetachArtifacts, RenameChat
from workbench.engine.state import ChatState
from workbench.engine.tuning_intents import (
    PutBackAttached,
    TuneAttached,
    TuneLog,
    TuneMessages,
    TuneSummaries,
)
from workbench.ui.steps import Step, purges

MOST_STEPS, MOST_CHARS = 50, 2_000_000
_Kept = (
    TuneAttached | PutBackAttached | TuneMessages | TuneSummaries | TuneLog | ChangeSettings | AttachFiles
    | DetachArtifacts | RenameChat
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _KeptStep:
    title: str
    do: tuple[_Kept, ...]
    undo: tuple[_Kept, ...]


def written(step: Step) -> str:
    """A step as it is kept; empty where nothing is kept of it: it is of another kind, or about keys and passwords."""
    intents = (*step.do, *step.undo)
    secret = any(isinstance(one, AttachFiles) and one.passwords for one in intents)
    if secret or purges(step) or not all(isinstance(one, get_args(_Kept)) for one in intents):
        return ""
    try:
        return json.dumps(encode(_KeptStep(step.title, step.do, step.undo)))  # type: ignore[arg-type]  # seen above
    except TypeError:
        return ""


def read(chat: str, text: str) -> Step | None:
    """A step that was kept; None where this version has no such step."""
    try:
        kept = decode(_KeptStep, json.loads(text))
    except (WorkbenchError, ValueError):
        return None
    return Step(chat, kept.title, kept.do, kept.undo)


def newest(steps: Iterable[tuple[Step, str]]) -> tuple[str, ...]:
    """As many of the newest as are kept, each with what is written of it; no copy of what was purged from a log."""
    known = list(steps)
    purged = {key for step, _ in known for one in step.do if isinstance(one, TuneLog) for key in one.purge}
    return tuple(reversed(list(_within_limits(reversed(known), purged))))


def _within_limits(steps: Iterable[tuple[Step, str]], purged: set[str]) -> Iterator[str]:
    chars = count = 0
    for step, text in steps:
        copies = (
            one for intent in step.undo if isinstance(intent, PutBackAttached) for one in intent.artifacts
        )
        if not text or any(one.key in purged for one in copies):
            continue
        chars, count = chars + len(text), count + 1
        if chars > MOST_CHARS or count > MOST_STEPS:
            return
        yield text


def still_holds(step: Step, chat: ChatState) -> bool:
    """Whether a chat is as the step left it: then it can be taken back as it was meant."""
    return all(_holds(intent, chat) for intent in step.do)


def _holds(intent: object, chat: ChatState) -> bool:
    talk = chat.conversation
    keys = {one.key for one in talk.attached}
    match intent:
        case TuneAttached(_, changes):
            return keys.issuperset(one.key for one in changes) and intent.of(talk.attached) == talk.attached
        case PutBackAttached():
            return intent.of(talk.attached) == talk.attached
        case AttachFiles(paths=paths):
            return keys.issuperset(paths)
        case DetachArtifacts(_, gone):
            return keys.isdisjoint(gone)
        case TuneMessages() | TuneSummaries():
            return intent.of(talk.tuning) == talk.tuning
        case TuneLog():
            return intent.of(talk.tuning, talk.last) == talk.tuning
        case ChangeSettings():
            return intent.of(chat.chat.settings) == chat.chat.settings
        case RenameChat(_, title):
            return chat.chat.title == title
        case _:
            return False
