"""A comparison as the engine tells it: one that fits, one that does not, one that cannot be built."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.sample_state import CHAT, sample_state
from workbench.domain.shown.comparison import Comparison, ComparisonColumn
from workbench.domain.variant import Variant
from workbench.engine.state import ChatState, WorkbenchState

FIRST = ComparisonColumn(
    "Next request", (), "openai:gpt-4.1", "layered", True, 6_392, 11_264, 0,
    (("L1_SYSTEM", 91), ("L2_PREVIOUS", 1_402), ("L4_STRIP", 1_557), ("L3_TURN", 3_313), ("L5_USER", 29)),
    cached_tokens=6_363, usd=0.0049, switch_cached_tokens=6_363, switch_usd=0.0049,
    parts=(("L1_SYSTEM", 91), ("L2_PREVIOUS", 1_402), ("L4_STRIP", 1_557), ("L3_TURN", 3_313), ("L5_USER", 29)),
    reserve_tokens=1_024, threshold_tokens=9_011,
)  # fmt: skip
MINI = Variant("GPT-4.1 nano", {"model": "openai:gpt-4.1-nano"})
SMALL = Variant("Small", {"context_window": 4_096})
GONE = Variant("Gone", attached={"gone.md": False})
COLUMNS = (
    FIRST,
    replace(
        FIRST, name=MINI.name, patch=MINI.patch, tokens=6_842, switch_cached_tokens=3_071, switch_usd=0.0022,
        layers=(*FIRST.layers[:3], ("L3_TURN", 3_763), FIRST.layers[4]), shortened=("a.md", "b.md"),
    ),
    replace(
        FIRST, name=SMALL.name, patch=SMALL.patch, limit_tokens=3_072, over_tokens=120, tokens=3_192,
        dropped=("logs/refresh.log",), exact=False, switch_cached_tokens=None, switch_usd=None,
    ),
)  # fmt: skip
COMPARISON = Comparison(
    CHAT, None, COLUMNS, ((GONE.name, "gone.md: not attached"),), (MINI, SMALL, GONE), 9, 9
)


def compared(comparison: Comparison | None = COMPARISON) -> tuple[WorkbenchState, ChatState]:
    """The state of the pictures with a comparison in its chat."""
    state = sample_state()
    return state, replace(state.open[CHAT], comparison=comparison)
