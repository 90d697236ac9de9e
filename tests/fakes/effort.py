"""How hard the tests try: few examples while one works, a part of them by default, all where a change is taken."""

from __future__ import annotations

import os

EFFORTS = {"quick": 0.1, "usual": 0.4, "full": 1.0}
FEWEST = 5


def effort() -> str:
    """What was asked for, by `dev.py test --quick` or by a machine that takes changes and says so."""
    asked = os.environ.get("WORKBENCH_TEST_EFFORT")  # noqa: TID251
    if asked in EFFORTS:
        return asked
    return "full" if os.environ.get("CI") else "usual"  # noqa: TID251


def tries(full: int) -> int:
    """How often something is tried that is tried `full` times before a change is taken."""
    return max(min(full, FEWEST), round(full * EFFORTS[effort()]))
