"""What every test of the window shares: our look, our fonts, and a guard that the loop never stands still."""

from __future__ import annotations

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")  # noqa: TID251 - Qt reads it when it is loaded
