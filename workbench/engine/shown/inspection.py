"""Reports on requests that were sent, and differences between two of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta

from workbench.context.clean.guard import SecretGuard
from workbench.context.compare import compare
from workbench.context.explain.diff_causes import recounted
from workbench.context.outgoing import Json
from workbench.context.watch.measuring import KeptCounter
from workbench.domain.caching import CacheForecast
from workbench.domain.change import Built, PrefixChange
from workbench.domain.envelope import SECRET_REPLACED, Envelope
from workbench.domain.model import ModelCard
from workbench.domain.record import TurnLine, TurnRecord, noted_amount, noted_count, noted_table, noted_text
from workbench.domain.segment import LayerName, Segment
from workbench.domain.shown.reach import ChatReach
from workbench.domain.tool import ToolDefinition
from workbench.engine.assembly.prepare import Builder, Prepared, make_sendable
from workbench.engine.state import ChatState
from workbench.engine.world import World
from workbench.ports.counting import TokenCounter

Row = tuple[str, LayerName, str, str]


@dataclass(frozen=True, slots=True)
class Difference:
    """How a request differs from another; rows are (mark, layer, segment, tokens in words).

    `recounted`: what both send, by the counts of the one and of the other, where these were corrected in between.
    """

    before: int
    after: int
    change: PrefixChange
    rows: tuple[Row, ...]
    recounted: tuple[int, int] | None = None

    @property
    def document(self) -> Json:
        return {
            "from_turn": self.before,
            "to_turn": self.after,
            "change": self.change.change,
            "diverges_at": None if self.change.diverges_at is None else asdict(self.change.diverges_at),
            "causes": [asdict(cause) for cause in self.change.causes],
            "reused_tokens": self.change.reused_tokens,
            "segments": [
                {"what": mark, "layer": layer, "id": key, "tokens": tokens}
                for mark, layer, key, tokens in self.rows
            ],
        }


def stored_report(turn: TurnRecord, before: TurnRecord | None, builder: Builder) -> Json:
    """The report of a sent request, compared with the one before it on its branch."""
    return stored_request(turn, before, builder).report


def stored_request(turn: TurnRecord, before: TurnRecord | None, builder: Builder) -> Prepared:
    """A sent request in the form in which the next one is shown."""
    previous = None if before is None else before.built
    change = compare(previous, turn.built, counter_of(turn.built, builder))
    # Whether secrets were replaced is not a matter of what is set today.
    repairs = turn.built.envelope.cuts.repairs
    guard = SecretGuard("replace" if any(one.reason == SECRET_REPLACED for one in repairs) else "off")
    sendable = make_sendable(turn.built.inputs, replace(builder, guard=guard))[0]
    return Prepared(turn.built, change, _forecast(turn), sendable, {}, previous)


def difference(before: TurnRecord, after: TurnRecord, builder: Builder) -> Difference:
    """How one sent request differs from another."""
    counter, envelope = counter_of(after.built, builder), after.built.envelope
    change = compare(before.built, after.built, counter)
    if not envelope.exact and after.built.inputs.passed is None:
        # Its rows have the counts of its day; what is learnt since is another matter.
        now = counter.total(counter.raw_cost(envelope.messages) + counter.reply_cost)
        now += sum(counter.tool_tokens(tool) for tool in after.built.inputs.settings.tools)
        shared = change.reused_tokens * envelope.total_tokens // max(1, now)
        at = None if change.diverges_at is None else replace(change.diverges_at, token=shared)
        change = replace(change, reused_tokens=shared, diverges_at=at)
    rows = tuple(_rows(before.built.envelope, envelope))
    counts = recounted(before.built, after.built)
    both = None if counts is None else (counts.before_tokens, counts.after_tokens)
    return Difference(before.number, after.number, change, rows, both)


def counter_of(built: Built, builder: Builder) -> TokenCounter:
    """The token counter of a request."""
    if built.inputs.passed is not None:
        return KeptCounter(built)
    return builder.counters.counter(built.inputs.settings.counter, built.inputs.model)


def tool_tokens(
    chat: ChatState | None, tools: Iterable[ToolDefinition], builder: Builder
) -> dict[ToolDefinition, int] | None:
    """Tokens of tools in every request of a chat; None if none of its requests was counted yet."""
    if chat is None or chat.prepared is None:
        return None
    counter = counter_of(chat.prepared.built, builder)
    return {tool: counter.tool_tokens(tool) for tool in tools}


def _forecast(turn: TurnRecord) -> CacheForecast | None:
    notes, total = noted_table(turn.usage or {}, "cache"), turn.built.envelope.total_tokens
    read = noted_count(notes, "predicted_read_tokens")
    if read is None:
        return None
    written = noted_count(notes, "predicted_write_tokens")
    wrote = max(0, total - read) if written is None else written
    price, warm_s = (noted_amount(notes, name) for name in ("price_usd", "warm_s"))
    provider = turn.built.inputs.model.provider
    return CacheForecast(provider, read, wrote, max(0, total - read - wrote), price, warm_s)


def _rows(before: Envelope, after: Envelope) -> Iterator[Row]:
    old, new = _segments(before), _segments(after)
    for place in dict.fromkeys((*old, *new)):
        was, now = old.get(place), new.get(place)
        if was is None and now is not None:
            yield ("added", *place, str(now[1]))
        elif now is None and was is not None:
            yield ("removed", *place, str(was[1]))
        elif was is not None and now is not None and was[0].digest != now[0].digest:
            yield ("changed", *place, f"{was[1]} → {now[1]}")


def _segments(envelope: Envelope) -> dict[tuple[LayerName, str], tuple[Segment, int]]:
    return {
        (layer.name, segment.id): (segment, tokens)
        for layer in envelope.layers
        for segment, tokens in zip(layer.segments, layer.tokens, strict=True)
        if segment.sent
    }


# How the caches of chats stand that are not in view, as far as their last turns tell.


async def reach_of(chat: str, world: World) -> ChatReach:
    """What a cache holds of a chat, and what re-reading it would cost."""
    lines = await world.store.turn_lines(chat)
    sent = [line for line in lines if noted_text(_request(line), "model")]
    return _reach(chat, sent[-1], world) if sent else ChatReach(chat)


def _request(line: TurnLine) -> dict[str, object]:
    return dict(noted_table(line.usage or {}, "request"))


def _reach(chat: str, line: TurnLine, world: World) -> ChatReach:
    request = _request(line)
    local = request.get("local") is True
    card = world.builder.catalogue.find(noted_text(request, "model"))
    rules = world.builder.cache_rules(card)
    total = noted_count(request, "total_tokens") or noted_count(line.usage or {}, "prompt_tokens") or 0
    if rules is None or not total:
        return ChatReach(chat, local=local)
    held = rules.served(total)
    return ChatReach(
        chat,
        known=True,
        until_utc=_until(line.started_utc, rules.lifetime_s),
        cached_tokens=held,
        reread_usd=0.0 if local else _reread_cost(held, card, world),
        local=local,
    )


def _until(asked_utc: str, lifetime_s: int | None) -> str:
    try:
        asked = datetime.fromisoformat(asked_utc)
    except ValueError:
        return ""
    return "" if lifetime_s is None else (asked + timedelta(seconds=lifetime_s)).isoformat()


def _reread_cost(tokens: int, card: ModelCard, world: World) -> float | None:
    """Extra cost of re-reading tokens instead of a cache hit, at the cache-write price if there is one."""
    price = world.prices.price(card)
    if price is None:
        return None
    anew = price.input if price.cache_write is None else price.cache_write
    served = price.input if price.cached is None else price.cached
    return max(0.0, anew - served) * tokens / 1_000_000
