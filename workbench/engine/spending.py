"""Spending limits: each request is checked before it is sent, at its maximum cost."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from workbench.context.request_cost import runs_here
from workbench.domain.change import Built
from workbench.domain.errors import InvalidInput, WorkbenchError
from workbench.domain.model import ModelCard
from workbench.domain.spending import most_tokens, most_usd
from workbench.domain.translation import tr
from workbench.domain.usage import Price, Usage, cost_of


@dataclass(frozen=True, slots=True)
class RunPrice:
    """Maximum cost of a measurement, shown before it starts; no cost if no price is known.

    `open_end`: others follow, and how many these will tell.
    """

    requests: int
    prompt_tokens: int
    answer_tokens: int
    cost_usd: float | None
    open_end: bool = False


class Purse:
    """Money under a cap; None is unlimited.

    Attributes:
        spent_usd: what was spent so far; None where no price is known.
    """

    def __init__(self, card: ModelCard, price: Price | None, cap_usd: float | None) -> None:
        if cap_usd is not None and not 0 <= cap_usd < inf:  # so that what is no number is refused, too
            raise InvalidInput(
                "--cap-usd", tr("expected dollars, such as 0.50, got {cap_usd}", cap_usd=cap_usd)
            )
        self._free = runs_here(card)
        if cap_usd is not None and price is None and not self._free:
            raise InvalidInput(
                "--cap-usd",
                tr("no price is known for {name}, so a cap cannot be kept; ask without one", name=card.name),
            )
        self._card, self._price, self._cap = card, price, cap_usd
        self.spent_usd: float | None = 0.0 if self._free or price is not None else None

    def most(self, built: Built, answer_tokens: int, more_tokens: int = 0) -> float | None:
        """Maximum cost of a request: nothing cached, and the longest answer; `more_tokens` are added."""
        total = built.envelope.total_tokens + more_tokens
        return self.most_of(most_tokens(total, exact=built.envelope.exact), answer_tokens)

    def most_of(self, prompt_tokens: int, answer_tokens: int) -> float | None:
        """Maximum cost of that many tokens; None if no price is known."""
        return most_usd(self._card, self._price, prompt_tokens, answer_tokens)

    def whole(self, built: Built, requests: int, answer_tokens: int) -> RunPrice:
        """Maximum cost of that many requests, each counted like the whole one."""
        most = self.most(built, answer_tokens)
        cost = None if most is None else most * requests
        return RunPrice(requests, requests * built.envelope.total_tokens, requests * answer_tokens, cost)

    def allows(self, most_usd: float | None) -> bool:
        """Whether a request of at most that cost stays within the cap."""
        return self._cap is None or (self.spent_usd or 0.0) + (most_usd or 0.0) <= self._cap

    def refusal(self, most_usd: float | None, one: str = "one") -> WorkbenchError:
        """The error that not even the first request is within the cap; `one` names it."""
        return WorkbenchError(
            tr(
                "A cap of ${cap:g} allows no request: {one} may cost up to "
                "${most_usd:.4f}. Nothing was asked.",
                cap=self._cap or 0.0,
                one=one,
                most_usd=most_usd or 0.0,
            )
        )

    def pay(self, usage: Usage, most_usd: float | None) -> None:
        """Record the cost of a request: as reported, else its maximum."""
        if self.spent_usd is None or self._free or self._price is None:
            return
        cost = cost_of(usage, self._price)
        self.spent_usd += (most_usd or 0.0) if cost is None else cost.usd
