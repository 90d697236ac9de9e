"""A server that counts: a control token or a word is a token, and its template writes each message alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.fakes.catalogue import WORD_MODEL
from workbench.domain.answer import Failure, ModelFailed
from workbench.domain.caching import ChatFraming, Measurement
from workbench.domain.influence import AnswerScore, AnswerTokens
from workbench.domain.message import ROLES
from workbench.domain.model import ModelCard
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
        counted: the texts it was asked about; measured: the requests; scored: those an answer was scored under.
        likely, unlikely: how likely a word of an answer is that stands in the prompt, and one that does not.
        scores: after so many scores its server is gone; None: never.
    """

    name: str = "served-1"
    cached_tokens: int = 0
    fails: Failure | None = None
    alone: bool = True
    counted: list[str] = field(default_factory=list)
    measured: list[ModelRequest] = field(default_factory=list)
    scored: list[ModelRequest] = field(default_factory=list)
    likely: float = -0.1
    unlikely: float = -5.0
    scores: int | None = None

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

    async def answer_tokens(self, text: str) -> AnswerTokens:
        """A word is a token."""
        pieces = tuple(_TOKEN.findall(text))
        return AnswerTokens(tuple(range(len(pieces))), tuple(piece.encode() for piece in pieces))

    async def score(self, request: ModelRequest, answer: AnswerTokens) -> AnswerScore:
        """A word is likely where it stands in the prompt."""
        if self.fails is not None or len(self.scored) == self.scores:
            raise ModelFailed(self.fails or Failure("network", "The server is gone."))
        prompt = _prompt(request)
        read, held = _TOKEN.findall(prompt), _TOKEN.findall(_prompt(self.scored[-1])) if self.scored else []
        self.scored.append(request)
        said = {word.strip(" .,:;!?\n").lower() for word in read}
        same = next((n for n, (a, b) in enumerate(zip(read, held, strict=False)) if a != b), 0)
        words = (piece.decode().strip(" .,:;!?\n").lower() for piece in answer.pieces)
        return AnswerScore(
            tuple(self.likely if word in said else self.unlikely for word in words), len(read), same
        )


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
