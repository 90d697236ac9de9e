"""Turns as the program keeps them: built by the real builder, with words for tokens."""

from __future__ import annotations

import json
from collections.abc import Sequence

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.stores import WHEN
from tests.fakes.turns import fake_builder
from workbench.domain.codec import encode
from workbench.domain.files.attachment import Artifact
from workbench.domain.message import Entry, Message
from workbench.domain.record import Record, Standing, TurnRecord
from workbench.domain.settings.context_settings import ContextSettings
from workbench.engine.assembly.prepare import Ask, prepare_turn
from workbench.engine.conversation import Conversation, after_turn

SETTINGS = ContextSettings(model=WORD_MODEL.name, system_prompt="Be brief.")


def built_turn(
    question: Message | None,
    history: Sequence[Entry] = (),
    attached: Sequence[Artifact] = (),
    number: int = 1,
    settings: ContextSettings = SETTINGS,
    *,
    rounds: Sequence[Message] = (),
) -> TurnRecord:
    """A turn in the chat `c` after this history, still running."""
    talk = Conversation("c", turn=number - 1, history=tuple(history), attached=tuple(attached))
    built = prepare_turn(talk, Ask(settings, question, rounds=tuple(rounds)), fake_builder()).built
    after = after_turn(talk, built, ())
    standing = Standing(after.attached, after.library, after.trim)
    asked = None if question is None else question.id
    return TurnRecord(
        "c", number, history[-1].id if history else None, asked, built, standing, WHEN, state="running"
    )


def asked(question: Message, parent: str | None = None, **more: object) -> Record:
    """A question in the chat `c`."""
    return Record("c", question, WHEN, parent, **more)  # type: ignore[arg-type]


def bytes_of(value: object) -> str:
    """Everything a value is made of, as text: equal texts are equal values, where identity would not tell."""
    return json.dumps(encode(value), ensure_ascii=True)
