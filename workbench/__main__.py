"""The entry point: starts the window or the command line, importing only what is needed."""

from __future__ import annotations

import gc
import os
import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.cli.services import Services
    from workbench.domain.about import ProgramFacts


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command, or opens the window; returns the exit code, 130 after Ctrl-C."""
    # Imports make some hundred thousand objects, all of which stay: looking for garbage among them every 700 objects
    # took a tenth of a command's processor time, every 50,000 a twentieth of that of `ask`.
    gc.set_threshold(200_000)
    try:
        return run_once(argv)
    except KeyboardInterrupt:
        return 130
    finally:
        if argv is None:
            import signal

            # What is left is waiting for threads: Ctrl-C ends that at once, without a word.
            signal.signal(signal.SIGINT, signal.SIG_DFL)


def run_once(argv: Sequence[str] | None) -> int:
    """Runs one command without handling Ctrl-C; a closed or full standard output becomes exit code 1."""
    from workbench.cli.main import run

    if sys.stdout is None:
        return give_up("standard output is closed")
    try:
        given = sys.argv[1:] if argv is None else argv
        set_language(given)
        exit_code = exit_code_of(lambda: run(given, load_parts, open_window, program_facts))
        sys.stdout.flush()
    except BrokenPipeError:
        silence_stdout()
        return 1
    except OSError as problem:
        silence_stdout()
        return give_up(str(problem))
    return exit_code


def exit_code_of(run: Callable[[], int]) -> int:
    """Returns a command's exit code, also where argparse ends it by `SystemExit`, so that output is still flushed."""
    try:
        return run()
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else 0


def main_gui() -> int:
    """Runs `main` where there is no terminal: the entry point of the desktop's menu."""
    return main()


def set_language(given: Sequence[str]) -> None:
    """Chooses the language of everything that is shown."""
    from workbench.wiring.language import set_language

    set_language(given)


def load_parts(arguments: Namespace) -> Services:
    """Makes the adapters of a command, which are imported only now."""
    from workbench.files.core_dumps import forbid_core_dumps
    from workbench.files.lazy_dataclasses import compile_methods_on_first_call

    compile_methods_on_first_call()  # before the rooms with many of them are imported
    from workbench.wiring.command_line import command_parts

    forbid_core_dumps()
    return command_parts(arguments)


def program_facts() -> ProgramFacts:
    """Returns what `--version` prints; loads nothing else."""
    from workbench.wiring.about import program_facts

    return program_facts()


def open_window(arguments: Namespace) -> int:
    """Opens the window, or draws a scene; Qt is imported only now."""
    from workbench.files.core_dumps import forbid_core_dumps
    from workbench.files.lazy_dataclasses import compile_methods_on_first_call

    compile_methods_on_first_call()  # before the rooms with many of them are imported
    from workbench.wiring.display import NO_DISPLAY, has_display

    forbid_core_dumps()
    if not arguments.screenshot and not has_display():
        print(NO_DISPLAY, file=sys.stderr)
        return 1
    from workbench.wiring.first_paint import run_window

    return run_window(arguments)


def give_up(reason: str) -> int:
    """Prints what the system refused, where standard error is open; returns exit code 1."""
    if sys.stderr is not None:
        print(f"workbench: not finished: {reason}", file=sys.stderr)
    return 1


def silence_stdout() -> None:
    """Redirects standard output to nowhere after a failed write, else Python's flush at exit fails again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
