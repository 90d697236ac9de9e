"""The line under an answer: its tokens, what its cache did, price and duration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from workbench.domain.caching import Verdict
from workbench.domain.shown.turn_view import TurnRow
from workbench.ui import formatting
from workbench.ui.translation import N_, tr

KEEP, PRICE, SECONDS = 0, 1, 2
"""Ranks of groups; where there is no room, those of the highest rank are left out first."""
_VERDICTS: Mapping[Verdict, tuple[str, str, str]] = {
    "as_predicted": (N_("as predicted"), "ok", "check"),
    "more": (N_("more than predicted"), "ok", "check"),
    "less": (N_("a little less than predicted"), "t3", "info"),
    "expired": (N_("expired"), "warn", "clock"),
    "elsewhere": (N_("evicted or routed elsewhere"), "warn", "server"),
    "below_minimum": (N_("too short for a cache"), "t3", "info"),
    "lookback_exceeded": (N_("too far back for the cache"), "warn", "info"),
    "our_change": (N_("the request changed"), "warn", "diff"),
    "not_reported": (N_("cache not reported"), "t3", "info"),
    "distrusted": (N_("more cached than sent, not counted"), "warn", "warn"),
}
"""Text, colour token and icon of each verdict on a cache forecast."""


class Word(NamedTuple):
    """A piece of the line in one colour, with an optional icon before it."""

    text: str
    token: str = "t3"
    strong: bool = False
    icon: str = ""


class Group(NamedTuple):
    """Words that belong together; groups are separated by a middle dot."""

    words: tuple[Word, ...]
    rank: int = KEEP


def usage_groups(turn: TurnRow, kept: bool = False) -> tuple[Group, ...]:
    """The groups of a turn's line; `kept` is for a stopped answer, of which only the output is shown."""
    found: list[Group] = [] if kept else [_sent_group(turn), *_cache_groups(turn)]
    if turn.completion_tokens is not None:
        out = tr("out kept") if kept else tr("out")
        found.append(Group((_figure_word(formatting.tokens(turn.completion_tokens)), Word(out))))
    if turn.cost_usd is not None and not turn.local and not kept:
        found.append(Group((_figure_word(formatting.usd(turn.cost_usd)),), PRICE))
    if turn.removed_marks:
        marks = tr("{marks} taken off its end").format(marks=" ".join(turn.removed_marks))
        found.append(Group((Word(marks, icon="info"),)))
    if turn.total_ms:
        found.append(Group((Word(formatting.seconds(turn.total_ms)),), SECONDS))
    return tuple(found)


def sentence(groups: tuple[Group, ...]) -> str:
    """The line as text for a screen reader."""
    return ", ".join(" ".join(word.text for word in group.words) for group in groups)


def _sent_group(turn: TurnRow) -> Group:
    if turn.prompt_tokens is None:
        return Group(
            (_figure_word(f"≈ {formatting.tokens(turn.total_tokens)}"), Word(tr("in, estimated"))),
        )
    several = tr("in {n} requests").format(n=formatting.tokens(turn.requests))
    return Group(
        (
            _figure_word(formatting.tokens(turn.prompt_tokens)),
            Word(tr("in") if turn.requests == 1 else several),
        )
    )


def _cache_groups(turn: TurnRow) -> list[Group]:
    verdict = _verdict_word(turn.verdict)
    if verdict is not None and turn.requests > 1:
        verdict = verdict._replace(text=tr("last: {words}").format(words=verdict.text))
    if turn.cached_tokens is None:
        return [Group((verdict,))] if verdict is not None else []
    cached = formatting.tokens(turn.cached_tokens)
    if (
        turn.verdict in ("less", "expired", "elsewhere")
        and turn.predicted_tokens is not None
        and turn.requests == 1
    ):
        of = tr("of {n} cached").format(n=formatting.tokens(turn.predicted_tokens))
        words = [_figure_word(cached), Word(of)]
    else:
        words = [_figure_word(cached), Word(tr("cached"))]
    return [Group((*words, verdict) if verdict is not None else tuple(words))]


def _verdict_word(verdict: Verdict | None) -> Word | None:
    if verdict is None:
        return None
    words, tone, icon = _VERDICTS[verdict]
    return Word(tr(words), tone, icon=icon)


def _figure_word(text: str) -> Word:
    return Word(text, "t2", strong=True)
