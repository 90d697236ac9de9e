"""Side questions in words: what one took, and all of a chat together."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.domain.side import KEPT_DAYS, SideQuestion
from workbench.ui import formatting
from workbench.ui.translation import tr


def side_figures(side: SideQuestion) -> str:
    """What a side question took: “4,024 in · 96 % cached · 58 out · $0.0017 · 1.4 s”."""
    found = []
    if side.prompt_tokens is not None:
        found.append(tr("{n} in").format(n=formatting.tokens(side.prompt_tokens)))
    if (share := cached_share(side)) is not None:
        found.append(tr("{share} cached").format(share=formatting.percent(share)))
    if side.completion_tokens is not None:
        found.append(tr("{n} out").format(n=formatting.tokens(side.completion_tokens)))
    if side.cost_usd:
        found.append(formatting.usd(side.cost_usd))
    if side.total_ms:
        found.append(formatting.seconds(side.total_ms))
    return " · ".join(found)


def cached_share(side: SideQuestion) -> float | None:
    """How much of its request a cache served; None where nobody said."""
    if side.cached_tokens is None or not side.prompt_tokens:
        return None
    return side.cached_tokens / side.prompt_tokens


def list_note(sides: Sequence[SideQuestion]) -> str:
    """The heading's note: how many there are, what they cost, how long they stay."""
    cost = sum(one.cost_usd or 0 for one in sides)
    parts = [tr("{n}, not part of this chat").format(n=formatting.tokens(len(sides)))]
    if cost:
        parts.append(formatting.usd(cost))
    parts.append(tr("kept for {n} days").format(n=KEPT_DAYS))
    return " · ".join(parts)
