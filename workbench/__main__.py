"""Window or command line? Starts one or the other, importing nothing that it does not need."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.cli.parts import Parts


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; with no command, show the help (there is no window yet)."""
    from workbench.cli.main import run

    try:
        exit_code = run(sys.argv[1:] if argv is None else argv, load_parts)
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        silence_stdout()
        return 1
    except KeyboardInterrupt:
        return 130
    return exit_code


def main_gui() -> int:
    """Open the window; until it exists, the same as the command line."""
    return main()


def load_parts(arguments: Namespace) -> Parts:
    """Build what a command works with; only now are the adapters imported."""
    from workbench.wiring import command_parts

    return command_parts(arguments)


def silence_stdout() -> None:
    """The reader has gone (`| head`): without this, Python complains again when it flushes at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
