"""Results on standard output: always UTF-8, and nothing in foreign text can act on the terminal it is shown on."""

from __future__ import annotations

import json
import sys
import unicodedata
from collections.abc import Sequence

_ACTING = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def print_text(text: str = "") -> None:
    """One result, as it is; foreign text in it went through `visible` before."""
    print_bytes(f"{text}\n".encode("utf-8", "backslashreplace"))


def print_json(document: object) -> None:
    """A result for machines, on one line."""
    print_bytes(json.dumps(document, ensure_ascii=True).encode("ascii") + b"\n")


def print_bytes(content: bytes) -> None:
    """A result whose bytes are decided already."""
    sys.stdout.flush()
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


def visible(text: str) -> str:
    """Text with its lines and tabs, everything else that acts instead of being seen written as `\\u202e`."""
    return "\n".join("\t".join(map(visible_line, line.split("\t"))) for line in text.split("\n"))


def visible_line(text: str) -> str:
    """Text on one line: control characters, line ends and the invisible signs that reorder text are written out."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escaped(c) if unicodedata.category(c) in _ACTING else c for c in text)


def counted(number: int, thing: str) -> str:
    """A number of things, said as a person would: `1 chat`, `2 chats`."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def print_table(rows: Sequence[Sequence[str]], right: frozenset[int] = frozenset()) -> None:
    """Rows in columns; the numbers of those to be flush right are in `right`. The last column may be of any width."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)] if rows else []
    for row in rows:
        cells = [
            _padded(cell, width, i in right) for i, (cell, width) in enumerate(zip(row, widths, strict=False))
        ]
        print_text("  ".join([*cells, row[-1]]).rstrip())


def _padded(cell: str, width: int, right: bool) -> str:
    return cell.rjust(width) if right else cell.ljust(width)


def _escaped(character: str) -> str:
    return json.dumps(character)[1:-1] if ord(character) != 0x7F else "\\u007f"
