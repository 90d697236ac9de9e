"""A server that counts: a control token or a word is a token, and its template writes each message alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.fakes.catalogue import WORD_MODEL
from workbench.domain.answer import Failure, ModelFailed
from workbench.domain.caching.forecast import ChatFraming, Measurement
from workbench.domain.message import ROLES
from workbench.domain.models.model import ModelCard
from workbench.domain.request import ModelRequest

_TOKEN = re.compile(r"<\|\w+\|>|\s*[^\s<]+|\s+$|<")
_END, _REPLY = "<|end|>", "<|assistant|>"

SERVED_MODEL = ModelCard(
    name="served-1", provider="builtin", context_window_tokens=WORD_MODEL.context_window_tokens,
    max_output_tokens=None, tokenizer="server:served-1", exact=False, message_tokens=3, reply_tokens=2,
    cache_rules="llamacpp", as_of="2026-01-01",
)  # fmt: skip


@dataclass
class FakeMeter:
    """Counts as the model does → PromptMeter.

    Attributes:
        cached_tokens: what its server still has of every request.
        fails: why it does not answer, if it does not.
        counted: the texts it was asked about; measured: the requests.
    """

    name: str = "served-1"
    cached_tokens: int = 0
    fails: Failure | None = None
    alone: bool = True
    counted: list[str] = field(default_factory=list)
    measured: list[ModelRequest] = field(default_factory=list)

    async def framing(self) -> ChatFraming | None:
        """How its template writes messages."""
        if self.fails is not None:
            raise ModelFailed(self.fails)
        heads = tuple((role, f"<|{role}|>") for role in ROLES)
        tails = tuple((role, _END) for role in ROLES)
        controls = (*(head for _, head in heads), _END)
        return ChatFraming(heads, tails, "", _REPLY, controls) if self.alone else None

    async def count(self, texts: Sequence[str]) -> tuple[int, ...]:
        """The tokens of each text."""
        if self.fails is not None:
            raise ModelFailed(self.fails)
        self.counted += texts
        return tuple(len(_TOKEN.findall(text)) for text in texts)

    async def measure(self, request: ModelRequest) -> Measurement:
        """The whole request."""
        if self.fails is not None:
            raise ModelFailed(self.fails)
        self.measured.append(request)
        prompt = _prompt(request)
        ends = tuple(match.end() for match in _TOKEN.finditer(prompt))
        return Measurement(prompt, ends, self.cached_tokens)


@dataclass
class HoldingMeter(FakeMeter):
    """The same for a server that holds what it read and answered last; `held` is that, as its prompt."""

    held: str = ""

    def hold(self, request: ModelRequest, answer: str = "") -> None:
        """The server has answered this."""
        self.held = _prompt(request) + answer + _END

    async def measure(self, request: ModelRequest) -> Measurement:
        """The whole request, and how much of its beginning the server still has; at least one token is read again."""
        counted = await super().measure(request)
        new, old = (_TOKEN.findall(text) for text in (counted.prompt, self.held))
        same = next(
            (n for n, (a, b) in enumerate(zip(new, old, strict=False)) if a != b), min(len(new), len(old))
        )
        return Measurement(counted.prompt, counted.ends, max(0, min(same, len(new) - 1)))


def _prompt(request: ModelRequest) -> str:
    return "".join(f"<|{m.role}|>{m.text}{_END}" for m in request.messages) + _REPLY
