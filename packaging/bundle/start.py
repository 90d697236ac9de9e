"""Where a bundle starts: as one of its own child processes, or as the program."""

from __future__ import annotations

import os
import sys
from collections.abc import MutableMapping

# The loader of a bundle has the system look for libraries in the bundle first, and keeps what was there before.
_LIBRARIES = "LD_LIBRARY_PATH"


def give_back(environment: MutableMapping[str, str]) -> None:
    """Undo what the loader changed: a tool server, a browser or `watch -- COMMAND` must not load our libraries."""
    before = environment.pop(f"{_LIBRARIES}_ORIG", None)
    if before is not None:
        environment[_LIBRARIES] = before
    else:
        environment.pop(_LIBRARIES, None)


def main() -> int:
    """Run what was asked for; the exit code."""
    give_back(os.environ)
    from workbench.files.own_program import run_as_child

    if run_as_child(sys.argv):
        return 0
    from workbench.__main__ import main as run

    return run()


if __name__ == "__main__":
    sys.exit(main())
