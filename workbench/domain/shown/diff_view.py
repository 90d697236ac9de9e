"""The view of how two requests differ: where first, what it costs, and why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from workbench.domain.change import CauseName, Change
from workbench.domain.segment import LayerName


class DiffSide(NamedTuple):
    """One of the two requests; `parts` are its segments in wire order: layer and tokens. `name`: a variant's.

    `watched`: another program sent it; `exact`: its tokens were counted, not estimated.
    """

    turn: int
    sent_utc: str
    total_tokens: int
    parts: tuple[tuple[LayerName, int], ...]
    name: str = ""
    watched: bool = False
    exact: bool = True


@dataclass(frozen=True, slots=True)
class DiffCause:
    """One reason why they differ.

    Attributes:
        cause: None for what simply grew: a turn that moved into the history, the new question.
        subject: the id of the row it is about, in `layer`; a model's name where it is about no row.
        kind: what the subject is, which picks the icon: an artifact's kind, "turn" for messages of the history,
            "question", "tool", "model"; "counts" where the same texts were counted otherwise.
        breaks: whether this is where the common beginning ends; `lost_tokens` are read again because of it.
        numbers: what the words need besides. Turns that moved into the history: the first and the last of them.
            "trimmed": up to which message, before and after. "priority": before and after. Other messages of the
            history: 0, and how many. A recalled message: its turn.
        recounted: whether estimates were corrected between the two.
        texts: the two texts of what changed, made when someone looks.
    """

    cause: CauseName | None
    layer: LayerName
    subject: str
    kind: str = ""
    before_tokens: int = 0
    after_tokens: int = 0
    breaks: bool = False
    lost_tokens: int = 0
    before_digest: str = ""
    after_digest: str = ""
    numbers: tuple[int, int] = (0, 0)
    recounted: bool = False
    texts: Callable[[], tuple[str, str]] = field(default=lambda: ("", ""), compare=False)


@dataclass(frozen=True, slots=True)
class DiffView:
    """The difference between an earlier and a later request.

    Attributes:
        first_difference_token: how many tokens they have in common from the beginning; None where the later one has all
            of the earlier one.
        reused_tokens: what of the earlier one can be used again; lost_tokens: what both have, and is read again because
            it comes after the first difference.
        lasting_tokens: what of the earlier one could be used again if nothing had changed.
        extra_cost_usd: what reading that again costs; None where no price is known.
        causes: in wire order.
    """

    before: DiffSide
    after: DiffSide
    change: Change
    first_difference_token: int | None
    reused_tokens: int
    lost_tokens: int
    extra_cost_usd: float | None = None
    causes: tuple[DiffCause, ...] = ()
    lasting_tokens: int = 0
