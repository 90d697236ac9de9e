"""Window or command line? Starts one or the other, importing nothing that it does not need."""

from __future__ import annotations

import os
import signal
import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.cli.services import Services
    from workbench.domain.about import ProgramFacts


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command, or open the window; the exit code."""
    try:
        return run_once(argv)
    except KeyboardInterrupt:
        return 130
    finally:
        if argv is None:
            # What is left is waiting for threads: Ctrl-C ends that at once, without a word.
            signal.signal(signal.SIGINT, signal.SIG_DFL)


def run_once(argv: Sequence[str] | None) -> int:
    """The same, where nobody interrupts it."""
    from workbench.cli.main import run

    if sys.stdout is None:
        return give_up("standard output is closed")
    try:
        given = sys.argv[1:] if argv is None else argv
        exit_code = leaving_code(lambda: run(given, load_parts, open_window, program_facts))
        sys.stdout.flush()
    except BrokenPipeError:
        silence_stdout()
        return 1
    except OSError as problem:
        silence_stdout()
        return give_up(str(problem))
    return exit_code


def leaving_code(run: Callable[[], int]) -> int:
    """What a command ends with; `--help` and wrong usage end it by leaving, before anything is flushed."""
    try:
        return run()
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else 0


def main_gui() -> int:
    """The same, started where there is no terminal."""
    return main()


def load_parts(arguments: Namespace) -> Services:
    """Build what a command works with; only now are the adapters imported."""
    from workbench.wiring.command_line import command_parts
    from workbench.wiring.core_dumps import forbid_core_dumps

    forbid_core_dumps()
    return command_parts(arguments)


def program_facts() -> ProgramFacts:
    """What `--version` tells; nothing else is loaded for it."""
    from workbench.wiring.about import program_facts

    return program_facts()


def open_window(arguments: Namespace) -> int:
    """Open the window, or draw a scene; only now is Qt imported."""
    from workbench.wiring.core_dumps import forbid_core_dumps
    from workbench.wiring.display import NO_DISPLAY, has_display

    forbid_core_dumps()
    if not arguments.screenshot and not has_display():
        print(NO_DISPLAY, file=sys.stderr)
        return 1
    from workbench.wiring.first_paint import run_window

    return run_window(arguments)


def give_up(reason: str) -> int:
    """Say what the system refused; with nobody listening there either, the exit code says it."""
    if sys.stderr is not None:
        print(f"workbench: not finished: {reason}", file=sys.stderr)
    return 1


def silence_stdout() -> None:
    """Nobody reads on (`| head`), or the disk is full: without this, Python complains again when it flushes at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
