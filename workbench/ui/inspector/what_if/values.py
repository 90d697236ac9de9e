"""The numeric settings of the What-if panel: their values, the steps of their sliders, and how to change one."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, replace

from workbench.domain.envelope import budget_for
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.settings.control import Setting, WhatIf, settings_of
from workbench.domain.shown.envelope_view import EnvelopeView

WINDOW, RESERVE = "context_window", "reserved_output_tokens"
"""Both are shown as their effect even if not set: the request's budget, and the reply reserve."""
LEAST_BUDGET, LEAST_RESERVE = 1_000, 100
MOST_TYPED = 9_999
STEPS = 120
"""How many steps a slider of tokens has; each is larger than the one before by the same factor."""

Value = int | None
"""A number; None where the setting is off."""


@dataclass(frozen=True, slots=True)
class WindowSize:
    """The size of the model's context window, or of the one in use, and the current reply reserve."""

    window_tokens: int
    reserve_tokens: int = 0

    def most_tokens(self, setting: Setting) -> int:
        """The largest value of a setting in tokens; never so small that its slider would have no length.

        The reply reserve may take all that the smallest budget leaves.
        """
        if setting.name == RESERVE:
            return max(self.window_tokens - LEAST_BUDGET, 2 * LEAST_RESERVE)
        return max(self.window_tokens - self.reserve_tokens, 2 * LEAST_BUDGET)


def window_size_of(view: EnvelopeView, model_window_tokens: int | None) -> WindowSize:
    """The window size for a request; if the model's window is not known, the one in use counts as it."""
    in_use = view.limit_tokens + view.reserve_tokens
    return WindowSize(max(model_window_tokens or 0, in_use), view.reserve_tokens)


def tried_settings(made: type) -> Mapping[str, tuple[Setting, WhatIf]]:
    """The settings that can be tried out, by name, each with how it is shown; in the order of the panel."""
    found = ((one, one.control.what_if) for one in settings_of(made))
    shown = [(one, tried) for one, tried in found if tried is not None]
    return {one.name: (one, tried) for one, tried in sorted(shown, key=lambda pair: pair[1].place)}


def is_number(setting: Setting) -> bool:
    """Whether a setting has a slider."""
    return not setting.is_switch and not setting.control.choices


def can_be_off(setting: Setting) -> bool:
    """Whether the slider of a setting has a step for off."""
    return setting.optional and setting.name not in (WINDOW, RESERVE)


def value_of(settings: ContextSettings, setting: Setting, size: WindowSize) -> Value:
    """The value of a setting, or what it amounts to if it is not set."""
    if setting.name in (WINDOW, RESERVE):
        budget = budget_for(settings, size.window_tokens)
        return budget.window_tokens if setting.name == WINDOW else budget.reserved_output_tokens
    value: Value = setting.shown(setting.value(settings))
    return value


def with_value(
    base: ContextSettings, tried: ContextSettings, setting: Setting, value: Value, size: WindowSize
) -> ContextSettings:
    """The tried settings with one more change; a value equal to that of `base` undoes the change."""
    if value == value_of(base, setting, size):
        return setting.with_value(tried, setting.value(base))
    if setting.name == WINDOW:
        return replace(tried, context_window=_window_for(value or 0, tried))
    return setting.with_value(tried, setting.stored(value))


def slider_steps(setting: Setting, tried: WhatIf, size: WindowSize, *included: Value) -> tuple[Value, ...]:
    """The values a slider can be moved to, in order, including the given ones; None for off comes last."""
    if tried.high is None:
        numbers = set(_geometric_steps(tried.low, size.most_tokens(setting)))
    else:
        numbers = set(range(tried.low, tried.high + 1))
    numbers |= {value for value in included if value is not None}
    off: tuple[Value, ...] = (None,) if can_be_off(setting) else ()
    return (*sorted(numbers), *off)


def step_index(steps: tuple[Value, ...], value: Value) -> int:
    """Index of a value in a slider's steps, or where it would be inserted."""
    if value is None:
        return len(steps) - 1
    numbers = [each for each in steps if each is not None]
    return min(bisect_left(numbers, value), len(numbers) - 1)


def typed_range(setting: Setting, tried: WhatIf, size: WindowSize) -> tuple[int, int]:
    """The least and the largest number that may be typed; below the least, a setting that can be off is off."""
    if tried.high is None:
        return tried.low, size.most_tokens(setting)
    return tried.low, tried.high if setting.control.percent else MOST_TYPED


def _geometric_steps(least: int, most: int) -> tuple[int, ...]:
    """Rounded numbers from the least to the most by equal factors; windows range from 2,000 to a million tokens."""
    factor = (most / least) ** (1 / STEPS)
    exact = (least * factor**step for step in range(STEPS))
    rounded = {int(round(x, 2 - len(str(int(x))))) for x in exact}
    return tuple(sorted({each for each in rounded if least <= each < most} | {most}))


def _window_for(budget: int, settings: ContextSettings) -> int:
    """The smallest window that leaves this budget; it is searched, since the reserve may depend on the window."""
    window = budget
    while (short := budget - budget_for(replace(settings, context_window=window), 0).window_tokens) > 0:
        window += short
    return window
