"""Every figure that may stand on a picture, derived from the state behind it, and the words that are content."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from datetime import datetime
from itertools import takewhile

from workbench.domain.message import Message
from workbench.domain.shown.diff_view import DiffView
from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.domain.spending import Spent
from workbench.domain.workspace import is_template
from workbench.engine.state import ChatState
from workbench.providers.wire.body import body_bytes
from workbench.showroom.script import Moment
from workbench.ui.inspector.why import MOST_LINES, parts_that_add_up

FIGURE = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?(?::\d\d)?[kM]?")
# Keys, the names of layers, the numbers of lists, and what the program says about itself, whatever it shows.
STATIC = re.compile(r"L[1-5]( \S+)?|F\d+|Alt\+\d|already in L2|\d\.|0, 3, 5, 10\.|.*SmolLM2.*")
_USES = ("total_tokens", "limit_tokens", "reserve_tokens", "threshold_tokens", "free_tokens", "over_tokens")


def foreign_figures(texts: list[str], moment: Moment) -> list[str]:
    """The painted texts with a figure in them that the state does not give."""
    chat = moment.state.open[moment.chat]
    said, known = _words(moment, chat), set(_figures(moment, chat))
    names = [listing.name.partition(":")[2] for listing in moment.state.models or ()]
    names += {turn.model.partition(":")[2] for turn in chat.turns}
    paid = () if moment.state.spending is None else moment.state.spending.spent
    names += {one.model.partition(":")[2] for one in paid}
    return [
        text
        for text in texts
        if not _is_content(text, said) and any(one not in known for one in FIGURE.findall(_bare(text, names)))
    ]


def _bare(text: str, names: list[str]) -> str:
    """The text without models' names."""
    for name in filter(None, names):
        text = text.replace(name, "")
    return text


def _is_content(text: str, said: str) -> bool:
    core = text.strip().strip("…").strip()
    if STATIC.fullmatch(core):
        return True
    return bool(re.search(r"[^\W\d]", core)) and core in said


def _words(moment: Moment, chat: ChatState) -> str:
    parts = [one.title for one in moment.state.chats]
    parts += [name for listing in moment.state.models or () for name in (listing.name,)]
    parts += [chat.chat.title, chat.draft]
    for record in chat.records:
        if isinstance(record.entry, Message):
            parts += [*record.entry.texts, *(thought.text for thought in record.entry.thinking)]
    if chat.running is not None:
        running = chat.running
        parts += [running.text, running.thinking, running.asked]
        parts += [preview.diff for card in running.tools if (preview := card.preview) is not None]
    for row in chat.attachments:
        parts += [row.name, row.content, row.text]
    if chat.parts is not None:
        parts += [chat.parts.text, chat.parts.name, *(row.part.title for row in chat.parts.rows)]
        parts += [row.part.anchor.replace("-", " ") for row in chat.parts.rows]
    for view in _views(chat):
        parts += [layer.digest[:8] for layer in view.layers]
        parts += [row.digest[:8] for layer in view.layers for row in layer.rows]
        form = view.wire()
        parts += [] if form is None else [form.digest[:8], f"sha256 {form.digest[:8]}"]
        parts += [] if form is None else [piece.text for message in form.messages for piece in message.pieces]
        parts += _diff_words(view.diff())
        parts += [f"{finding.words} {finding.advice}" for finding in view.findings]
    parts += [turn.digest[:8] for turn in chat.turns]
    parts += _watch_words(moment, chat)
    # As a picture shows it: Markdown's marks are not painted.
    return "\n".join([*parts, *(re.sub(r"[*`]", "", part).replace("\n", " ") for part in parts)])


def _watch_words(moment: Moment, chat: ChatState) -> list[str]:
    """Where other programs are watched, and who asked what there."""
    mark, watch = chat.chat.filed.watched, moment.state.watch
    model = chat.chat.settings.model.partition(":")[2]
    where = "" if mark is None else mark.address.removeprefix("http://")
    return [watch.address, *map("=".join, watch.lines), f"· watched at {where} · {model}"]


