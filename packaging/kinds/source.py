"""The tree that packages are made of: what was committed, with what it was committed as written into it."""

from __future__ import annotations

import json
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from failure import Failure, say

ROOT = Path(__file__).resolve().parent.parent.parent


class Source(NamedTuple):
    """A tree to build from.

    Attributes:
        epoch: when the commit was made; every time in a package is this one, so that two builds are equal.
    """

    tree: Path
    commit: str
    epoch: int

    @property
    def environment(self) -> dict[str, str]:
        """What makes tools write the commit's time instead of now."""
        return {"SOURCE_DATE_EPOCH": str(self.epoch), "PYTHONHASHSEED": "0"}


@contextmanager
def committed() -> Iterator[Source]:
    """The last commit's tree in a folder of its own, gone afterwards."""
    commit = _git("rev-parse", "HEAD").decode().strip()
    epoch = int(_git("show", "-s", "--format=%ct", "HEAD"))
    if _git("status", "--porcelain", "--untracked-files=no"):
        say("Changes that are not committed are not in the package.")
    with tempfile.TemporaryDirectory(prefix="workbench-source-") as folder:
        tree = Path(folder)
        with tarfile.open(fileobj=BytesIO(_git("archive", "HEAD"))) as archive:
            archive.extractall(tree, filter="data")
        write_build(tree, commit)
        yield Source(tree, commit, epoch)


def write_build(tree: Path, commit: str) -> None:
    """Put the commit where `workbench --version` reads it: a package has no .git to ask."""
    text = json.dumps({"commit": commit}, indent=2) + "\n"
    (tree / "resources" / "build.json").write_text(text, encoding="utf-8")


def _git(*arguments: str) -> bytes:
    try:
        ended = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, check=False)
    except FileNotFoundError:
        raise Failure("Packages are made from a git checkout, and there is no git here.") from None
    if ended.returncode != 0:
        words = ended.stderr.decode("utf-8", "replace")
        raise Failure(f"{words}Packages are made from a git checkout, and this folder is none.")
    return ended.stdout
