"""Trims history to the budget: lazily, up to a boundary that stays, so that trimmed bytes remain cached.

Before the boundary, answers and tool results are placeholders, or whole exchanges are gone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, compress

from workbench.context.assembly.leaving import Leaving, RemainingHistory, says_something
from workbench.context.count.measure import message_costs
from workbench.domain.envelope import Budget, TrimState, WireMessage
from workbench.domain.memo import Growing
from workbench.domain.message import Role
from workbench.domain.segment import Segment
from workbench.ports.counting import TokenCounter


@dataclass(frozen=True, slots=True)
class TrimRequest:
    """The inputs of trimming.

    Attributes:
        other_raw: raw cost of everything in the request that is not history.
        fixed_tokens: tokens outside the raw sum, such as tool definitions.
        keep_last_n: how many answers to leave alone as long as the budget allows.
        newest_exchange: index of the first message that is never trimmed; the number of messages when a new
            question opens an exchange of its own.
        asked: id of that question, which is the next message of history.
        leaving: how exchanges leave whole; None where placeholders stay of them.
        growing: what is known of the messages of the turn before.
    """

    messages: tuple[WireMessage, ...]
    state: TrimState
    budget: Budget
    other_raw: int
    fixed_tokens: int
    keep_last_n: int
    newest_exchange: int
    asked: str | None = None
    leaving: Leaving | None = None
    growing: Growing = field(default_factory=Growing)

    @property
    def boundary(self) -> int:
        """The boundary as an index in these messages; 0 where it has to be found again."""
        if self.leaving is not None and self.state.basis != self.leaving.basis:
            return 0
        return resolve_boundary(self.messages, self.state)


@dataclass(frozen=True, slots=True)
class Trimmed:
    """History after trimming, its raw cost, and the new boundary.

    `find_sent` and `find_ids` compute the messages and the trimmed ids on demand, since there may be very many. `left`
    is the line about exchanges that left, where no remaining message could carry it.
    """

    find_sent: Callable[[], tuple[WireMessage, ...]]
    raw: int
    state: TrimState
    find_ids: Callable[[], tuple[str, ...]] = tuple
    left: Segment | None = None

    @property
    def sent(self) -> tuple[WireMessage, ...]:
        """The messages to send."""
        return self.find_sent()

    @property
    def trimmed_ids(self) -> tuple[str, ...]:
        """The ids of everything that is a placeholder or left."""
        return self.find_ids()


class _Ledger:
    """The messages during trimming, with their running cost."""

    def __init__(self, request: TrimRequest, boundary: int, counter: TokenCounter) -> None:
        self._request, self._counter = request, counter
        short = self._in_short(boundary)
        self.messages = [*short, *request.messages[len(short) :]]
        self.raw = counter.raw_cost(self.sent)

    def _in_short(self, end: int) -> tuple[WireMessage, ...]:
        """All messages that may be trimmed before an index, with placeholders where they are smaller."""
        request, counter = self._request, self._counter
        messages = request.messages[: min(end, request.newest_exchange)]
        return request.growing.each("short", messages, lambda one: _with_placeholders(one, counter), counter)

    @property
    def sent(self) -> tuple[WireMessage, ...]:
        return messages_with_content(self.messages, self._request)

    @cached_property
    def _costs(self) -> list[int]:
        return message_costs(self.messages, _has_content(self._request), self._counter)

    def tokens(self) -> int:
        return self._counter.total(self._request.other_raw + self.raw) + self._request.fixed_tokens

    def trim_up_to(self, end: int, start: int) -> int:
        """Trim every message from one index to another; the index after the last that changed, else `start`."""
        last = start
        for index, after in enumerate(self._in_short(end)[start:], start):
            if self._replace(index, after):
                last = index + 1
        return last

    def trim(self, index: int) -> bool:
        """Put placeholders into one message where they are smaller; False when nothing changed."""
        if index >= self._request.newest_exchange:
            return False
        return self._replace(index, _with_placeholders(self.messages[index], self._counter))

    def _replace(self, index: int, after: WireMessage) -> bool:
        if after is self.messages[index]:
            return False
        cost = sum(self._counter.costs(after))
        self.raw += cost - self._costs[index]
        self.messages[index] = after
        self._costs[index] = cost
        return True


def retrim_history(request: TrimRequest, counter: TokenCounter) -> Trimmed:
    """Apply the old boundary again, whatever the size."""
    previous = request.boundary
    if previous == 0:
        sent = messages_with_content(request.messages, request)
        return Trimmed(lambda: sent, counter.raw_cost(sent), TrimState())
    if request.leaving is not None:
        return _trimmed_by_leaving(
            _history_after(request, request.leaving, previous, counter), request, request.leaving, previous
        )
    return _trimmed(_at_boundary(request, previous, counter), request, previous)


def trim_history(request: TrimRequest, counter: TokenCounter) -> Trimmed:
    """Apply the old boundary; if that is still over the threshold, advance it until the request is under the target."""
    limit = request.budget.threshold_tokens
    previous = request.boundary
    if limit is not None and request.leaving is not None:
        return _leave(request, request.leaving, limit, counter)
    ledger = _at_boundary(request, previous, counter)
    if limit is None or ledger.tokens() <= limit:
        return retrim_history(request, counter)
    return _trimmed(ledger, request, max(previous, _advance(ledger, previous, request, limit)))


def _leave(request: TrimRequest, leaving: Leaving, limit: int, counter: TokenCounter) -> Trimmed:
    """Remove the oldest exchanges; then shorten answers of those to be kept, and at last remove these too."""
    target, fixed = request.budget.trim_target_tokens - request.fixed_tokens, request.fixed_tokens
    boundary = request.boundary
    history = _history_after(request, leaving, boundary, counter)
    if history.tokens() + fixed <= limit:
        return _trimmed_by_leaving(history, request, leaving, boundary)
    after = [span for span in history.spans if boundary <= span[0] and span[1] <= request.newest_exchange]
    kept = after[len(after) - min(request.keep_last_n, len(after)) :]
    history.leave_until(target, after[: len(after) - len(kept)])
    if kept:
        history.shorten_answers(kept[0][0], kept[-1][1], target)
    for span in kept:
        # Headroom is a convenience; the newest exchange is given up for the budget itself, not for that.
        if history.tokens() <= (limit - fixed if span is kept[-1] else target):
            break
        history.leave(span)
    if leaving.gives_back:
        history.give_back(limit - fixed)
    return _trimmed_by_leaving(history, request, leaving, history.end)


def _history_after(
    request: TrimRequest, leaving: Leaving, boundary: int, counter: TokenCounter
) -> RemainingHistory:
    known = next(iter(leaving.found), None)
    if known is None or known.messages is not request.messages or known.boundary != boundary:
        known = RemainingHistory(request.messages, leaving, 0, counter, request.growing, boundary)
        leaving.found[:] = [known]
    return known.again(request.other_raw)


def _trimmed_by_leaving(
    history: RemainingHistory, request: TrimRequest, leaving: Leaving, boundary: int
) -> Trimmed:
    raw, line = history.priced()
    if not boundary:
        return Trimmed(history.sent, raw, TrimState())
    message = _message_at(request, boundary)
    state = TrimState(boundary, message, basis=leaving.basis, left=history.left)
    return Trimmed(history.sent, raw, state, lambda: history.gone_ids, line)


def _at_boundary(request: TrimRequest, boundary: int, counter: TokenCounter) -> _Ledger:
    return _Ledger(request, boundary, counter)


def _trimmed(ledger: _Ledger, request: TrimRequest, boundary: int) -> Trimmed:
    state = TrimState(boundary, _message_at(request, boundary))
    messages = tuple(ledger.messages)

    def ids() -> tuple[str, ...]:
        return tuple(chain.from_iterable(request.growing.each("trimmed", messages, _trimmed_in)))

    sent = ledger.sent
    return Trimmed(lambda: sent, ledger.raw, state, ids)


def messages_with_content(messages: Sequence[WireMessage], request: TrimRequest) -> tuple[WireMessage, ...]:
    """Those messages of a request that are not empty."""
    return tuple(compress(messages, _has_content(request)))


def _has_content(request: TrimRequest) -> tuple[bool, ...]:
    return request.growing.each("said", request.messages, says_something)


def _trimmed_in(message: WireMessage) -> tuple[str, ...]:
    return tuple(one.id for one in message.segments if one.form == "trimmed")


def resolve_boundary(messages: Sequence[WireMessage], state: TrimState) -> int:
    """The boundary as an index in the current messages: by its message where that still exists."""
    wanted = state.boundary_message
    if wanted is None:
        return state.boundary
    # Where it stood last it nearly always stands still, and a long history is not looked through for it.
    places = chain(range(state.boundary, state.boundary + 1), range(len(messages)))
    for index in places:
        if index < len(messages) and any(segment.id == wanted for segment in messages[index].segments):
            return index
    return state.boundary


def newest_exchange(messages: Sequence[WireMessage], has_question: bool) -> int:
    """Index of the user message that opens the newest exchange."""
    if has_question:
        return len(messages)
    for index in range(len(messages) - 1, -1, -1):
        if messages[index].role == "user":
            return index
    return 0


def newest_exchanges(messages: Sequence[WireMessage], end: int, count: int) -> int:
    """Index at which the newest `count` exchanges before `end` begin; 0 where there are no more."""
    return _nth_from_end(messages[:end], "user", count)


def keep_n_end(messages: Sequence[WireMessage], keep_last_n: int) -> int:
    """Index of the first message kept for the last N answers; 0 when there are fewer than N."""
    if keep_last_n == 0:
        return len(messages)
    return _nth_from_end(messages, "assistant", keep_last_n)


def _nth_from_end(messages: Sequence[WireMessage], role: Role, count: int) -> int:
    """Index of the n-th message of a role from the end; 0 where there are fewer."""
    for index in range(len(messages) - 1, -1, -1):
        count -= messages[index].role == role
        if count == 0:
            return index
    return 0


def _advance(ledger: _Ledger, previous: int, request: TrimRequest, threshold: int) -> int:
    """The new boundary, by the RFC's two steps: up to the keep-N end at once, then message by message."""
    target = request.budget.trim_target_tokens
    keep_end = min(keep_n_end(request.messages, request.keep_last_n), _first_protected(request))
    last_trimmed = ledger.trim_up_to(keep_end, previous)
    if ledger.tokens() <= target:
        return keep_end
    newest_answer = keep_n_end(request.messages, 1)
    for index in range(max(previous, keep_end), len(ledger.messages)):
        # Headroom is a convenience; the newest answer is given up for the budget itself, not for that.
        if ledger.tokens() <= (target if index < newest_answer else threshold):
            break
        if ledger.trim(index):
            last_trimmed = index + 1
    return last_trimmed


