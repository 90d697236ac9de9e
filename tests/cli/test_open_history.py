"""A command's history is closed whatever happens, and a chat is found by enough of its id."""

from __future__ import annotations

import asyncio

import pytest

from tests.cli.test_doctor import NoStoreYet
from tests.fakes.history import MemoryHistory
from tests.fakes.history_access import MemoryAccess, history_parts
from tests.fakes.parts import parts_with
from workbench.cli.open_history import changing, find_chat, has_store, opened
from workbench.domain.errors import NoKeysYet, NotKept
from workbench.domain.record import Chat


def test_a_store_is_there_once_it_has_keys():
    assert has_store(history_parts(MemoryAccess()))
    assert not has_store(parts_with(keys=NoStoreYet))


def test_the_store_is_closed_even_after_an_error():
    access = MemoryAccess()

    async def fail() -> None:
        async with opened(history_parts(access), writable=True):
            raise NotKept("no")

    with pytest.raises(NotKept):
        asyncio.run(fail())
    assert (access.opened, access.store.closed) == ([True], True)


def test_what_is_not_there_is_not_made_to_be_changed():
    access = MemoryAccess()

    async def change() -> None:
        async with changing(parts_with(history=lambda: access, keys=NoStoreYet)):
            raise AssertionError("there is nothing to change")

    with pytest.raises(NoKeysYet):
        asyncio.run(change())
    assert access.opened == []


@pytest.mark.parametrize(
    ("name", "found"), [("abc", "abc"), ("abcd", "abcd"), ("x", "xyz"), ("ab", None), ("q", None), ("", None)]
)
def test_a_chat_is_found_by_its_id_or_the_beginning_of_it(name: str, found: str | None):
    async def find() -> str:
        store = MemoryHistory()
        for chat in ("abc", "abcd", "xyz"):
            await store.create_chat(Chat(chat, "t"))
        return (await find_chat(store, name)).id

    if found is None:
        with pytest.raises(NotKept):
            asyncio.run(find())
    else:
        assert asyncio.run(find()) == found
