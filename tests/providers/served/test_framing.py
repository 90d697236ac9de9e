"""The parts that chats are put together from: found by trying, and only believed where every trial agrees."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.fakes.llama_double import pieces
from tests.fakes.loop import in_loop
from workbench.domain.caching import ChatFraming
from workbench.providers.served.framing import Line, TemplateRefused, find_framing

Writing = Callable[[Sequence[Line], bool], str]
CONTROL = ("<|s|>", "<|e|>")


@dataclass
class PaperTemplate:
    """A template written in Python → Template."""

    writing: Writing
    ahead: str = ""
    merges: bool = False
    greedy: bool = False

    async def write(self, lines: Sequence[Line], *, reply: bool = True) -> str:
        """What it writes."""
        return self.writing(lines, reply)

    async def whole(self, prompt: str) -> int:
        """With what stands before everything; a merging tokenizer joins what the parts have apart."""
        return await self.part(self.ahead + prompt) - (self.merges and "<|e|>\n<|s|>" in prompt)

    async def part(self, text: str) -> int:
        """A part's tokens; a greedy end takes the blanks before it along."""
        return len(pieces(re.sub(r"\s+<\|e\|>", "<|e|>", text) if self.greedy else text))

    async def beginning(self) -> str:
        """What stands before everything."""
        return self.ahead


def plain(lines: Sequence[Line], reply: bool) -> str:
    written = "".join(f"<|s|>{role}\n{text}<|e|>\n" for role, text in lines)
    return written + ("<|s|>assistant\n" if reply else "")


@in_loop
async def test_a_template_that_writes_messages_one_by_one_is_taken_apart():
    assert await find_framing(PaperTemplate(plain), CONTROL) == ChatFraming(
        heads=(("system", "<|s|>system\n"), ("user", "<|s|>user\n"), ("assistant", "<|s|>assistant\n")),
        tails=(("system", "<|e|>\n"), ("user", "<|e|>\n"), ("assistant", "<|e|>\n")),
        opening="",
        reply="<|s|>assistant\n",
        control_tokens=CONTROL,
    )


@in_loop
async def test_what_is_put_before_a_chat_without_a_system_message_is_found():
    def polite(lines: Sequence[Line], reply: bool) -> str:
        default: list[Line] = [("system", "Be kind.")] if lines[0][0] != "system" else []
        return plain([*default, *lines], reply)

    framing = await find_framing(PaperTemplate(polite), CONTROL)
    assert framing is not None
    assert framing.default_system == "<|s|>system\nBe kind.<|e|>\n"


@in_loop
async def test_what_stands_before_every_chat_is_its_opening():
    framing = await find_framing(
        PaperTemplate(lambda lines, reply: "<|s|>\n" + plain(lines, reply), "<|b|>"), ()
    )
    assert framing is not None
    assert (framing.opening, framing.heads[0]) == ("<|b|><|s|>\n", ("system", "<|s|>system\n"))


@in_loop
async def test_a_template_with_one_place_for_the_system_has_no_second_one():
    def once(lines: Sequence[Line], reply: bool) -> str:
        if sum(role == "system" for role, _ in lines) > 1:
            raise TemplateRefused("only one system message")
        return plain(lines, reply)

    framing = await find_framing(PaperTemplate(once), CONTROL)
    assert framing is not None
    assert framing.heads[0] == ("system", "<|s|>system\n")
    # What ends it counts with the message after it.
    assert (framing.tails[0], framing.heads[1]) == (("system", ""), ("user", "<|e|>\n<|s|>user\n"))


async def refused(writing: Writing, merges: bool = False, greedy: bool = False) -> bool:
    return await find_framing(PaperTemplate(writing, "", merges, greedy), CONTROL) is None


@in_loop
async def test_a_template_that_trims_is_not_taken_apart():
    assert await refused(lambda lines, reply: plain([(role, text.strip()) for role, text in lines], reply))


@in_loop
async def test_a_template_that_treats_the_last_message_otherwise_is_not_either():
    assert await refused(lambda lines, reply: plain([*lines[:-1], (lines[-1][0], lines[-1][1] + "!")], reply))


@in_loop
async def test_nor_one_that_leaves_a_message_out():
    assert await refused(lambda lines, reply: plain([line for line in lines if line[0] != "system"], reply))


@in_loop
async def test_nor_one_that_writes_a_message_twice():
    assert await refused(lambda lines, reply: plain([*lines, *lines], reply))


@in_loop
async def test_nor_one_whose_parts_do_not_add_up_to_the_whole():
    assert await refused(plain, merges=True)


@in_loop
async def test_nor_one_whose_control_tokens_take_the_blanks_beside_them_along():
    """Counted apart, "word " and the end of its message are a token more than together."""
    assert await refused(plain, greedy=True)


@in_loop
async def test_a_template_that_refuses_every_chat_has_no_parts():
    def never(lines: Sequence[Line], reply: bool) -> str:
        raise TemplateRefused("no")

    assert await refused(never)
