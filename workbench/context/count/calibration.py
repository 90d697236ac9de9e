"""Corrects counts by a provider's reports: learns a ratio and its spread, and detects silent truncation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from workbench.context.count.counting import TokenizerCounter
from workbench.domain.envelope import Envelope, WireMessage
from workbench.domain.model import Calibration, ModelCard, Truncation, TurnReport
from workbench.domain.tool import ToolDefinition
from workbench.ports.counting import Tokenizer

LAST = 32
"""How many of the newest reports a model's calibration is learnt from."""
LEAST_TURNS = 3
LEAST_TOKENS = 256
"""Below this the framing, which differs from server to server, says more than the text."""

_COVERED = 0.9
_FAR_BELOW, _ABOUT = 0.75, 0.1
_SURELY_BELOW = 0.6
"""Below this even an estimate that nothing has corrected yet cannot be right: tokenizers differ by less."""
_ALIKE, _GREW = 0.05, 1.3
_LOWEST, _HIGHEST = 0.25, 4.0
_PARTS = 10_000
_DIGITS, _STEPS = 3, 200


def learn(reports: Sequence[TurnReport]) -> Calibration | None:
    """The correction for a model's uncorrected counts; None where too few reports support one.

    Nine in ten of the newest reports lie within the spread. Silently truncated requests are ignored.
    """
    told = [one for one in reports if _ratio(one) is not None][-LAST:]
    ratios = [ratio for ratio in map(_ratio, told) if ratio is not None]
    trusted = [ratio for ratio in ratios if ratio >= _FAR_BELOW * _expected(ratios)]
    if len(trusted) < LEAST_TURNS:
        return None
    middle = round(median(trusted), _DIGITS)
    if middle < _FAR_BELOW and not _is_tokenizer(told, ratios):
        return None
    off = sorted(abs(ratio / middle - 1) for ratio in trusted)
    # In steps, upwards: a report more that says about the same must not have everything counted again.
    spread = math.ceil(round(off[math.ceil(_COVERED * len(off)) - 1] * _STEPS, 6)) / _STEPS
    return Calibration(middle, spread, len(trusted))


def truncated(report: TurnReport) -> Truncation | None:
    """Whether a server read far less than it was sent, having silently dropped something.

    A server may merely count differently: an uncorrected estimate is evidence only where no tokenizer could need so few
    tokens. A corrected one, being based on other texts, is evidence only below the uncorrected count, too.
    """
    counted, read = report.counted_tokens, report.prompt_tokens
    uncorrected = bool(report.card) and report.ratio == 1.0
    expected = (_SURELY_BELOW if uncorrected else _FAR_BELOW) * counted
    expected = min(expected, counted / report.ratio)
    if read is None or read <= 0 or counted < LEAST_TOKENS or read >= expected:
        return None
    return None if _reports_only_uncached(report, counted, read) else Truncation(counted, read)


def _reports_only_uncached(report: TurnReport, counted: int, read: int) -> bool:
    """Whether a server reports only uncached tokens, as older ones do, so that nothing was truncated."""
    if report.served_tokens is not None or not report.predicted_tokens:
        return False
    return abs(counted - report.predicted_tokens - read) <= _ABOUT * counted


def rescaled(envelope: Envelope, told_tokens: float | None) -> Envelope:
    """The request with its rows scaled to the provider's count, so that they sum to exactly that.

    Without a count, or with an impossible one, it stays as it is.
    """
    total = envelope.total_tokens
    if told_tokens is None or not math.isfinite(told_tokens) or told_tokens < 1 or not total:
        return envelope
    told, before, layers = int(told_tokens), 0, []
    for layer in envelope.layers:
        shares = []
        for tokens in layer.tokens:
            shares.append((before + tokens) * told // total - before * told // total)
            before += tokens
        layers.append(replace(layer, tokens=tuple(shares)))
    return replace(envelope, layers=tuple(layers), total_tokens=told)


def _ratio(report: TurnReport) -> float | None:
    """The factor between the provider's count and ours; None where it is unknown or impossible."""
    if report.prompt_tokens is None or report.prompt_tokens <= 0 or report.counted_tokens < LEAST_TOKENS:
        return None
    ratio = report.prompt_tokens / report.counted_tokens * report.ratio
    return ratio if _LOWEST <= ratio <= _HIGHEST else None


def _expected(ratios: Sequence[float]) -> float:
    """A model's typical ratio, from the larger ones, since a server may truncate but does not add."""
    return median(sorted(ratios)[len(ratios) // 2 :]) if ratios else 1.0


def _is_tokenizer(told: Sequence[TurnReport], ratios: Sequence[float]) -> bool:
    """Whether a low ratio is due to the tokenizer: the same for requests of several sizes, unlike a limit."""
    sizes = [one.counted_tokens / one.ratio for one in told]
    alike = max(ratios) - min(ratios) <= _ALIKE * max(ratios)
    return alike and max(sizes) >= _GREW * min(sizes)


class CalibratedCounter(TokenizerCounter):
    """A tokenizer's counts times the learnt ratio, rounded for each segment, so that they sum to the total."""

    def __init__(self, tokenizer: Tokenizer, card: ModelCard, calibration: Calibration) -> None:
        super().__init__(tokenizer, card)
        self._bare = TokenizerCounter(tokenizer, card)
        self._parts = round(calibration.ratio * _PARTS)
        self.spread, self.ratio = calibration.spread, calibration.ratio
        self.exact = False
        self.reply_cost = self._scaled(self._bare.reply_cost)

    def tool_tokens(self, tool: ToolDefinition) -> int:
        return self._scaled(self._bare.tool_tokens(tool))

    def common_cost(self, left: WireMessage, right: WireMessage) -> int:
        both = self._scaled(self._bare.common_cost(left, right))
        return min(both, sum(self.costs(left)), sum(self.costs(right)))

    def _count_message(self, message: WireMessage) -> tuple[int, ...]:
        return tuple(map(self._scaled, self._bare.costs(message)))

    def _scaled(self, raw: int) -> int:
        return (raw * self._parts + _PARTS // 2) // _PARTS
