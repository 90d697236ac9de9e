"""How the scripted request differs from the last one sent, once docs/api.md is read anew."""

from __future__ import annotations

from workbench.domain.segment import LayerName
from workbench.domain.shown.diff_view import DiffCause, DiffSide, DiffView
from workbench.ui.scenes import sample_texts as texts

PARTS_8: tuple[tuple[LayerName, int], ...] = (
    ("L1_SYSTEM", 820), ("L1_SYSTEM", 240), ("L2_PREVIOUS", 410), ("L2_PREVIOUS", 365), ("L4_STRIP", 1_480),
    ("L4_STRIP", 890), ("L3_TURN", 9), ("L5_USER", 61),
)  # fmt: skip
PARTS_9: tuple[tuple[LayerName, int], ...] = (
    ("L1_SYSTEM", 820), ("L1_SYSTEM", 240), ("L2_PREVIOUS", 410), ("L2_PREVIOUS", 388), ("L4_STRIP", 1_480),
    ("L4_STRIP", 890), ("L4_STRIP", 1_310), ("L3_TURN", 9), ("L3_TURN", 6_120), ("L5_USER", 42),
)  # fmt: skip


def sample_diff() -> DiffView:
    """The library's copy of docs/api.md changed: everything after token 1,482 is read again."""
    causes = (
        DiffCause(
            "file_changed", "L2_PREVIOUS", "docs/api.md", "file", 365, 388, breaks=True, lost_tokens=2_723,
            before_digest="17c9b4e3", after_digest="9af05d21", texts=lambda: (texts.API_BEFORE, texts.API_AFTER),
        ),
        DiffCause(
            None, "L4_STRIP", "turn 8", "turn", 0, 1_310, numbers=(8, 8), texts=lambda: ("", texts.ANSWER_8),
        ),
        DiffCause("attached", "L3_TURN", "src/auth.py", "file", 0, 6_120, texts=lambda: ("", texts.SOURCE)),
        DiffCause(None, "L5_USER", "question", "question", 61, 42, texts=lambda: (texts.QUESTION_8, texts.DRAFT)),
    )  # fmt: skip
    return DiffView(
        before=DiffSide(8, "2026-11-12T14:01:00Z", 4_275, PARTS_8),
        after=DiffSide(9, "", 11_709, PARTS_9),
        change="diverged",
        first_difference_token=1_482,
        reused_tokens=1_482,
        lost_tokens=2_723,
        extra_cost_usd=0.0008,
        causes=causes,
    )
