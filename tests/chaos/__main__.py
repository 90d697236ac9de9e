"""Works with the real program while everything goes wrong that can, and counts what was acknowledged and lost.

The exit code is 0 where nothing was lost, 1 where something was, and 2 for wrong usage. A seed does the same acts and
faults again; moments differ with the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tests.promises import keep_run
from tests.storage.faults.power_cuts import compile_recorder

if TYPE_CHECKING:
    from tests.chaos.rounds import Tally

_PRELOADED = "CHAOS_PRELOADED"


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="dev.py chaos", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0, metavar="N", help="how long (default 1)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="which acts and faults (default 1)")
    parser.add_argument("--json", action="store_true", help="the figures for machines, on standard output")
    parser.add_argument("--broken", choices=("normal", "unsynced"), help="a store that loses on purpose")
    parser.add_argument("--no-window", action="store_true", help="only without a window")
    parser.add_argument("--write", action="store_true", help="keep the figures for `dev.py promises`")
    options = parser.parse_args(argv)
    if options.write and (options.broken or options.no_window):
        parser.error("--write is for the program as it is, with its window")
    if sys.platform != "linux" or shutil.which("cc") is None:
        parser.error("it needs Linux and a C compiler: a preloaded library makes disks and clocks fail")
    if not os.environ.get(_PRELOADED):
        folder = Path(tempfile.mkdtemp(prefix="chaos-"))
        environment = {**os.environ, "LD_PRELOAD": str(compile_recorder(folder)), _PRELOADED: str(folder)}
        os.execve(sys.executable, [sys.executable, "-m", "tests.chaos", *argv], environment)
    folder = Path(os.environ.pop(_PRELOADED))
    try:
        return _run(options, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _run(options: argparse.Namespace, folder: Path) -> int:
    from tests.chaos.processes import model_server
    from tests.chaos.rounds import Tally, rounds, told_to

    _load(options)
    if options.broken:
        _break(options.broken)
    tally = Tally()
    began = time.monotonic()
    until = began + options.minutes * 60
    log = folder / "errors.log"
    with model_server() as models, told_to(log):
        for name in rounds(folder / "life", models, options.seed, tally, not options.no_window):
            if not options.json:
                print(f"{name}: {len(tally.lost)} lost", flush=True)
            if time.monotonic() >= until or (options.broken and tally.lost):
                break
    errors = log.read_text(encoding="utf-8", errors="replace").splitlines()
    print(json.dumps({**vars(tally), "errors": errors}) if options.json else _table(tally, errors))
    if options.write:
        keep_run("chaos", _figures(tally, time.monotonic() - began))
    return 1 if tally.lost else 0


def _figures(tally: Tally, seconds: float) -> dict[str, float]:
    """What the guide says about a run."""
    return {
        "minutes": round(seconds / 60),
        "rounds": tally.rounds.total(),
        "acts": tally.acts.total(),
        "acknowledged": tally.acknowledged,
        "lost": len(tally.lost),
        "s the longest wait": round(tally.worst_wait_s, 1),
    }


def _load(options: argparse.Namespace) -> None:
    """Everything that a fork needs, so that a start takes a moment and not seconds."""
    import workbench.cli.ask.command
    import workbench.cli.history.command
    import workbench.cli.main
    import workbench.engine.workbench
    import workbench.providers.openai.model
    import workbench.storage.opening
    import workbench.wiring.command_line
    import workbench.wiring.engine

    if not options.no_window:
        import workbench.ui.window.working  # noqa: F401


def _break(how: str) -> None:
    """Make the store lose on purpose."""
    from workbench.storage.database import cipher

    wanted = {"normal": ("synchronous=NORMAL", 1), "unsynced": ("synchronous=OFF", 0)}[how]
    rest = {name: value for name, value in cipher.SETTINGS.items() if not name.startswith("synchronous")}
    cipher.SETTINGS.clear()
    cipher.SETTINGS.update({**rest, wanted[0]: wanted[1]})


def _table(tally: Tally, errors: list[str]) -> str:
    lines = []
    for name, counted in (("rounds", tally.rounds), ("acts", tally.acts), ("refused", tally.refused)):
        lines += [f"{name}: {sum(counted.values()):,}"]
        lines += [f"  {count:6,}  {what}" for what, count in counted.most_common(40)]
    return "\n".join(
        [
            *lines,
            f"acknowledged and looked for again: {tally.acknowledged:,}",
            f"lost: {len(tally.lost)}",
            *(f"  {one}" for one in tally.lost[:40]),
            f"worst wait: {tally.worst_wait_s:.2f} s ({tally.worst_act})",
            "for how long something newer was shown than what came back: "
            f"of a draft {tally.draft_s:.2f} s ({tally.draft_in}), "
            f"of an answer {tally.answer_s:.2f} s ({tally.answer_in})",
            *(f"  {one}" for one in tally.late[:20]),
            f"errors printed: {len(errors)}",
            *(f"  {one}" for one in errors[-40:]),
        ]
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
