"""Tells whether a window can be shown here, before anything that draws is loaded."""

from __future__ import annotations

import os
import sys

from workbench.domain.translation import tr

NO_DISPLAY = tr(
    "workbench: there is no display here, so no window can open. Without "
    "one every command works (`workbench tour`, `workbench ask`, "
    "`workbench --help`), and --screenshot FILE --scene main draws the "
    "window."
)


def has_display() -> bool:
    """Tells whether there is a display; Qt's own variable may name another place to draw."""
    if sys.platform in ("darwin", "win32"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))
