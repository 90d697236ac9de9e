"""Compares two watched conversations of one task: which tools, texts and breaks an update of the program brought."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from workbench.context.request_cost import rereading_cost
from workbench.context.watch.comparing import DATE, describe_edit, why_parameters, why_tools
from workbench.context.watch.findings import LEAST_TOKENS, Paid, input_usd
from workbench.context.watch.prefix import BILLING, reread_tokens, telling_parameters
from workbench.domain.spending import dollars
from workbench.domain.text import digest_text
from workbench.domain.translation import counted, joined, tr
from workbench.domain.watch.request import WatchedPiece, WatchedTurn, tokens_of
from workbench.domain.watch.update import LIMITED, Change, ChangeKind, UpdateReport, WatchedRun

# Known noise, different in every run: ids, digests, dates and times, names of throw-away folders.
_NOISE = re.compile(
    rf"\b[0-9a-fA-F]{{8}}(?:-[0-9a-fA-F]{{4}}){{3}}-[0-9a-fA-F]{{12}}\b|\b(?=[a-z_]*\d)[0-9a-f]{{12,}}\b|/tmp/[^\s/\"']+|{DATE.pattern}"
)
_CLOCK = re.compile(r"\b\d{1,2}:\d\d(?::\d\d)?\b")
_KEPT_WORDS = 0.5
Pieces = Sequence[WatchedPiece]
Usd = Callable[[int], float | None]


def compare_runs(
    before: tuple[WatchedRun, Sequence[WatchedTurn]],
    after: tuple[WatchedRun, Sequence[WatchedTurn]],
    paid: Paid,
) -> UpdateReport:
    """Compare two conversations; prices are those of the second one's model."""
    (was, old), (now, new) = before, after
    first, then = old[0], new[0]

    def each(tokens: int) -> float | None:
        """The price of so many tokens in every request of the second conversation."""
        costs = [input_usd(turn, paid, tokens) for turn in new]
        return None if None in costs else sum(one for one in costs if one is not None)

    changes = [
        *_model(first, then),
        *_tools(first.request.tools, then.request.tools, each),
        *_texts("system", _texts_of(first, "system"), _texts_of(then, "system"), each),
        *_texts("reminders", _texts_of(first, "reminder"), _texts_of(then, "reminder"), each),
        *(Change("parameters", words) for words in _parameters(first, then)),
        *_breaks(old, new, paid),
    ]
    explained = sum(one.tokens for one in changes if one.kind == "reminders")
    changes += _sizes(was, now, paid, explained)
    return UpdateReport(was, now, tuple(sorted(changes, key=_price, reverse=True)))


def run_of(chat: str, title: str, turns: Sequence[WatchedTurn]) -> WatchedRun:
    """The figures of a conversation with at least one request."""
    costs = [one.cost.usd for one in turns if one.cost is not None]
    sent = [one.request.tokens for one in turns if one.was_sent]
    first = turns[0].request
    broken = [one for one in turns if one.against.relation == "changed"]
    return WatchedRun(
        chat, title, turns[-1].client, turns[-1].request.model, len(turns),
        sum(sent), max(sent, default=0),
        tokens_of(first.tools), tokens_of(one for one in first.pieces if one.kind == "system"),
        len(broken), sum(one.against.lost_tokens for one in broken),
        sum(one.answer.usage.completion_tokens or 0 for one in turns), sum(costs) if costs else None,
    )  # fmt: skip


def failed_limits(
    report: UpdateReport, at_most: Mapping[str, float], no_new: Iterable[ChangeKind]
) -> dict[str, list[str]]:
    """Each limit with what breaks it; without any limit, each kind of change with all of its changes."""
    if not at_most and not no_new:
        kinds = dict.fromkeys(one.kind for one in report.changes)
        return {tr("no change of {kind}", kind=kind): _words(report, kind) for kind in kinds} or {
            "no change": []
        }
    found = {}
    for name, limit in at_most.items():
        value: float | None = getattr(report.after, name)
        said = [tr("{name} is not known", name=name)] if value is None else []
        if value is not None and value > limit:
            said = [
                tr(
                    "{figure}, at most {figure_2} allowed",
                    figure=_figure(name, value),
                    figure_2=_figure(name, limit),
                )
            ]
        found[tr("at most {name}={limit:g}", name=name, limit=limit)] = said
    return found | {tr("no new {kind}", kind=kind): _words(report, kind, added=True) for kind in no_new}


