"""Run by the system's Python in a session bus of its own: starts the program, and reads it as a screen reader does."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from typing import Any

import gi  # type: ignore[import-not-found]

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi  # type: ignore[import-not-found]  # noqa: E402

LAUNCHER = "/usr/libexec/at-spi-bus-launcher"
PATIENCE_S = 90
NO_ROLE = ("unknown", "filler", "invalid")
DEPTH, WIDTH = 40, 400
Row = tuple[str, str, str]


def program() -> Any:
    """The program among all that are open; None while it is not."""
    desktop = Atspi.get_desktop(0)
    found = (desktop.get_child_at_index(place) for place in range(desktop.get_child_count()))
    return next((one for one in found if one and "orkbench" in (one.get_name() or "")), None)


def nodes(one: Any, depth: int = 0) -> Iterator[Any]:
    """Everything in it."""
    if one is None or depth > DEPTH:
        return
    yield one
    for place in range(min(one.get_child_count(), WIDTH)):
        yield from nodes(one.get_child_at_index(place), depth + 1)


def told(one: Any) -> Row | None:
    """What is read aloud of something that can have the focus and is in sight; None of anything else."""
    states = one.get_state_set()
    if not (states.contains(Atspi.StateType.FOCUSABLE) and states.contains(Atspi.StateType.SHOWING)):
        return None
    return one.get_role_name(), one.get_name() or "", one.get_description() or ""


def problems(rows: Iterable[Row]) -> Iterator[str]:
    """Those without a name or a role, and those whose words have markup."""
    for role, name, words in rows:
        if not name.strip() or role in NO_ROLE or "<p " in words:
            yield f"{role} {name!r} {words!r}"


def read_rows() -> list[Row]:
    """All that can have the focus, once the window has filled."""
    rows: list[Row] = []
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        seen = program()
        try:
            rows = [row for row in map(told, nodes(seen)) if row] if seen else []
        except Exception:  # noqa: BLE001  (the tree changes while it is read: read again)
            rows = []
        if any("Segments of the request" in name for _, name, _ in rows):
            return rows
        time.sleep(0.5)
    return rows


def main() -> None:
    """Print what was found as JSON."""
    with subprocess.Popen([LAUNCHER, "--launch-immediately"]) as bus:
        time.sleep(1)
        Atspi.init()
        with subprocess.Popen([sys.argv[1], "-m", "workbench", "--demo"]) as opened:
            rows = read_rows()
            opened.terminate()
        bus.terminate()
    names = [name for _, name, _ in rows]
    print(json.dumps({"focusable": len(rows), "names": names, "problems": list(problems(rows))}))


main()
