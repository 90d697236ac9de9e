"""What a folder's .gitignore files leave out: the plain kind of line, which is nearly every one.

Understood are names and paths with `*`, `?` and `[…]`, `/` in front for this folder only, `/` behind for folders, `**/`
in front and `/**` behind. A line with `!`, or with `**` in its middle, is not: what the first would bring back stays
out, what the second would leave out stays in.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase

Steps = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Rule:
    """One line: `base` is the folder it stands in; one that floats holds at any depth below it."""

    base: Steps
    parts: Steps
    floats: bool
    folders_only: bool

    def covers(self, path: Steps, folder: bool) -> bool:
        if path[: len(self.base)] != self.base or (self.folders_only and not folder):
            return False
        below = path[len(self.base) :]
        end = below[-len(self.parts) :] if self.floats else below
        return len(end) == len(self.parts) and all(map(fnmatchcase, end, self.parts))


@dataclass(frozen=True, slots=True)
class Ignored:
    """The rules that hold in a folder."""

    rules: tuple[_Rule, ...] = ()

    def with_file(self, base: Steps, text: str) -> Ignored:
        """With those of a .gitignore that lies in this folder."""
        found = (_rule(base, line) for line in text.splitlines())
        return Ignored((*self.rules, *(rule for rule in found if rule is not None)))

    def covers(self, path: Steps, folder: bool) -> bool:
        """Whether a file or folder is to be left out."""
        return any(rule.covers(path, folder) for rule in self.rules)


def _rule(base: Steps, line: str) -> _Rule | None:
    line = line.rstrip()
    if not line or line[0] in "#!":
        return None
    line = line.removeprefix("\\") if line[:2] in ("\\#", "\\!") else line
    folders_only = line.endswith(("/", "/**"))
    line = line.removesuffix("**") if line.endswith("/**") else line
    parts = line.strip("/").split("/")
    floats = parts[0] == "**" or ("/" not in line.rstrip("/"))
    while parts and parts[0] == "**":
        parts = parts[1:]
    if not all(parts) or not parts or "**" in parts:
        return None
    return _Rule(base, tuple(parts), floats, folders_only)
