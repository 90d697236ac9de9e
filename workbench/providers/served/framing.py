"""Finds out how a chat template writes messages, by letting its server write some, and checks that the finding holds.

A template is a program; what it does is not read but tried. Only where every trial is put together from the same parts,
and where the parts' tokens add up to the whole's, may messages be counted one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from workbench.domain.caching import ChatFraming
from workbench.domain.message import Role

Line = tuple[Role, str]


class TemplateRefused(Exception):
    """The model's template does not write such a chat; says why in the server's words."""


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
    """A server that writes chats and counts."""

    async def write(self, lines: Sequence[Line], *, reply: bool = True) -> str:
        """The prompt, with what opens the answer unless that is not wanted."""

    async def whole(self, prompt: str) -> int:
        """The tokens of a whole prompt."""

    async def part(self, text: str) -> int:
        """The tokens of a part of one."""

    async def beginning(self) -> str:
        """The text of what the server itself puts before every prompt."""


async def find_framing(template: Template, control_tokens: tuple[str, ...]) -> ChatFraming | None:
    """The parts that every chat is put together from; None where there are no such parts."""
    try:
        framing = await _guess(template, control_tokens)
        return framing if framing is not None and await _holds(template, framing) else None
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
    """What stands before the chat, and before and after a system message; two of them show where one ends."""
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
    """The framing with what is put before a chat that has no system message."""
    lines: list[Line] = [("user", _MARKS[0])]
    written, expected = await template.write(lines), _together(framing, lines, await template.beginning())
    extra = written.removesuffix(expected) if written.endswith(expected) else written
    return ChatFraming(
        framing.heads, framing.tails, framing.opening, framing.reply, framing.control_tokens, extra
    )


async def _holds(template: Template, framing: ChatFraming) -> bool:
    beginning = await template.beginning()
    for number in range(len(_TRIALS)):
        first, second, third, fourth = (_TRIALS[(number + shift) % len(_TRIALS)] for shift in (0, 1, 2, 5))
        lines: list[Line] = [("system", first), ("user", second), ("assistant", third), ("user", fourth)]
        written = await template.write(lines)
        if written != _together(framing, lines, beginning):
            return False
        if await template.whole(written) != await _added(template, framing, lines):
            return False
    return await _cuts_hold(template, framing)


async def _added(template: Template, framing: ChatFraming, lines: Sequence[Line]) -> int:
    parts = [framing.opening, *(_message(framing, line) for line in lines), framing.reply]
    return sum([await template.part(part) for part in parts])


async def _cuts_hold(template: Template, framing: ChatFraming) -> bool:
    """Whether text may be cut as the counter does: after a line feed, and at a control token.

    Some models' control tokens take the blanks beside them along.
    """
    tails = {tail for _, tail in framing.tails if tail.startswith(framing.control_tokens)}
    heads = {head for _, head in framing.heads if head.endswith(framing.control_tokens)}
    at_tails = [(text, tail) for tail in sorted(tails) for text in _TRIALS]
    at_heads = [(head, text) for head in sorted(heads) for text in _TRIALS]
    for left, right in (*_CUTS, *at_tails, *at_heads):
        if await template.part(left + right) != await template.part(left) + await template.part(right):
            return False
    return True


def _together(framing: ChatFraming, lines: Sequence[Line], beginning: str) -> str:
    opening = framing.opening.removeprefix(beginning)
    return opening + "".join(_message(framing, line) for line in lines) + framing.reply


def _message(framing: ChatFraming, line: Line) -> str:
    role, text = line
    return dict(framing.heads)[role] + text + dict(framing.tails)[role]


def _split(prompt: str, marks: Sequence[str]) -> list[str] | None:
    """What stands before, between and after the marks; None where one is missing or comes twice."""
    gaps = []
    for mark in marks:
        gap, found, prompt = prompt.partition(mark)
        if not found:
            return None
        gaps.append(gap)
    return None if any(mark in prompt for mark in marks) else [*gaps, prompt]
