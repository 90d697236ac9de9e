"""The settings that can be tried out: where each stands, which values it can take, and what a value changes."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from typing import Literal, assert_never

from workbench.domain.envelope import budget_for
from workbench.domain.settings.preferences import ContextSettings
from workbench.domain.shown.envelope_view import EnvelopeView

Knob = Literal["budget", "trim_at", "keep_last", "last_n", "reserve", "attachments"]
KNOBS: tuple[Knob, ...] = ("budget", "trim_at", "keep_last", "last_n", "reserve", "attachments")
CAN_BE_OFF: frozenset[Knob] = frozenset({"trim_at", "last_n", "attachments"})

LEAST_BUDGET, LEAST_RESERVE, LEAST_ATTACHMENTS = 1_000, 100, 500
LEAST_PERCENT, MOST_PERCENT = 10, 100
MOST_KEPT, MOST_MESSAGES, MOST_TYPED = 20, 60, 9_999
STOPS = 120
"""Into how many steps a slider of tokens is divided; each is larger than the one before by the same factor."""

Value = int | None
"""A number; None where the setting is off."""


@dataclass(frozen=True, slots=True)
class Room:
    """How large the window is: the model's own, or as large as it is in use; and what of it the reply has now."""

    window_tokens: int
    reserve_tokens: int = 0

    @property
    def most_tokens(self) -> int:
        """What a request can have at most; at least something, so that sliders have a length."""
        return max(self.window_tokens - self.reserve_tokens, 2 * LEAST_BUDGET)

    @property
    def most_reserve_tokens(self) -> int:
        """What the reply can have at most, whatever it has now: the smallest request needs room, too."""
        return max(self.window_tokens - LEAST_BUDGET, 2 * LEAST_RESERVE)


def room_of(view: EnvelopeView, model_window_tokens: int | None) -> Room:
    """The room of a request; where the model's window is not known, the one in use is taken for it."""
    in_use = view.limit_tokens + view.reserve_tokens
    return Room(max(model_window_tokens or 0, in_use), view.reserve_tokens)


def read(settings: ContextSettings, knob: Knob, room: Room) -> Value:
    """Where a setting stands."""
    match knob:
        case "budget":
            return budget_for(settings, room.window_tokens).window_tokens
        case "trim_at":
            threshold = settings.history.threshold
            return None if threshold is None else round(threshold * 100)
        case "keep_last":
            return settings.history.keep_last_n_assistant
        case "last_n":
            return settings.history.last_n_messages
        case "reserve":
            return budget_for(settings, room.window_tokens).reserved_output_tokens
        case "attachments":
            return settings.attachment_budget_tokens
        case _:
            assert_never(knob)


def turned(settings: ContextSettings, knob: Knob, value: Value, room: Room) -> ContextSettings:
    """The settings with one of them at another value."""
    history = settings.history
    match knob:
        case "budget":
            return replace(settings, context_window=_window_for(value or 0, settings))
        case "trim_at":
            return replace(
                settings, history=replace(history, threshold=None if value is None else value / 100)
            )
        case "keep_last":
            return replace(settings, history=replace(history, keep_last_n_assistant=value or 0))
        case "last_n":
            return replace(settings, history=replace(history, last_n_messages=value))
        case "reserve":
            return replace(settings, reserved_output_tokens=value or 0)
        case "attachments":
            return replace(settings, attachment_budget_tokens=value)
        case _:
            assert_never(knob)


def turned_from(
    base: ContextSettings, wanted: ContextSettings, knob: Knob, value: Value, room: Room
) -> ContextSettings:
    """The settings being tried out with one more change; back at where the base stands, it is no change at all."""
    if value == read(base, knob, room):
        return _put_back(base, wanted, knob)
    return turned(wanted, knob, value, room)


def stops(knob: Knob, room: Room, *standing: Value) -> tuple[Value, ...]:
    """The values a slider can be moved to, in its order; those that stand already are among them."""
    numbers = set(_numbers(knob, room)) | {value for value in standing if value is not None}
    off: tuple[Value, ...] = (None,) if knob in CAN_BE_OFF else ()
    return (*sorted(numbers), *off)


def place_of(values: tuple[Value, ...], value: Value) -> int:
    """Where on a slider a value stands, or would."""
    if value is None:
        return len(values) - 1
    numbers = [each for each in values if each is not None]
    return min(bisect_left(numbers, value), len(numbers) - 1)


def typed_range(knob: Knob, room: Room) -> tuple[int, int]:
    """Between which numbers a value may be typed; below the first one it is off, where it can be."""
    match knob:
        case "budget":
            return LEAST_BUDGET, room.most_tokens
        case "trim_at":
            return LEAST_PERCENT, MOST_PERCENT
        case "keep_last":
            return 0, MOST_TYPED
        case "last_n":
            return 1, MOST_TYPED
        case "reserve":
            return LEAST_RESERVE, room.most_reserve_tokens
        case "attachments":
            return LEAST_ATTACHMENTS, room.most_tokens
        case _:
            assert_never(knob)


def _numbers(knob: Knob, room: Room) -> tuple[int, ...]:
    match knob:
        case "budget":
            return _growing(LEAST_BUDGET, room.most_tokens)
        case "trim_at":
            return tuple(range(LEAST_PERCENT, MOST_PERCENT + 1))
        case "keep_last":
            return tuple(range(MOST_KEPT + 1))
        case "last_n":
            return tuple(range(1, MOST_MESSAGES + 1))
        case "reserve":
            return _growing(LEAST_RESERVE, room.most_reserve_tokens)
        case "attachments":
            return _growing(LEAST_ATTACHMENTS, room.most_tokens)
        case _:
            assert_never(knob)


def _growing(least: int, most: int) -> tuple[int, ...]:
    """Round numbers from the least to the most: with windows from 2,000 to a million, even steps would not do."""
    factor = (most / least) ** (1 / STOPS)
    steps = {_rounded(least * factor**step) for step in range(STOPS)}
    return tuple(sorted({each for each in steps if least <= each < most} | {most}))


def _rounded(x: float) -> int:
    digits = len(str(int(x))) - 2
    return int(round(x, -digits))


def _window_for(budget: int, settings: ContextSettings) -> int:
    """The window that leaves this budget; the reserve may be a part of the window."""
    window = budget
    while (short := budget - budget_for(replace(settings, context_window=window), 0).window_tokens) > 0:
        window += short
    return window


def _put_back(base: ContextSettings, wanted: ContextSettings, knob: Knob) -> ContextSettings:
    history = wanted.history
    match knob:
        case "budget":
            return replace(wanted, context_window=base.context_window)
        case "trim_at":
            return replace(wanted, history=replace(history, threshold=base.history.threshold))
        case "keep_last":
            kept = base.history.keep_last_n_assistant
            return replace(wanted, history=replace(history, keep_last_n_assistant=kept))
        case "last_n":
            return replace(wanted, history=replace(history, last_n_messages=base.history.last_n_messages))
        case "reserve":
            return replace(wanted, reserved_output_tokens=base.reserved_output_tokens)
        case "attachments":
            return replace(wanted, attachment_budget_tokens=base.attachment_budget_tokens)
        case _:
            assert_never(knob)