def _diff_words(diff: DiffView | None) -> list[str]:
    if diff is None:
        return []
    shown = [text for cause in diff.causes for text in cause.texts()]
    return [*shown, *(f"{one.before_digest[:8]} → {one.after_digest[:8]}" for one in diff.causes)]


def _views(chat: ChatState) -> list[EnvelopeView]:
    trial = None if chat.trial is None else chat.trial.view
    return [view for view in (chat.view, chat.in_flight, chat.opened, trial) if view is not None]


def _figures(moment: Moment, chat: ChatState) -> Iterator[str]:
    for view in _views(chat):
        yield from _of_view(view)
        yield from _of_diff(view.diff())
        for finding in view.findings:
            yield from _of_fields(finding)
        if view.warm_until_utc:
            yield from _left(view.warm_until_utc, datetime.fromisoformat(moment.now_utc))
    for value in (*chat.turns, *chat.attachments, *chat.fixes):
        yield from _of_fields(value)
    for share in () if chat.relevance is None else chat.relevance.shares.values():
        yield str(round(share * 100))
    yield from _sums(chat)
    yield from _of_parts(chat)
    yield from _of_quotes(chat)
    yield from _saved(chat)
    yield from _of_columns(chat)
    yield from _of_influence(chat)
    yield from _of_places(moment, chat)
    yield from _of_spending(moment)
    for when in _times(moment, chat):
        yield when[11:16]
    settings = [chat.chat.settings, *([chat.trial.settings] if chat.trial else [])]
    for one in settings:
        yield from _count(one.history.keep_last_n_assistant)
        yield str(round((one.history.threshold or 0) * 100))
    for siblings in chat.versions.values():
        yield from map(str, range(1, len(siblings) + 1))
    if chat.running is not None:
        yield from _of_running(chat)


def _of_parts(chat: ChatState) -> Iterator[str]:
    """What the parts of an open file cost, what is chosen in each heading, and the room without and with them."""
    seen = chat.parts
    if seen is None:
        return
    yield from map(str, range(1, max(len(seen.rows), seen.text.count("\n") + 1) + 1))
    yield from _count(seen.tokens)
    for place, row in enumerate(seen.rows):
        yield from _count(row.tokens)
        within = takewhile(lambda other: other.part.level > row.part.level, seen.rows[place + 1 :])  # noqa: B023
        yield from _count(sum(other.tokens or 0 for other in within if other.chosen))
    ours = sum(row.tokens for row in chat.attachments if row.key.startswith(f"{seen.file}#"))
    yield from _count(ours)
    if chat.view is not None:
        yield from _count(chat.view.free_tokens + ours)
        yield from _count(abs((chat.view.threshold_tokens or 0) - chat.view.total_tokens))


def _of_quotes(chat: ChatState) -> Iterator[str]:
    """What comes back: how many, of what room, how well each fits, and what one of them is looked at by."""
    view, why = chat.view, chat.why
    quotes = () if view is None else view.quotes
    yield from map(str, range(len(quotes) + 1))
    yield from _count(sum(row.tokens for row in quotes))
    yield from (f"{row.found.score:.1f}" for row in quotes if row.found is not None)
    for row in quotes:
        yield from FIGURE.findall(row.reason.subject)
    for group in () if view is None else (one for layer in view.layers for one in layer.groups):
        yield from (figure for n in (group.tokens, group.room, group.left) for figure in _count(n))
        yield f"{group.tokens / view.limit_tokens * 100:.1f}" if view is not None else ""
    if why is not None:
        yield from (figure for n in (why.place, why.messages) for figure in _count(n))
        beside = (one for one in (why.before, why.after) if one is not None)
        yield from (figure for one in beside for figure in (str(one.turn), *_count(one.tokens)))
        hundredths = parts_that_add_up([word.part for word in why.words])
        yield from (
            f"{n / 100:.2f}" for n in (*hundredths, sum(hundredths), sum(hundredths[MOST_LINES - 1 :]))
        )
        yield str(max(0, len(why.words) - MOST_LINES + 1))


