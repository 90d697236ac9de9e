"""Text and bytes are kept once, found by their digest, and marked where they were purged."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Connection, delete, func, select

from tests.fakes.stores import IDENTITY, RAW_KEY, connect
from tests.fakes.turns import artifact
from workbench.domain.files.attachment import Artifact
from workbench.storage.chats.contents import PURGED, Texts, dump, keep_bytes, keep_text, read_text
from workbench.storage.database.cipher import create_encrypted
from workbench.storage.database.database import Database
from workbench.storage.database.migrations import migrate
from workbench.storage.database.schema import content


@pytest.fixture(scope="module")
def connection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    path: Path = tmp_path_factory.mktemp("contents") / "h.db"
    create_encrypted(path, RAW_KEY, IDENTITY)
    database = Database(lambda: connect(path))
    migrate(database, lambda version: None)
    with database.transaction() as opened:
        yield opened
    database.close()


def rows(connection: Connection) -> int:
    return int(connection.execute(select(func.count()).select_from(content)).scalar_one())


def test_the_same_bytes_have_one_row(connection: Connection):
    first = keep_bytes(connection, b"same")
    before = rows(connection)
    assert (keep_bytes(connection, b"same"), keep_text(connection, "same")) == (first, first)
    assert keep_bytes(connection, b"other") != first
    assert rows(connection) == before + 1


def test_a_value_is_packed_without_its_long_text(connection: Connection):
    whole = (artifact("a.md", "long text " * 1000), artifact("b.md", "short"))
    packed = Texts(connection).pack(whole)
    assert len(packed) < 400
    assert Texts(connection).unpack(tuple[Artifact, ...], packed) == whole


def test_text_that_was_purged_is_marked(connection: Connection):
    document = Texts(connection).write(artifact("gone.md", "going " * 20))
    connection.execute(delete(content).where(content.c.body == b"going " * 20))
    assert Texts(connection).read(Artifact, document) == artifact("gone.md", PURGED)


@given(st.text(st.characters(exclude_categories=()), max_size=20), st.integers(1, 40))
def test_any_text_comes_back(connection: Connection, text: str, times: int):
    whole = artifact("a.md", text * times)
    assert Texts(connection).unpack(Artifact, Texts(connection).pack(whole)) == whole
    stored = connection.execute(
        select(content.c.body).where(content.c.id == keep_text(connection, text))
    ).scalar_one()
    assert read_text(stored) == text


def test_json_is_the_same_for_the_same_value():
    assert dump({"b": [1, "é"], "a": None}) == '{"b":[1,"\\u00e9"],"a":null}'
