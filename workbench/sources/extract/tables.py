"""Tables in plain text: how they are written, and their rows in blocks that can be attached by themselves."""

from __future__ import annotations

import csv
import re
from itertools import accumulate, islice

from workbench.domain.document import Section
from workbench.sources.extract.refusal import counted

_BLOCK_ROWS = 500
_MOST_BLOCKS = 200
_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}


def table_notes(text: str) -> tuple[str, ...]:
    """How many rows and columns a table has, and what separates them."""
    try:
        dialect = csv.Sniffer().sniff(text[:20_000], "".join(_SEPARATORS))
        head = next(iter(csv.reader(islice(text.splitlines(), 1), dialect)), [])
    except csv.Error:
        return ()
    rows = max(0, text.rstrip("\r\n").count("\n"))
    columns = f"{counted(len(head), 'column')}, separated by {_SEPARATORS[dialect.delimiter]}"
    return (f"{counted(rows, 'row')} below the first, {columns}",)


def row_blocks(text: str) -> tuple[Section, ...]:
    """Rows below the first in blocks; a long table has larger ones. Each is named by the lines it stands in."""
    starts = line_starts(text.rstrip("\r\n"))
    rows = len(starts) - 1
    if rows <= _BLOCK_ROWS:
        return ()
    size = max(_BLOCK_ROWS, -(-rows // (_MOST_BLOCKS * _BLOCK_ROWS)) * _BLOCK_ROWS)
    found = []
    for first in range(1, rows + 1, size):
        last = min(first + size - 1, rows)
        end = starts[last + 1] if last + 1 < len(starts) else len(text)
        found.append(Section(f"L{first + 1}-{last + 1}", f"rows {first:,}–{last:,}", 1, starts[first], end))
    return tuple(found)


def line_starts(text: str) -> list[int]:
    """Where each line begins, whichever way lines end here."""
    lines = re.split("(?<=\n)|(?<=\r)(?!\n)", text) if "\r" in text else text.split("\n")
    step = 0 if "\r" in text else 1
    return [0, *accumulate(len(line) + step for line in lines[:-1])]
