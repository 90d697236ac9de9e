"""Tool calls that arrive in pieces, put together by their place in the answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workbench.domain.message import ToolCall
from workbench.providers.wire.loose_values import count_in, table_in, text_in


@dataclass(slots=True)
class _Growing:
    index: int | None
    id: str
    name: str = ""
    arguments: str = ""


class CallPieces:
    """The calls of one answer, in the order in which they began."""

    def __init__(self) -> None:
        self._calls: list[_Growing] = []

    def take(self, delta: Mapping[str, Any]) -> int:
        """Add one piece; how many characters it brought."""
        function = table_in(delta, "function")
        call = self._place(count_in(delta, "index"), text_in(delta, "id"))
        name, arguments = text_in(function, "name"), _arguments(function.get("arguments"))
        # Some servers repeat the name with every piece.
        call.name = call.name or name
        call.arguments += arguments
        return len(name) + len(arguments)

    def whole(self) -> list[ToolCall]:
        """All calls that have a name; no arguments are an empty object."""
        return [ToolCall(call.id, call.name, call.arguments or "{}") for call in self._calls if call.name]

    def _place(self, index: int | None, call_id: str) -> _Growing:
        for call in reversed(self._calls):
            # A server that gives every call the same index tells them apart by their ids.
            if (index is None or call.index == index) and (not call_id or not call.id or call.id == call_id):
                call.id = call.id or call_id
                return call
            if index is None:
                break
        self._calls.append(_Growing(index, call_id))
        return self._calls[-1]


def _arguments(value: object) -> str:
    """Text as it came; some servers send the object itself."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else ""