def _of_columns(chat: ChatState) -> Iterator[str]:
    """A comparison: every column's figures, and how far each is from the first."""
    columns = () if chat.comparison is None else chat.comparison.columns
    for column in columns:
        first = columns[0]
        pairs = [(column.tokens, first.tokens), (column.free_tokens, 0), (column.over_tokens, 0)]
        pairs += [(column.tokens_of(layer), first.tokens_of(layer)) for layer, _ in first.layers]
        pairs += [
            (column.switch_cached_tokens or 0, first.switch_cached_tokens or 0),
            (column.cached_tokens or 0, 0),
        ]
        pairs += [(column.tokens - (column.switch_cached_tokens or 0), 0), (len(column.shortened), 0)]
        for one, other in pairs:
            yield from (*_count(one), *_count(abs(one - other)))
        yield str(round((column.switch_cached_tokens or 0) / max(1, column.tokens) * 100))
        for usd in (column.usd, column.switch_usd, (column.switch_usd or 0) - (first.switch_usd or 0)):
            yield from _money(abs(usd or 0.0))


def _of_influence(chat: ChatState) -> Iterator[str]:
    """What was measured: every piece's figure, the words it carried, and how far to trust it."""
    found = None if chat.influence is None else chat.influence.result
    if found is None:
        return
    yield from (figure for n in (found.requests, found.planned, found.answer_tokens) for figure in _count(n))
    yield f"{math.ceil(abs(found.drift_per_token or 0.0) * 100) / 100:.2f}"
    yield f"{found.reliability.spearman or 0.0:.2f}"
    yield str(round((found.cached_tokens or 0) / max(1, found.prompt_tokens) * 100))
    for piece in found.pieces:
        carried = sum(one.nats for one in piece.carried)
        nats = piece.nats or 0.0
        yield f"{abs(piece.per_answer_token or 0.0):.2f}"
        yield from (
            f"{abs(n):.1f}" for n in (nats, carried, nats - carried, *(one.nats for one in piece.carried))
        )
        answer = _answer(chat)
        # Words of the answer itself, also where they are numbers.
        yield from (word for one in piece.carried for word in FIGURE.findall(answer[one.start : one.end]))


def _answer(chat: ChatState) -> str:
    wanted = "" if chat.influence is None else chat.influence.message
    found = next((record.entry for record in chat.records if record.id == wanted), None)
    return found.text if isinstance(found, Message) else ""


def _of_places(moment: Moment, chat: ChatState) -> Iterator[str]:
    """How many chats are where, what is told and remembered costs, and what a change reaches."""
    if not is_template(chat.chat.id) or chat.view is None:
        return
    inside = Counter(one.filed.workspace for one in moment.state.chats)
    yield from map(str, (*inside.values(), *range(max(inside.values()) + 1)))
    rows = [row for layer in chat.view.layers if layer.name == "L1_SYSTEM" for row in layer.rows]
    for row in rows:
        yield from (figure for part in row.parts for figure in _count(part.tokens))
        yield from _count(sum(part.tokens for part in row.parts))
    yield from _count(
        sum(row.tokens for row in rows if row.kind.startswith("tool") and row.kind != "tool_guidelines")
    )
    now = datetime.fromisoformat(moment.now_utc)
    for one in moment.state.reach.values():
        yield from (*_count(one.cached_tokens), *_money(one.reread_usd))
        if one.until_utc:
            yield from _left(one.until_utc, now)


