"""A counter that learns from a paper server: its template is written down here, and so is its tokenizer.

The tokenizer splits text by GPT-2's own pattern, as far as it decides about cuts: a line feed alone is a token, a
longer run of blanks is split by what follows it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.tokenizer import WordTokenizer
from workbench.context.count.counting import TokenizerCounter
from workbench.context.count.served import ServedCounter, ServedCounts
from workbench.domain.caching import ChatFraming
from workbench.domain.envelope import WireMessage

CONTROL = ("<|s|>", "<|e|>")
ROLES = ("system", "user", "assistant", "tool")
FRAMING = ChatFraming(
    heads=tuple((role, f"<|s|>{role}\n") for role in ROLES),
    tails=tuple((role, "<|e|>\n") for role in ROLES),
    opening="",
    reply="<|s|>assistant\n",
    control_tokens=CONTROL,
    default_system="<|s|>system\nBe brief.<|e|>\n",
)
_PIECES = re.compile(r" ?[^\W\d_]+| ?\d+| ?(?:[^\w\s]|_)+|\s+(?!\S)|\s+")


def gpt2_count(text: str) -> int:
    """Tokens: control tokens, and GPT-2's pieces, the longer ones cut into pairs of characters."""
    count = 0
    for number, part in enumerate(re.split(r"(<\|[se]\|>)", text)):
        count += number % 2 or sum(-(-len(piece) // 2) for piece in _PIECES.findall(part))
    return count


def prompt_of(messages: Sequence[WireMessage]) -> str:
    """The whole request as the template writes it."""
    heads, tails = dict(FRAMING.heads), dict(FRAMING.tails)
    written = "" if messages and messages[0].role == "system" else FRAMING.default_system
    for message in messages:
        texts = [s.text for s in message.segments] if message.role == "tool" else [message.content]
        written += "".join(heads[message.role] + text + tails[message.role] for text in texts)
    return written + FRAMING.reply


def untaught() -> ServedCounter:
    """A counter that has heard nothing yet."""
    return ServedCounter(ServedCounts(WordTokenizer()), TokenizerCounter(WordTokenizer(), WORD_MODEL))


def framed() -> ServedCounter:
    """A counter that knows the template, and no text."""
    counter = untaught()
    counter.frame(FRAMING)
    return counter


def teach(counter: ServedCounter) -> tuple[str, ...]:
    """Answer what is missing, as the server would; what was asked."""
    missing = counter.missing()
    counter.learn({text: gpt2_count(text) for text in missing})
    return missing