def _words(report: UpdateReport, kind: ChangeKind, added: bool = False) -> list[str]:
    return [one.words for one in report.changes if one.kind == kind and not (added and one.tokens < 0)]


def _figure(name: str, value: float) -> str:
    return dollars(value) if name == "usd" else f"{value:,.0f} {name}"


assert set(LIMITED) <= set(WatchedRun.__dataclass_fields__)


def _price(change: Change) -> tuple[float, int]:
    return abs(change.usd or 0.0), abs(change.tokens)


def _model(was: WatchedTurn, now: WatchedTurn) -> Iterator[Change]:
    if was.request.model != now.request.model:
        yield Change(
            "model",
            tr(
                "The model is {model} in place of {model_2}.",
                model=now.request.model,
                model_2=was.request.model,
            ),
        )


def _parameters(was: WatchedTurn, now: WatchedTurn) -> list[str]:
    if was.request.model != now.request.model:
        return []  # its parameters go with a model
    return why_parameters(telling_parameters(was.request), telling_parameters(now.request))


# Tools: each by itself, since each has its price.


def _tools(before: Pieces, after: Pieces, usd: Usd) -> Iterator[Change]:
    old, new = {one.name: one for one in before}, {one.name: one for one in after}
    kept = [one for one in before if one.name in new]
    for one in after:
        if one.name not in old:
            yield _tool_change((), (one,), usd)
    for one in before:
        if one.name not in new:
            yield _tool_change((one,), (), usd)
        elif _key(one) != _key(new[one.name]):
            yield _tool_change((one,), (new[one.name],), usd)
    order = [one.name for one in after if one.name in old]
    if [one.name for one in kept] != order:
        first = next(now for was, now in zip(kept, order, strict=False) if was.name != now)
        yield Change(
            "tools",
            tr("The tools are in another order, from {first} on.", first=first),
            0,
            None,
            new[first].path,
        )


def _tool_change(before: Pieces, after: Pieces, usd: Usd) -> Change:
    words = joined(why_tools(before, after))
    tokens = tokens_of(after) - tokens_of(before)
    return Change("tools", words, tokens, usd(tokens), (after or before)[0].path)


# Texts that a program writes itself: its system prompt and reminders, by block.


def _texts_of(turn: WatchedTurn, kind: str) -> list[WatchedPiece]:
    return [one for one in turn.request.pieces if one.kind == kind and not one.text.startswith(BILLING)]


def _texts(kind: ChangeKind, before: Pieces, after: Pieces, usd: Usd) -> Iterator[Change]:
    known, stays = {_key(one) for one in before}, {_key(one) for one in after}
    gone = [one for one in before if _key(one) not in stays]
    come = [one for one in after if _key(one) not in known]
    for piece in come:
        was = max(gone, key=lambda one: _alike(one, piece), default=None)
        if was is not None and _alike(was, piece) < _KEPT_WORDS:
            was = None
        if was is not None:
            gone.remove(was)
        tokens = piece.tokens - (0 if was is None else was.tokens)
        yield Change(kind, _text_words(was, piece), tokens, usd(tokens), piece.path)
    for piece in gone:
        words = tr("A block was removed: {path}, “{start}”.", path=piece.path, start=_start(piece.text))
        yield Change(kind, words, -piece.tokens, usd(-piece.tokens), piece.path)
    if not come and not gone and [_key(one) for one in before] != [_key(one) for one in after]:
        yield Change(kind, tr("The blocks are in another order."), 0, None, after[0].path)


def _alike(was: WatchedPiece, now: WatchedPiece) -> float:
    """The share of lines that two blocks have in common; more where they stand in the same place."""
    lines, others = set(_masked(was.text).split("\n")), set(_masked(now.text).split("\n"))
    return len(lines & others) / max(1, min(len(lines), len(others))) + (
        _KEPT_WORDS if was.path == now.path else 0
    )


