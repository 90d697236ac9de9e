"""Determines how a chat template frames messages, by having its server render some, and checks the result.

A template is a program; it is not parsed but tried. Only where every trial consists of the same parts, and the parts'
tokens add up to those of the whole, may messages be counted one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from workbench.domain.caching import ChatFraming
from workbench.domain.message import Role

Line = tuple[Role, str]


class TemplateRefused(Exception):
    """The model's template cannot render such a chat; the message is the server's."""


# Words that no template writes by itself.
_MARKS = ("Quaggaone", "Quaggatwo", "Quaggathree", "Quaggafour")
# Texts that a template might trim, or that might merge with what stands around them.
_TRIALS = ("one", " a b ", "\n\nx\n", "", "漢字 😀", "end.\n", "1 + 1 =", '{"a": [1]}', "\tcode();\r\n")
# Where the counter cuts: after a line feed alone, before a character that is not blank.
_CUTS = (
    ("a\n", "b"),
    ("x.\n", "# y"),
    ("}\n", ")"),
    ("1\n", "2"),
    ("/>\n", "<x>"),
    ("漢\n", "字"),
    ("'\n", "'s é"),
)


class Template(Protocol):
    """A server that renders chats and counts tokens."""

    async def write(self, lines: Sequence[Line], *, reply: bool = True) -> str:
        """Returns the prompt of a chat, with what opens the answer unless `reply` is false."""

    async def whole(self, prompt: str) -> int:
        """Counts the tokens of a whole prompt."""

    async def part(self, text: str) -> int:
        """Counts the tokens of a part of a prompt."""

    async def beginning(self) -> str:
        """Returns the text that the server itself puts before every prompt."""


async def find_framing(template: Template, control_tokens: tuple[str, ...]) -> ChatFraming | None:
    """Returns the parts that every chat consists of; None where there are no such parts."""
    try:
        framing = await _guess(template, control_tokens)
        return framing if framing is not None and await _check_framing(template, framing) else None
    except TemplateRefused:
        return None


async def _guess(template: Template, control_tokens: tuple[str, ...]) -> ChatFraming | None:
    system, user, assistant, last = _MARKS
    talk: list[Line] = [("system", system), ("user", user), ("assistant", assistant), ("user", last)]
    gaps = _split(await template.write(talk), _MARKS)
    closed = _split(await template.write([("system", system), ("user", user)], reply=False), (system, user))
    if gaps is None or closed is None:
        return None
    before, after_system, after_user, after_assistant, end = gaps
    tail_user = closed[2]
    opening, head_system, tail_system = await _system(template, before, after_system)
    head_user = after_system.removeprefix(tail_system)
    heads = (("system", head_system), ("user", head_user), ("assistant", after_user.removeprefix(tail_user)))
    tails = (
        ("system", tail_system), ("user", tail_user), ("assistant", after_assistant.removesuffix(head_user)),
    )  # fmt: skip
    reply = end.removeprefix(tail_user)
    found = ChatFraming(heads, tails, await template.beginning() + opening, reply, control_tokens)
    return await _with_default(template, found)


async def _system(template: Template, before: str, after: str) -> tuple[str, str, str]:
    """Returns the texts before the chat, and before and after a system message.

    Two such messages show where one ends.
    """
    first, second, asked = _MARKS[:3]
    try:
        twice = await template.write([("system", first), ("system", second), ("user", asked)])
        alone = await template.write([("system", first)], reply=False)
    except TemplateRefused:
        return "", before, ""
    gaps, closed = _split(twice, (first, second, asked)), _split(alone, (first,))
    if gaps is None or closed is None or not after.startswith(closed[1]):
        return "", before, ""
    head = gaps[1].removeprefix(closed[1])
    return (before.removesuffix(head), head, closed[1]) if before.endswith(head) else ("", before, closed[1])


async def _with_default(template: Template, framing: ChatFraming) -> ChatFraming:
    """Returns the framing with the text added to a chat that has no system message."""
    lines: list[Line] = [("user", _MARKS[0])]
    written, expected = await template.write(lines), _render_with(framing, lines, await template.beginning())
    extra = written.removesuffix(expected) if written.endswith(expected) else written
    return ChatFraming(
        framing.heads, framing.tails, framing.opening, framing.reply, framing.control_tokens, extra
    )


async def _check_framing(template: Template, framing: ChatFraming) -> bool:
    beginning = await template.beginning()
    for number in range(len(_TRIALS)):
        first, second, third, fourth = (_TRIALS[(number + shift) % len(_TRIALS)] for shift in (0, 1, 2, 5))
        lines: list[Line] = [("system", first), ("user", second), ("assistant", third), ("user", fourth)]
        written = await template.write(lines)
        if written != _render_with(framing, lines, beginning):
            return False
        if await template.whole(written) != await _sum_of_parts(template, framing, lines):
            return False
    return await _check_cuts(template, framing)


async def _sum_of_parts(template: Template, framing: ChatFraming, lines: Sequence[Line]) -> int:
    parts = [framing.opening, *(_message(framing, line) for line in lines), framing.reply]
    return sum([await template.part(part) for part in parts])


async def _check_cuts(template: Template, framing: ChatFraming) -> bool:
    """Checks that text may be cut after a line feed and at control tokens, as the counter does.

    Some models' control tokens absorb adjacent blanks.
    """
    tails = {tail for _, tail in framing.tails if tail.startswith(framing.control_tokens)}
    heads = {head for _, head in framing.heads if head.endswith(framing.control_tokens)}
    at_tails = [(text, tail) for tail in sorted(tails) for text in _TRIALS]
    at_heads = [(head, text) for head in sorted(heads) for text in _TRIALS]
    for left, right in (*_CUTS, *at_tails, *at_heads):
        if await template.part(left + right) != await template.part(left) + await template.part(right):
            return False
    return True


def _render_with(framing: ChatFraming, lines: Sequence[Line], beginning: str) -> str:
    opening = framing.opening.removeprefix(beginning)
    return opening + "".join(_message(framing, line) for line in lines) + framing.reply


def _message(framing: ChatFraming, line: Line) -> str:
    role, text = line
    return dict(framing.heads)[role] + text + dict(framing.tails)[role]


def _split(prompt: str, marks: Sequence[str]) -> list[str] | None:
    """Returns the texts before, between and after the marks; None where one is missing or occurs twice."""
    gaps = []
    for mark in marks:
        gap, found, prompt = prompt.partition(mark)
        if not found:
            return None
        gaps.append(gap)
    return None if any(mark in prompt for mark in marks) else [*gaps, prompt]
