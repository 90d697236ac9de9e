"""Makes a backup where there is room for so many bytes only; run as a program, because the limit is the process's."""

from __future__ import annotations

import asyncio
import resource
import sys
from pathlib import Path

from tests.storage.test_opening import history
from workbench.domain.errors import WorkbenchError


def main(source: Path, target: Path, room: int) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))
    try:
        asyncio.run(history(source).backup(str(target)))
    except WorkbenchError as refusal:
        print(refusal)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
