"""A prompt as one text, for models that only continue what they are given (seed 003)."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.context.build.history import bare_text
from workbench.context.text.chunk_renderers import RendererRegistry
from workbench.context.text.fence import wrap
from workbench.domain.message import Entry, Message
from workbench.domain.prompt import Prompt
from workbench.domain.text import repair_text

_SPEAKERS = {"user": "User", "assistant": "Assistant", "system": "System", "tool": "Tool"}


def render_plain(prompt: Prompt, renderers: RendererRegistry) -> str:
    """System text, earlier messages, the time and the question, ending where the answer begins.

    A message of several lines is fenced: otherwise a line "User: …" in an answer would pass for another speaker.
    """
    return repair_text("\n".join(_lines(prompt, renderers)))


def _lines(prompt: Prompt, renderers: RendererRegistry) -> Iterator[str]:
    if prompt.system:
        yield from (prompt.system, "")
    if prompt.context:
        yield "Previous context:"
        yield from (_said(entry, renderers) for entry in prompt.context)
        yield ""
    yield f"Current time: {prompt.now_utc}"
    yield f"User: {_fenced(prompt.user_input)}"
    yield "Assistant:"


def _said(entry: Entry, renderers: RendererRegistry) -> str:
    if isinstance(entry, Message):
        return f"{_SPEAKERS[entry.role]}: {_fenced(bare_text(entry))}"
    return f"{_SPEAKERS[renderers.role(entry)]}: {renderers.render(entry).text.rstrip()}"


def _fenced(text: str) -> str:
    return f"\n{wrap('text', (), text).text.rstrip()}" if len(text.splitlines()) > 1 else text
