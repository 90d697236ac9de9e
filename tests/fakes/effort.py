"""How hard the tests try: few examples while somebody works, more by default and where a change is taken.

Examples are the same on every run, so more of them find something only after a change of what they try: a sweep over
all of them (`WORKBENCH_TEST_EFFORT=thorough`) belongs to such a change.
"""

from __future__ import annotations

import os

EFFORTS = {"quick": 0.04, "usual": 0.1, "full": 0.1, "thorough": 1.0}
FEWEST = 5


def effort() -> str:
    """What was asked for, by `dev.py test --quick` or by a machine that takes changes and says so."""
    asked = os.environ.get("WORKBENCH_TEST_EFFORT")  # noqa: TID251
    if asked in EFFORTS:
        return asked
    return "full" if os.environ.get("CI") else "usual"  # noqa: TID251


def tries(full: int, fewest: int = FEWEST) -> int:
    """How often something is tried that a thorough run tries `full` times."""
    return max(min(full, fewest), round(full * EFFORTS[effort()]))