def _of_spending(moment: Moment) -> Iterator[str]:
    """What requests cost: in all, by model, workspace, program and day; the caps, and the lines of the chart."""
    view = moment.state.spending
    if view is None:
        return
    groups: dict[str, list[Spent]] = {}
    for one in view.spent:
        day = one.at_utc[:10]
        for key in ("", one.model, f"in {one.workspace}", f"by {one.program}", day, f"why {one.cause}"):
            groups.setdefault(key, []).append(one)
    for some in groups.values():
        yield from _of_requests(some)
    used = math.fsum(one.usd or 0 for one in view.spent)
    for cap in filter(None, (view.caps.day_usd, view.caps.month_usd)):
        yield from (f"{cap:.2f}", f"{math.floor(100 * (cap - used)) / 100:.2f}", str(round(100 * used / cap)))
        yield from (f"{tick * cap / 10:.2f}" for tick in range(10))


def _of_requests(some: list[Spent]) -> Iterator[str]:
    usd, saved, reread, expected, cached, output = (
        math.fsum(getattr(one, name) or 0 for one in some)
        for name in ("usd", "saved_usd", "reread_usd", "predicted_usd", "cached_usd", "output_usd")
    )
    for amount in (usd, saved, reread, expected, cached, output, usd + saved, usd - cached - output):
        yield f"{abs(amount):.{2 if abs(amount) >= 0.01 else 4}f}"
    sent, read = sum(one.input_tokens for one in some), sum(one.cached_tokens for one in some)
    yield from (*_count(sent), *_count(read), str(len(some)), str(round(100 * read / max(1, sent))))
    yield str(abs(round(100 * (expected - usd) / (usd or 1))))
    yield str(round(100 * reread / (usd or 1)))


def _left(until_utc: str, now: datetime) -> Iterator[str]:
    left = math.ceil(max(0.0, (datetime.fromisoformat(until_utc) - now).total_seconds()))
    yield f"{left // 60}:{left % 60:02}"
    yield f"{(left - 1) // 60}:{(left - 1) % 60:02}"  # where a part of a second is not shown


def _saved(chat: ChatState) -> Iterator[str]:
    """What the lines of the chart come to, and how far what was sent is from each of them."""
    if chat.shares is None:
        return
    sent = chat.shares.lines[0]
    yield from _money(sum(turn.cost_usd or 0.0 for turn in chat.turns))
    for line in chat.shares.lines:
        yield str(round((line.total_share or 0.0) * 100))
        yield from _count(abs(line.uncached_tokens - sent.uncached_tokens))
        yield from _money(abs((line.usd or 0.0) - (sent.usd or 0.0)))


def _of_view(view: EnvelopeView) -> Iterator[str]:
    for value in view.values.values():
        yield from FIGURE.findall(value)
    for name in _USES:
        yield from _count(getattr(view, name))
    yield from _count(view.cached_tokens)
    yield str(round(view.cached_share * 100))
    yield from _money(view.cost_usd)
    yield from map(str, (view.turn, view.breaks))
    for layer in view.layers:
        yield from _count(layer.tokens)
        yield f"{layer.tokens / view.limit_tokens * 100:.1f}"
        yield str(layer.reason.number)
        for row in layer.rows:
            yield from _count(row.tokens)
            if row.full_tokens is not None:
                yield from _count(row.full_tokens)
            yield f"{row.tokens / view.limit_tokens * 100:.1f}"
            yield from map(
                str, (row.priority, row.reason.number, row.first_turn, row.last_turn, len(row.members))
            )
    order = view.drop_order
    yield from map(str, (*range(1, len(order.cards) + 1), order.pinned))
    yield from _count(order.pinned_tokens)
    for card in order.cards:
        yield from (*_count(card.tokens), *_count(card.back_with_tokens))
    yield from _of_bytes(view)


def _of_bytes(view: EnvelopeView) -> Iterator[str]:
    """Places and lengths in the bytes that are sent."""
    form = view.wire()
    if form is None:
        return
    content = body_bytes(form.body)
    yield from _count(len(content))
    yield from map(str, range(1, len(form.messages) + 1))
    rows = sum(len(message.pieces) for message in form.messages)
    yield from map(str, range(1, rows + 1))
    for message in form.messages:
        yield from _count(message.tokens)
        for piece in message.pieces:
            written = json.dumps(piece.text, ensure_ascii=False)[1:-1].encode()
            start = content.find(written)
            yield from (*_count(start), *_count(start + len(written) - 1))
            # A long text is folded after its first lines.
            lines = piece.text.count("\n") + 1
            yield from map(str, range(max(0, lines - 6), lines + 1))


