"""Envelopes come back byte for byte, in whatever order their messages stand."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Connection

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.kept_turns import bytes_of
from tests.fakes.stores import IDENTITY, RAW_KEY, chat, connect
from tests.fakes.turns import artifact, assistant, build, result, segment, user, wire
from workbench.domain.envelope import Envelope
from workbench.domain.errors import NotKept
from workbench.domain.settings.context_settings import ContextSettings, HistorySettings
from workbench.storage.chats import chats
from workbench.storage.chats.contents import dump
from workbench.storage.chats.turns import Segments, pack_envelope, steps, sums, unpack_envelope
from workbench.storage.database.cipher import create_encrypted
from workbench.storage.database.database import Database
from workbench.storage.database.migrations import migrate

ROUNDS = (
    assistant("a1", "let me see", "c1", "c2"),
    result("r1", "c1", "one " * 30),
    result("r2", "c2", "two"),
    assistant("a2", "", "c3"),
    result("r3", "c3", "two"),
    assistant("a3", "the beginning of"),
)
HISTORY = (user("u1", "first " * 20), assistant("b1", "said " * 20))
PLAIN = build(question=user("q", "why?"), history=HISTORY, attached=(artifact("a.md"),)).envelope
WITH_ROUNDS = build(
    question=user("q", "why?"), history=HISTORY, attached=(artifact("a.md"),), rounds=ROUNDS
).envelope


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[Connection]:
    create_encrypted(tmp_path / "h.db", RAW_KEY, IDENTITY)
    database = Database(lambda: connect(tmp_path / "h.db"))
    migrate(database, lambda version: None)
    with database.transaction() as opened:
        chats.create(opened, chat())
        yield opened
    database.close()


def back(connection: Connection, envelope: Envelope) -> Envelope:
    return unpack_envelope(pack_envelope(connection, "c", envelope), Segments(connection))


def test_what_was_said_in_the_turn_comes_back_after_the_question(connection: Connection):
    """Handed out in the order of the layers, the words of a tool would come back as the user's question."""
    assert [one.id for one in WITH_ROUNDS.messages][-5:] == ["a1", "r1", "a2", "r3", "a3"]
    assert bytes_of(back(connection, WITH_ROUNDS)) == bytes_of(WITH_ROUNDS)


@pytest.mark.parametrize("order", [slice(None, None, -1), slice(None, None, 2), slice(1, 1)])
def test_any_order_of_messages_comes_back(connection: Connection, order: slice):
    turned = replace(WITH_ROUNDS, messages=WITH_ROUNDS.messages[order])
    assert bytes_of(back(connection, turned)) == bytes_of(turned)


def test_a_request_is_read_as_the_first_versions_wrote_it(connection: Connection):
    """Their rows have no order, name every message, and must be read for ever."""
    document = json.loads(zlib.decompress(pack_envelope(connection, "c", PLAIN)))
    assert sorted(document) == ["layers", "messages", "rest"]
    named = [[one.id, *row[1:]] for one, row in zip(PLAIN.messages, document["messages"], strict=True)]
    old = zlib.compress(dump(document | {"messages": named}).encode())
    assert bytes_of(unpack_envelope(old, Segments(connection))) == bytes_of(PLAIN)


def test_what_was_trimmed_comes_back_and_is_named_once(connection: Connection):
    """Each later request would name it again: ids can't be compressed, and a long chat grew by the square."""
    settings = ContextSettings(
        model=WORD_MODEL.name,
        context_window=400,
        reserved_output_tokens=10,
        history=HistorySettings(keep_last_n_assistant=1, threshold=0.5),
    )
    history = tuple(
        one for n in range(9) for one in (user(f"u{n}", "words " * 20), assistant(f"a{n}", "said " * 20))
    )
    trimmed = build(settings, question=user("q", "why?"), history=history).envelope
    assert len(trimmed.cuts.trimmed_messages) > 3
    assert bytes_of(back(connection, trimmed)) == bytes_of(trimmed)
    written = zlib.decompress(pack_envelope(connection, "c", trimmed)).decode()
    assert written.count('"u0"') == 0
    elsewhere = replace(trimmed, cuts=replace(trimmed.cuts, trimmed_messages=("u1", "gone")))
    assert bytes_of(back(connection, elsewhere)) == bytes_of(elsewhere)


def test_a_message_that_no_layer_shows_is_refused(connection: Connection):
    hidden = replace(PLAIN, messages=(*PLAIN.messages, wire("x", "user", segment("nowhere"))))
    with pytest.raises(NotKept, match="do not show"):
        pack_envelope(connection, "c", hidden)


@given(st.lists(st.integers(0, 10**9)))
def test_numbers_as_differences(numbers: list[int]):
    assert sums(steps(numbers)) == numbers


def test_a_growing_history_is_a_row_of_ones():
    assert steps([5, 6, 7, 3, 3]) == [5, 1, 1, -4, 0]
