"""The rows that can still be read from a damaged store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from sqlalchemy import Integer

from workbench.storage.database.schema import metadata

Connect = Callable[[], Any]
Row = tuple[Any, ...]

_BOLD_GUESS = 2**24
_GIVE_UP_AFTER = 20_000


def readable_rows(connect: Connect, table: str) -> Iterator[tuple[tuple[str, ...], Row]]:
    """Every row of a table that can be read, with its columns.

    One bad page poisons a connection, so after an error the next read has a new one; ranges that fail are halved
    until only single rows are given up.
    """
    reader = _Reader(connect, table)
    ranges = [(0, reader.end())] if reader.columns else []
    while ranges and reader.failures < _GIVE_UP_AFTER:
        low, high = ranges.pop()
        rows = reader.read(low, high)
        if rows is not None:
            yield from ((reader.columns, row) for row in rows)
        elif high - low > 1:
            middle = (low + high) // 2
            ranges += [(middle, high), (low, middle)]


def tables() -> tuple[str, ...]:
    """The tables in an order in which every row finds what it refers to."""
    return tuple(table.name for table in metadata.sorted_tables)


class _Reader:
    """Reads ranges of one table, and starts anew after every error."""

    def __init__(self, connect: Connect, table: str) -> None:
        self._connect, self._table = connect, table
        self._connection: Any = None
        self._key = next(iter(metadata.tables[table].primary_key))
        self.failures = 0
        self.columns = self._present()

    def _present(self) -> tuple[str, ...]:
        """The columns that the damaged store has too: it may be of an older version, which cannot be changed now."""
        rows = self._rows("SELECT name FROM pragma_table_info(?)", (self._table,))
        known = tuple(column.name for column in metadata.tables[self._table].columns)
        present = {name for (name,) in rows} if rows is not None else set(known)
        return tuple(name for name in known if name in present)

    def end(self) -> int:
        """One more than the last row's number; a bold guess where that cannot be read."""
        if not isinstance(self._key.type, Integer):
            return 1
        rows = self._rows(f'SELECT max("{self._key.name}") FROM "{self._table}"', ())
        return _BOLD_GUESS if rows is None else 1 + (rows[0][0] or 0)

    def read(self, low: int, high: int) -> list[Row] | None:
        """The rows of a range; None where something in it cannot be read."""
        names = ", ".join(f'"{name}"' for name in self.columns)
        numbered = isinstance(self._key.type, Integer)
        where = f' WHERE "{self._key.name}" >= ? AND "{self._key.name}" < ?' if numbered else ""
        return self._rows(f'SELECT {names} FROM "{self._table}"{where}', (low, high) if where else ())

    def _rows(self, statement: str, parameters: Row) -> list[Row] | None:
        import sqlcipher3.dbapi2 as driver

        try:
            if self._connection is None:
                self._connection = self._connect()
            return [tuple(row) for row in self._connection.execute(statement, parameters)]
        except driver.DatabaseError:
            if self._connection is not None:
                self._connection.close()
            self._connection = None
            self.failures += 1
            return None
