"""Models: what is known about them, and talking to them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Protocol

from workbench.domain.answer import AnswerPart
from workbench.domain.caching import CacheRules, ChatFraming, Measurement
from workbench.domain.influence import AnswerScore, AnswerTokens
from workbench.domain.model import ModelCard, ModelListing, ServerLook
from workbench.domain.request import ModelRequest, WireBody
from workbench.domain.usage import Price


class ModelCatalogue(Protocol):
    """Facts about models."""

    def find(self, name: str) -> ModelCard:
        """The model's card; an unknown name gets a cautious one."""

    def names_of(self, provider: str) -> tuple[str, ...]:
        """The models of a provider that are known, in the order in which they are to be offered."""


class CacheRulebook(Protocol):
    """The rules of providers' caches."""

    def rules(self, card: ModelCard) -> CacheRules | None:
        """The rules that hold for a model; None where none are known."""


class PriceList(Protocol):
    """Prices of models."""

    def price(self, card: ModelCard) -> Price | None:
        """The published price; None where none is known, which is not the same as free."""


class PromptMeter(Protocol):
    """Counts tokens as the model's own server does."""

    @property
    def name(self) -> str:
        """The name under which counts are stored; equal names count equally."""

    async def framing(self) -> ChatFraming | None:
        """Returns how its template frames messages; None where messages cannot be framed one by one."""

    async def count(self, texts: Sequence[str]) -> tuple[int, ...]:
        """The tokens of each text, control tokens in it read as such."""

    async def measure(self, request: ModelRequest) -> Measurement:
        """The request as the server will count it, and how much of it its cache holds."""

    async def answer_tokens(self, text: str) -> AnswerTokens:
        """An answer as the model would write it; nothing in it is read as a control token."""

    async def score(self, request: ModelRequest, answer: AnswerTokens) -> AnswerScore:
        """How likely each token of a fixed answer is under a request; `ModelFailed` where the server cannot say."""


class ChatModel(Protocol):
    """A model that answers.

    A stream ends with `Finished`, or by raising `ModelFailed`; never in any other way by itself. Closing the
    generator, or cancelling the task that reads it, closes the connection.
    """

    async def card(self, known: ModelCard) -> ModelCard:
        """Returns the card refined by the model's server; unchanged where it does not answer."""

    def stream(self, request: ModelRequest) -> AsyncGenerator[AnswerPart, None]:
        """Ask, and give the answer as it arrives."""

    def wire(self, request: ModelRequest) -> WireBody:
        """The request as its provider would get it now, every secret left out; starts and asks nothing.

        `ModelFailed` where it cannot be written, because a picture is missing.
        """

    async def meter(self) -> PromptMeter | None:
        """Returns its server's token counter, if there is one that can be asked now; starts nothing."""

    async def ready(self, progress: Callable[[str, float | None], None]) -> None:
        """Starts what must run before it can be asked, reporting progress; `ModelFailed` where it cannot."""

    async def close(self) -> None:
        """Closes connections and processes."""


class Models(Protocol):
    """All models that can be named."""

    def open(self, name: str) -> ChatModel:
        """The model of that name, one object a name; `InvalidInput` where the name says nothing usable."""

    async def available(self) -> tuple[ModelListing, ...]:
        """What can be used now, and what is missing for the rest."""

    async def look(self, *, hosted: bool) -> tuple[ServerLook, ...]:
        """Checks which servers answer now; hosted providers are asked only where `hosted` says so."""

    async def close(self) -> None:
        """Closes all models."""