def _of_diff(diff: DiffView | None) -> Iterator[str]:
    if diff is None:
        return
    # What stays cached were the changed copy left alone.
    tokens = (diff.first_difference_token, diff.reused_tokens, diff.lost_tokens, diff.lasting_tokens)
    for value in (*tokens, len(diff.causes)):
        yield from _count(value)
    yield from _money(diff.extra_cost_usd)
    for side in (diff.before, diff.after):
        yield from (str(side.turn), *_count(side.total_tokens), side.sent_utc[11:16])
    for number, cause in enumerate(diff.causes, 1):
        yield str(number)
        grown = cause.after_tokens - cause.before_tokens
        for value in (cause.before_tokens, cause.after_tokens, grown, cause.lost_tokens, *cause.numbers):
            yield from _count(value)
        for text in cause.texts():
            yield from map(str, range(1, text.count("\n") + 2))


def _of_fields(value: object) -> Iterator[str]:
    """Counts, prices and times of one row."""
    assert is_dataclass(value)
    for one in fields(value):
        found = getattr(value, one.name)
        if one.name.endswith("usd"):
            yield from _money(found)
        elif one.name.endswith("_ms"):
            yield f"{(found or 0) / 1000:.1f}"
        elif isinstance(found, int):
            yield from _count(found)
        elif one.name == "layers":
            yield from (figure for _, tokens in found for figure in _count(tokens))
        elif one.name == "broke_subject":
            yield str(found)


def _sums(chat: ChatState) -> Iterator[str]:
    yield from _count(len(chat.turns))
    for name in ("prompt_tokens", "cached_tokens", "completion_tokens"):
        yield from _count(sum(getattr(turn, name) or 0 for turn in chat.turns))
    read = sum(turn.prompt_tokens or 0 for turn in chat.turns)
    cached = sum(turn.cached_tokens or 0 for turn in chat.turns)
    yield str(round(cached / read * 100)) if read else "0"
    yield "0"
    yield from _count(sum(row.tokens for row in chat.attachments))
    yield str(len(chat.attachments))


def _times(moment: Moment, chat: ChatState) -> Iterator[str]:
    yield from (one.used_utc for one in moment.state.chats)
    yield from (record.created_utc for record in chat.records)
    yield from (turn.sent_utc for turn in chat.turns)
    yield from (when for _, when in chat.disk.values())
    yield from (view.sent_utc for view in _views(chat))
    yield moment.now_utc


def _of_running(chat: ChatState) -> Iterator[str]:
    assert chat.running is not None
    arrived = len(chat.running.text) + len(chat.running.thinking)
    yield from (*_count(round(arrived / 4)), *_count(arrived // 4), *_count(-(-arrived // 4)))
    yield str(chat.running.number)
    for card in chat.running.tools:
        diff = "" if card.preview is None else card.preview.diff
        lines = diff.splitlines()
        yield from (
            str(sum(line.startswith(mark) and line[:3] != mark * 3 for line in lines)) for mark in "+-"
        )
        yield from (figure for line in lines if line.startswith("@@") for figure in _span(line))
        yield "1"


def _span(head: str) -> Iterator[str]:
    """The numbers of the lines that a hunk shows."""
    for start, length in re.findall(r"[-+](\d+),(\d+)", head):
        yield from map(str, range(int(start), int(start) + int(length)))


def _count(n: int | None) -> tuple[str, ...]:
    if n is None:
        return ()
    n = abs(n)
    short = f"{n / 1000:.1f}".removesuffix(".0") + "k"
    return (f"{n:,}", short)


def _money(usd: float | None) -> tuple[str, ...]:
    return () if usd is None else (f"{abs(usd):.4f}", f"{abs(usd):.3f}", "0")
