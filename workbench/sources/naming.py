"""What a file may be called before a model: its path inside the workspace or the attached folder, else its name."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

from workbench.domain.files.file_names import told_names, told_steps


@dataclass(frozen=True, slots=True)
class Naming:
    """Knows where a person's files lie, which nobody is told, and which folder is the workspace now.

    `own` is the folder of the program's own data, which is never attached with what is around it; `others` are the
    folders of named workspaces.
    """

    home: str = ""
    workspace: Callable[[], str] = lambda: ""
    own: str = ""
    others: Callable[[], tuple[str, ...]] = lambda: ()

    def names(self, path: str, least: int = 1) -> tuple[str, ...]:
        """Names for a file, the shortest first; `least` steps of its path are in each of them."""
        try:
            # A link is called as it is called; the folders before it are those it really lies in.
            folder = os.path.realpath(os.path.dirname(os.path.abspath(path)))
        except (OSError, ValueError):
            return ()
        whole = os.path.join(folder, os.path.basename(path))
        least = self._inside_workspace(whole) or least
        return told_names(told_steps(whole, self.home, least), least)

    def is_own(self, path: str) -> bool:
        """Whether something lies in the program's own folder."""
        if not self.own:
            return False
        try:
            own, found = (os.path.normcase(os.path.realpath(one)) for one in (self.own, path))
        except (OSError, ValueError):
            return False
        return found == own or found.startswith(own.rstrip(os.sep) + os.sep)

    def _inside_workspace(self, path: str) -> int:
        """How many steps below the innermost workspace a path is; 0 where it is in none."""
        tops = [
            os.path.normcase(os.path.realpath(one)).rstrip(os.sep)
            for one in (self.workspace(), *self.others())
            if one
        ]
        around = [top for top in tops if os.path.normcase(path).startswith(f"{top}{os.sep}")]
        if not around:
            return 0
        return len([step for step in path[len(max(around, key=len)) :].split(os.sep) if step])