def _text_words(was: WatchedPiece | None, now: WatchedPiece) -> str:
    before = "" if was is None else was.text
    if len(_CLOCK.findall(now.text)) > len(_CLOCK.findall(before)):
        lines = set(_masked(before).split("\n"))
        found = next(
            one for one in _CLOCK.finditer(now.text) if _masked(_line_at(now.text, one.start())) not in lines
        )
        line = now.text.count("\n", 0, found.start()) + 1
        return tr(
            "A clock was added to {path}, line {line}: {found}. The prefix changes with it.",
            path=now.path,
            line=line,
            found=found[0],
        )
    if was is None:
        return tr("A block was added: {path}, “{start}”.", path=now.path, start=_start(now.text))
    return describe_edit(replace(was, text=_masked(was.text)), replace(now, text=_masked(now.text)))


def _line_at(text: str, place: int) -> str:
    return text[text.rfind("\n", 0, place) + 1 :].split("\n", 1)[0]


def _start(text: str) -> str:
    line = next(
        (one.strip() for one in text.split("\n") if one.strip() and not one.strip().startswith("<")), ""
    )
    return line if len(line) <= 60 else f"{line[:60]}…"


def _masked(text: str) -> str:
    return _NOISE.sub("…", text)


def _key(piece: WatchedPiece) -> str:
    return digest_text(_masked(piece.text))


# How stable the prefix was, and how much was asked and answered.


def _breaks(before: Sequence[WatchedTurn], after: Sequence[WatchedTurn], paid: Paid) -> Iterator[Change]:
    old, new = (Counter(_break_words(one) for one in turns if _broke(one)) for turns in (before, after))
    for turns, fresh, sign in ((after, new - old, 1), (before, old - new, -1)):
        for base, turn in zip((None, *turns), turns, strict=False):
            words = _break_words(turn)
            if not _broke(turn) or not fresh[words]:
                continue
            fresh[words] -= 1
            tokens, place = _reread(turn, base), turn.against.first_difference
            what = (
                tr("Request {n} lost {tokens:,} tokens of its prefix", n=turn.n, tokens=tokens)
                if sign > 0
                else (tr("The prefix no longer breaks, which lost {tokens:,} tokens", tokens=tokens))
            )
            usd = rereading_cost(paid.card, paid.price, tokens)
            path = "" if place is None else place.path
            said = joined(turn.against.words)
            yield Change(
                "breaks",
                tr("{what}. {said}", what=what, said=said),
                sign * tokens,
                None if usd is None else sign * usd,
                path,
            )


def _reread(turn: WatchedTurn, base: WatchedTurn | None) -> int:
    """What a lost prefix costs: what is no longer sent is lost, too, and is not read again."""
    lost = turn.against.lost_tokens
    kept = 0 if base is None else max(0, base.request.tokens - lost)
    return reread_tokens(lost, kept, turn.request.tokens)


def _broke(turn: WatchedTurn) -> bool:
    return turn.against.relation == "changed"


def _break_words(turn: WatchedTurn) -> str:
    return re.sub(r"\d[\d,.]*", "…", _masked(" ".join(turn.against.words)))


def _sizes(was: WatchedRun, now: WatchedRun, paid: Paid, explained: int) -> Iterator[Change]:
    if was.requests != now.requests:
        words = tr(
            "{requests} in place of {before:,}.",
            requests=counted(now.requests, "request"),
            before=was.requests,
        )
        usd = None if was.usd is None or now.usd is None else now.usd - was.usd
        yield Change("requests", words, now.tokens - was.tokens, usd)
    if (more := now.answered - was.answered) and abs(more) >= LEAST_TOKENS:
        usd = None if paid.price is None else more * paid.price.output / 1_000_000
        words = tr(
            "The answers have {answered:,} tokens in place of {answered_2:,}.",
            answered=now.answered,
            answered_2=was.answered,
        )
        yield Change("answers", words, more, usd)
    old, new = (one.request - one.tools - one.system for one in (was, now))
    if abs(new - old - explained) >= LEAST_TOKENS and was.requests == now.requests:
        words = tr(
            "The messages of the largest request have {new:,} tokens in place of {old:,}.", new=new, old=old
        )
        yield Change("messages", words, new - old - explained)
