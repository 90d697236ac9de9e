"""The fourteen turns of the design's picture of a cache, and their lines; their figures are invented, as there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.fakes.requests_shown import scripted_state
from workbench.context.cache.shares import TurnFigures, layout_shares
from workbench.domain.shown.turn_view import LayoutShares, LineName, TurnRow
from workbench.engine.state import ChatState, WorkbenchState

# number: sent, in, predicted, reported, out, price
_TURNS: tuple[tuple[str, int, int | None, int, int, float], ...] = (
    ("09:02", 9_102, None, 0, 640, 0.0178),
    ("09:05", 13_260, 9_088, 9_088, 910, 0.0155),
    ("09:09", 16_484, 13_184, 13_184, 720, 0.0130),
    ("09:12", 20_295, 16_384, 16_384, 1_180, 0.0187),
    ("09:14", 21_541, 20_224, 20_224, 860, 0.0128),
    ("10:21", 12_033, 0, 0, 540, 0.0204),
    ("10:24", 15_741, 12_032, 12_032, 1_020, 0.0163),
    ("10:27", 18_058, 15_616, 15_616, 690, 0.0119),
    ("10:30", 20_198, 18_048, 0, 930, 0.0345),
    ("10:33", 21_783, 20_096, 20_096, 1_260, 0.0172),
    ("10:36", 24_304, 21_760, 21_760, 770, 0.0136),
    ("10:39", 25_196, 24_192, 24_192, 880, 0.0131),
    ("10:42", 14_070, 6_400, 6_400, 640, 0.0168),
    ("10:45", 14_820, 13_952, 13_952, 910, 0.0119),
)
_LAYERED = (0, 48, 54, 60, 68, 0, 40, 47, 0, 59, 58, 58, 46, 43)
_PLAIN = (0, 25, 25, 25, 25, 0, 25, 25, 0, 25, 25, 25, 25, 25)


def cache_turns() -> tuple[TurnRow, ...]:
    """A log that was rebuilt when cold in turn 6 and over its threshold in turn 13; in turn 9 the cache was gone."""
    return tuple(_row(number) for number in range(1, len(_TURNS) + 1))


def _row(number: int) -> TurnRow:
    sent, tokens, predicted, reported, out, cost = _TURNS[number - 1]
    changes: dict[str, Any] = {
        6: {"rebuilt": "cold", "broke": "rebuilt", "broke_subject": "cold", "change": "diverged"},
        9: {"verdict": "expired"},
        13: {"rebuilt": "over_threshold", "broke": "rebuilt", "broke_subject": "over_threshold"},
    }.get(number, {})
    first: dict[str, Any] = {"rebuilt": "first", "verdict": None} if number == 1 else {}
    given: dict[str, Any] = {"verdict": "as_predicted", "layout": "append_only", **changes, **first}
    return TurnRow(
        number=number, question=f"q{number}", reply=f"a{number}", asked="Can two runs charge the same bank?",
        sent_utc=f"2026-11-12T{sent}:00Z", model="openai:gpt-5.1", state="complete", total_tokens=tokens,
        prompt_tokens=tokens, cached_tokens=reported, predicted_tokens=predicted, completion_tokens=out,
        cost_usd=cost, **given,
    )  # fmt: skip


def cache_shares(turns: int = len(_TURNS), waiting: int = 0) -> LayoutShares:
    """The lines of so many turns."""
    rows = cache_turns()[:turns]
    sent = [_figures(row.total_tokens, row.cached_tokens or 0) for row in rows]
    shares: tuple[tuple[LineName, tuple[int, ...]], ...] = (("layered", _LAYERED), ("trim_last", _PLAIN))
    lines: list[tuple[LineName, list[TurnFigures]]] = [("sent", sent)]
    for name, percents in shares:
        served = [row.total_tokens * percent // 100 for row, percent in zip(rows, percents, strict=False)]
        lines.append((name, [_figures(row.total_tokens, n) for row, n in zip(rows, served, strict=True)]))
    return layout_shares(rows, lines, waiting)


def cache_state(**changes: Any) -> tuple[WorkbenchState, ChatState]:
    """The open chat with these turns and lines, in an automatic layout."""
    state, chat = scripted_state()
    settings = replace(chat.chat.settings, layout="auto", model="openai:gpt-5.1")
    given = {"turns": cache_turns(), "shares": cache_shares(), **changes}
    return state, replace(chat, chat=replace(chat.chat, settings=settings), **given)


def _figures(tokens: int, read: int) -> TurnFigures:
    return TurnFigures(tokens, read, (tokens - read) * 1.25e-6 + read * 0.125e-6)
