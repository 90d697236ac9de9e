"""What a log knows of the history that it goes on from."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.turns import RENDERERS, assistant, build, user
from workbench.context.assembly.history import History, normalise
from workbench.context.assembly.log import history_since, known_entries
from workbench.context.assembly.select import Admission
from workbench.domain.change import Built
from workbench.domain.memo import Growing
from workbench.domain.message import Message
from workbench.domain.settings.context_settings import ContextSettings

LOG = ContextSettings(model="word-1", layout="append_only")
SAID = (user("q0", "one"), assistant("a0", "two"))
NEXT = (*SAID, user("q1", "three"), assistant("a1", "four"))


def sent() -> Built:
    """The second request of a log."""
    return build(LOG, history=SAID, question=user("q1", "three"))


def history(entries: tuple[Message, ...], built: Built) -> History:
    inputs = built.inputs
    return normalise(entries, Admission(inputs.settings.filters), inputs.tuning, RENDERERS)


def test_it_knows_what_it_carried_and_what_it_asked():
    built = sent()
    assert known_entries(built, history(NEXT, built), Growing()) == 3


@pytest.mark.parametrize("edited", [0, 1, 2])
def test_it_cannot_go_on_from_what_was_edited(edited: int):
    built = sent()
    other = tuple(
        replace(one, texts=("another",)) if place == edited else one for place, one in enumerate(NEXT)
    )
    assert known_entries(built, history(other, built), Growing()) is None


def test_what_was_said_since_is_the_answer():
    built = sent()
    inputs = replace(built.inputs, turn=3, history=NEXT, question=user("q2", "five"))
    since = history_since(inputs, built, history(NEXT, built), 3)
    assert since is not None
    assert [one.id for one in since.messages] == ["a1"]
