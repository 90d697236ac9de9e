"""Turns as they are listed: cost, and the cache's forecast and result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from workbench.domain.answer import Failure
from workbench.domain.caching import ProviderSays, Verdict
from workbench.domain.change import CauseName, Change
from workbench.domain.envelope import RebuildReason, WireLayout
from workbench.domain.record import TurnState
from workbench.domain.segment import LayerName
from workbench.domain.watch.exchange import OWN_WORDS


@dataclass(frozen=True, slots=True)
class TurnRow:
    """One turn of the branch in view.

    Attributes:
        question, reply: ids of the messages it is about; `asked` is the beginning of the question's text.
        total_tokens: of the request as we counted it; prompt_tokens: as the provider did, None where it said nothing.
        prompt_tokens, cached_tokens, completion_tokens: sums, where tools ran and a turn made several requests.
        requests: how many requests these are; last_prompt_tokens, last_cached_tokens: how large the last of
            them was as the provider counted, and what a cache served of it. That is the one that is shown.
        predicted_tokens: what a cache was expected to serve of the last request; `verdict` is about that one too.
        change: what became of the request before; None where that was not noted.
        broke: why our own request did not go on where the one before ended; None where it did, or where it is only that
            what stood around the last question left it. `broke_subject` is an id; for "trimmed", up to which message.
        digest: of the bytes that were sent; `shown_digest`: of those that were shown before. Empty where unknown.
        layers: tokens a layer, in wire order.
        layout: where its segments were; None where that was not recorded. rebuilt: why its log was rebuilt, if it was.
        cache_write_tokens: what was written to a cache, where the provider says so.
        answer_id: what the provider calls its last answer; says: why its cache missed, as the provider itself says.
        truncated: whether the server read far less than it was sent, and said nothing.
        removed_marks: marks of the model's template that were taken off the end of its answer.
        threshold_tokens: where trimming began for its request; None where that was not noted, or nothing is trimmed.
        shortened: the attached files of which only a part was sent: what was sent of each, and of how many tokens.
        quoted: what was quoted from followed folders for it: key, file and section of each.
        searched: searches of the web whose pages went along: words, and how many pages were found and taken.
        tools: of a watched request, how many tools it told of. lost_tokens: what of the request before it no cache can
            serve; why_lost: the causes, a sentence each; log_usd: what all of them so far would have cost, had nothing
            before the newest turn changed.
    """

    number: int
    question: str
    reply: str | None
    asked: str
    sent_utc: str
    model: str
    state: TurnState
    total_tokens: int
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    predicted_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    verdict: Verdict | None = None
    broke: CauseName | None = None
    broke_subject: str = ""
    cost_usd: float | None = None
    local: bool = False
    total_ms: float = 0.0
    first_token_ms: float | None = None
    finish_reason: str = ""
    failure: Failure | None = None
    digest: str = ""
    shown_digest: str = ""
    change: Change | None = None
    layers: tuple[tuple[LayerName, int], ...] = ()
    removed_marks: tuple[str, ...] = ()
    requests: int = 1
    last_prompt_tokens: int | None = None
    last_cached_tokens: int | None = None
    layout: WireLayout | None = None
    rebuilt: RebuildReason | None = None
    cache_write_tokens: int | None = None
    truncated: bool = False
    answer_id: str = ""
    says: ProviderSays | None = None
    threshold_tokens: int | None = None
    tools: int | None = None
    lost_tokens: int = 0
    why_lost: tuple[str, ...] = ()
    log_usd: float | None = None
    shortened: tuple[tuple[str, int, int], ...] = ()
    quoted: tuple[tuple[str, str, str], ...] = ()
    searched: tuple[tuple[str, int, int], ...] = ()

    @property
    def watched(self) -> bool:
        """Whether it is another program's request."""
        return self.tools is not None

    @property
    def was_sent(self) -> bool:
        """Whether it went to a server: not where the watch itself refused another program's request."""
        return self.failure is None or not self.failure.message.startswith(OWN_WORDS)

    @property
    def last_tokens(self) -> int:
        """Tokens of the last request by the provider's count, else by ours: what a single request is compared with."""
        told = self.prompt_tokens if self.requests == 1 else self.last_prompt_tokens
        return self.total_tokens if told is None else told

    @property
    def reported_tokens(self) -> int | None:
        """Tokens that a cache served of the request that the forecast is about."""
        return self.cached_tokens if self.requests == 1 else self.last_cached_tokens


# How much of a chat's requests came from a cache, turn by turn: as they were sent, and as other layouts would have.


LineName = Literal["sent", "append_only", "layered", "trim_last"]
"""What was sent; the same chat in a layout; and the plain way: all files, then the newest messages that fit."""


@dataclass(frozen=True, slots=True)
class ShareLine:
    """One layout of a chat's requests, as a chart line.

    Attributes:
        layout: of what was sent: the common layout of all turns; None where they differ, or one is not recorded.
        shares: the share of each turn's tokens that a cache served or would have, 0 to 1; None where unknown.
        total_share: that of all turns together of which it is known; None where it is known of none.
        uncached_tokens: the tokens that were not cached in those turns.
        usd: what those requests cost, without the answers; None where no price is known or nothing is paid.
    """

    name: LineName
    shares: tuple[float | None, ...]
    total_share: float | None = None
    uncached_tokens: int = 0
    usd: float | None = None
    layout: WireLayout | None = None


@dataclass(frozen=True, slots=True)
class Saving:
    """What the sent layout saved compared with another one; negative where it cost more."""

    against: LineName
    tokens: int
    usd: float | None = None


@dataclass(frozen=True, slots=True)
class LayoutShares:
    """The lines of the cache chart over a chat's turns, what was sent first.

    Attributes:
        turns: the numbers of the turns that the lines have a point for, in order.
        waiting: how many turns more are still to be worked out; older: how many before them are left out.
    """

    turns: tuple[int, ...] = ()
    lines: tuple[ShareLine, ...] = ()
    saving: Saving | None = None
    waiting: int = 0
    older: int = 0

    @property
    def known(self) -> bool:
        """Whether anything is known of the cache."""
        return any(line.total_share is not None for line in self.lines)
