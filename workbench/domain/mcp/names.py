"""Names of tool servers and of their tools, unique and fit for every provider."""

from __future__ import annotations

import re
from collections.abc import Collection

from workbench.domain.text import digest_text

BETWEEN = "__"
_LONGEST_CALLED, LONGEST_SERVER, _SUFFIX = 64, 32, 8
SERVER_NAME = re.compile(r"[A-Za-z0-9](?:_?[A-Za-z0-9-])*", re.ASCII)


def server_name(wanted: str, taken: Collection[str] = ()) -> str:
    """A name that can stand before those of tools; with a number where another server is called so."""
    plain = re.sub(r"[^A-Za-z0-9_-]+", "-", wanted)
    plain = re.sub(r"_[_-]*|-+", lambda found: found[0][0], plain).strip("-_")[:LONGEST_SERVER].strip("-_")
    plain = plain or "server"
    folded, number, name = {one.lower() for one in taken}, 1, plain
    while name.lower() in folded:
        number += 1
        name = f"{plain[: LONGEST_SERVER - 5]}-{number}"
    return name


def called(server: str, tool: str) -> str:
    """The model's name for a tool: the same every time, and of no other tool.

    Providers take letters, digits, _ and -, at most 64. A name that had to be changed for that carries a piece of its
    digest; no server's name holds two _ or ends in one, so that the border between the two is certain.
    """
    plain = f"{server}{BETWEEN}{re.sub(r'[^A-Za-z0-9_-]', '_', tool)}"
    if plain == f"{server}{BETWEEN}{tool}" and len(plain) <= _LONGEST_CALLED:
        return plain
    digest = digest_text(f"{server}\n{tool}")[:_SUFFIX]
    return f"{plain[: _LONGEST_CALLED - _SUFFIX - 1]}_{digest}"