def _first_protected(request: TrimRequest) -> int:
    """The first message that is protected now: beyond it, the boundary would trim it later without need."""
    for index in range(request.newest_exchange, len(request.messages)):
        if any(segment.placeholder is not None for segment in request.messages[index].segments):
            return index
    return len(request.messages)


def _with_placeholders(message: WireMessage, counter: TokenCounter) -> WireMessage:
    """The message with placeholders where they are smaller."""
    cut = message.in_short
    if cut is message:
        return message
    costs = zip(counter.costs(message), counter.costs(cut), strict=True)
    worse = [after >= before for before, after in costs]
    pairs = list(zip(message.segments, cut.segments, worse, strict=True))
    if all(kept or short is whole for whole, short, kept in pairs):
        return message
    if not any(kept and short is not whole for whole, short, kept in pairs):
        return cut
    return replace(message, segments=tuple(whole if kept else short for whole, short, kept in pairs))


def _message_at(request: TrimRequest, boundary: int) -> str | None:
    """Id of the message after the boundary, so that deleting earlier messages does not move the boundary."""
    messages = request.messages
    if boundary < len(messages):
        return messages[boundary].id
    # After a user message the question would be joined to it, and stand before the boundary.
    alone = boundary == len(messages) > 0 and messages[-1].role != "user"
    return request.asked if alone else None
