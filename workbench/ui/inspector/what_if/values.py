"""The numbers that can be tried out: what each is, the steps of its slider, and the settings with another one."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, replace

from workbench.domain.envelope import budget_for
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.settings.control import Setting, WhatIf, settings_of
from workbench.domain.shown.envelope_view import EnvelopeView

WINDOW, RESERVE = "context_window", "reserved_output_tokens"
"""These two are shown as what they come to, set or not: the request's budget, and the reply's part of the window."""
LEAST_BUDGET, LEAST_RESERVE = 1_000, 100
MOST_TYPED = 9_999
STEPS = 120
"""Into how many steps a slider of tokens is divided; each is larger than the one before by the same factor."""

Value = int | None
"""A number; None where the setting is off."""


@dataclass(frozen=True, slots=True)
class WindowSize:
    """How large the window is: the model's own, or as large as it is in use; and what of it the reply has now."""

    window_tokens: int
    reserve_tokens: int = 0

    def most_tokens(self, setting: Setting) -> int:
        """The most that a setting of tokens can be; at least something, so that its slider has a length.

        The reply can have what the smallest request leaves, whatever it has now.
        """
        if setting.name == RESERVE:
            return max(self.window_tokens - LEAST_BUDGET, 2 * LEAST_RESERVE)
        return max(self.window_tokens - self.reserve_tokens, 2 * LEAST_BUDGET)


def window_size_of(view: EnvelopeView, model_window_tokens: int | None) -> WindowSize:
    """The window of a request; where the model's window is not known, the one in use is taken for it."""
    in_use = view.limit_tokens + view.reserve_tokens
    return WindowSize(max(model_window_tokens or 0, in_use), view.reserve_tokens)


def tried_settings(made: type) -> Mapping[str, tuple[Setting, WhatIf]]:
    """What can be tried out, by its name, with how; in the order in which it stands there."""
    found = ((one, one.control.what_if) for one in settings_of(made))
    shown = [(one, tried) for one, tried in found if tried is not None]
    return {one.name: (one, tried) for one, tried in sorted(shown, key=lambda pair: pair[1].place)}


def is_number(setting: Setting) -> bool:
    """Whether it is tried out by a slider."""
    return not setting.is_switch and not setting.control.choices


def can_be_off(setting: Setting) -> bool:
    """Whether there is a place for off on its slider."""
    return setting.optional and setting.name not in (WINDOW, RESERVE)


def value_of(settings: ContextSettings, setting: Setting, size: WindowSize) -> Value:
    """The number that a setting is, or comes to."""
    if setting.name in (WINDOW, RESERVE):
        budget = budget_for(settings, size.window_tokens)
        return budget.window_tokens if setting.name == WINDOW else budget.reserved_output_tokens
    value: Value = setting.shown(setting.value(settings))
    return value


def with_value(
    base: ContextSettings, tried: ContextSettings, setting: Setting, value: Value, size: WindowSize
) -> ContextSettings:
    """The settings being tried out with one more change; back at where the base stands, it is no change at all."""
    if value == value_of(base, setting, size):
        return setting.with_value(tried, setting.value(base))
    if setting.name == WINDOW:
        return replace(tried, context_window=_window_for(value or 0, tried))
    return setting.with_value(tried, setting.stored(value))


def slider_steps(setting: Setting, tried: WhatIf, size: WindowSize, *included: Value) -> tuple[Value, ...]:
    """The values a slider can be moved to, in its order, with those included that it has already; off comes last."""
    if tried.high is None:
        numbers = set(_growing(tried.low, size.most_tokens(setting)))
    else:
        numbers = set(range(tried.low, tried.high + 1))
    numbers |= {value for value in included if value is not None}
    off: tuple[Value, ...] = (None,) if can_be_off(setting) else ()
    return (*sorted(numbers), *off)


def step_index(steps: tuple[Value, ...], value: Value) -> int:
    """Which step of a slider a value is, or would be."""
    if value is None:
        return len(steps) - 1
    numbers = [each for each in steps if each is not None]
    return min(bisect_left(numbers, value), len(numbers) - 1)


def typed_range(setting: Setting, tried: WhatIf, size: WindowSize) -> tuple[int, int]:
    """Between which numbers a value may be typed; below the first one it is off, where it can be."""
    if tried.high is None:
        return tried.low, size.most_tokens(setting)
    return tried.low, tried.high if setting.control.percent else MOST_TYPED


def _growing(least: int, most: int) -> tuple[int, ...]:
    """Round numbers from the least to the most: with windows from 2,000 to a million, even steps would not do."""
    factor = (most / least) ** (1 / STEPS)
    exact = (least * factor**step for step in range(STEPS))
    rounded = {int(round(x, 2 - len(str(int(x))))) for x in exact}
    return tuple(sorted({each for each in rounded if least <= each < most} | {most}))


def _window_for(budget: int, settings: ContextSettings) -> int:
    """The window that leaves this budget; the reserve may be a part of the window."""
    window = budget
    while (short := budget - budget_for(replace(settings, context_window=window), 0).window_tokens) > 0:
        window += short
    return window
