"""A request as one text, for models that only continue what they are given (seed 003)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from workbench.domain.message import Role
from workbench.domain.request import RequestMessage

_SPEAKERS: dict[Role, str] = {"system": "System", "user": "User", "assistant": "Assistant", "tool": "Tool"}
_MARK = "###"
# A line that looks like the start of somebody's turn; with a blank before it, it is only a line.
_FORGED = re.compile(rf"^(?={_MARK} (?:{'|'.join(_SPEAKERS.values())}):)", re.MULTILINE)
STOP = (f"\n{_MARK} User:", f"\n{_MARK} System:")


def completion_prompt(messages: Sequence[RequestMessage]) -> str:
    """Every message under the name of who said it, ending where the answer begins, or goes on."""
    said = [_said(message) for message in messages]
    if messages and messages[-1].role == "assistant":
        return "\n\n".join(said)
    return "\n\n".join([*said, f"{_MARK} Assistant:\n"])


def _said(message: RequestMessage) -> str:
    calls = (f"(calls {call.name} {call.arguments})" for call in message.tool_calls)
    pictures = (f"(picture {image.digest[:8]}, which this model cannot see)" for image in message.images)
    words = "\n".join(part for part in (message.text, *calls, *pictures) if part)
    return f"{_MARK} {_SPEAKERS[message.role]}:\n{_FORGED.sub(' ', words)}"
