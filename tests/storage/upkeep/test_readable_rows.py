"""Rows of a damaged table: all but the unreadable ones, with a new connection after every error."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import sqlcipher3.dbapi2 as driver

from workbench.storage.upkeep.rescue import readable_rows, tables


class Damaged:
    """A table of rows 1…n, some of which poison the connection that touches them."""

    def __init__(self, rows: int, bad: set[int], columns: Sequence[str] = ("id", "digest", "body")) -> None:
        self.rows, self.bad, self.columns, self.opened = rows, bad, columns, 0

    def __call__(self) -> Any:
        self.opened += 1
        return _Connection(self)


class _Connection:
    def __init__(self, table: Damaged) -> None:
        self._table, self._poisoned = table, False

    def execute(self, statement: str, parameters: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
        if "pragma_table_info" in statement:
            return iter([(name,) for name in self._table.columns])
        if "max(" in statement:
            return iter([(self._table.rows,)])
        low, high = parameters or (0, 2**30)
        wanted = range(max(1, low), min(high, self._table.rows + 1))
        self._poisoned = self._poisoned or any(row in self._table.bad for row in wanted)
        if self._poisoned:
            raise driver.DatabaseError("hmac check failed")
        return iter([(row, b"", b"") for row in wanted])

    def close(self) -> None:
        """Nothing to let go."""


def found(table: Damaged, name: str = "content") -> list[int]:
    return [row[0] for _, row in readable_rows(table, name)]


def test_a_sound_table_is_read_in_one_go():
    table = Damaged(1000, set())
    assert (found(table), table.opened) == (list(range(1, 1001)), 1)


def test_only_bad_rows_are_given_up():
    bad = {1, 17, 18, 500, 1000}
    assert found(Damaged(1000, bad)) == [row for row in range(1, 1001) if row not in bad]


def test_a_table_without_numbers_is_read_whole_or_not_at_all():
    columns = ("name", "settings")
    assert found(Damaged(3, set(), columns), "preset") == [1, 2, 3]
    assert found(Damaged(3, {2}, columns), "preset") == []


def test_columns_come_with_the_rows():
    columns = {columns for columns, _ in readable_rows(Damaged(3, set()), "content")}
    assert columns == {("id", "digest", "body")}


def test_only_columns_that_are_there_are_asked_for():
    """A store of an older version that is damaged cannot be brought to the newest one before it is salvaged."""
    columns = {columns for columns, _ in readable_rows(Damaged(3, set(), ("body", "id", "old")), "content")}
    assert columns == {("id", "body")}
    assert found(Damaged(3, set(), ()), "provider_key") == []


def test_what_is_referred_to_comes_first():
    order = tables()
    assert order.index("chat") < order.index("message") < order.index("turn")
    assert order.index("content") < order.index("message")
    assert set(order) == {
        "chat",
        "content",
        "message",
        "preset",
        "provider_key",
        "prompt",
        "workspace",
        "segment",
        "snapshot",
        "token_count",
        "turn",
    }
