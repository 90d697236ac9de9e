"""What a folder's .gitignore files leave out: every line means what it means to git, and the last that fits decides.

A walk goes from the top down and never enters a folder that is left out, so nothing below it can be brought back.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from pathspec.patterns.gitignore import GitIgnorePatternError
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

Steps = tuple[str, ...]

RULES = ".gitignore"
_BYTE_ORDER_MARK = "\ufeff"
# pathspec answers for files only, so a pattern for everything fits also what lies deeper, and a folder counts as what
# is inside it. Written like this, the same patterns fit one name, and `x/**` only what is in x.
_ANY_NAME = re.compile(r"^(!?)(?:\*|/?(?:\*\*/)*\*\*|/?(?:\*\*/)+\*)(/?)$")
_ALL_INSIDE = re.compile(r"(?:/\*\*)+(/?)$")


@dataclass(frozen=True, slots=True)
class _Rule:
    """One line: `base` is the folder it stands in; it fits a whole path below that, a folder's with / behind."""

    base: Steps
    form: re.Pattern[str]
    leaves_out: bool
    line: int

    def __str__(self) -> str:
        return f"{'/'.join((*self.base, RULES))} line {self.line}"

    def fits(self, path: Steps, folder: bool) -> bool:
        below = "/".join(path[len(self.base) :])
        return path[: len(self.base)] == self.base and bool(self.form.fullmatch(below + "/" * folder))


@dataclass(frozen=True, slots=True)
class Ignored:
    """The rules that hold in a folder; those of a folder deeper down stand behind, and so win."""

    rules: tuple[_Rule, ...] = ()

    def with_file(self, base: Steps, text: str) -> Ignored:
        """With those of a .gitignore that lies in this folder."""
        lines = text.removeprefix(_BYTE_ORDER_MARK).split("\n")
        found = (_rule(base, line.removesuffix("\r"), number) for number, line in enumerate(lines, 1))
        return Ignored((*self.rules, *(rule for rule in found if rule is not None)))

    def covers(self, path: Steps, folder: bool) -> bool:
        """Whether a file or folder is to be left out; the folders above it are not."""
        return bool(self.line_for(path, folder))

    def line_for(self, path: Steps, folder: bool) -> str:
        """The line that leaves a file or folder out; empty where none does. The folders above it are not left out."""
        for rule in reversed(self.rules):
            if rule.fits(path, folder):
                return str(rule) if rule.leaves_out else ""
        return ""


def _rule(base: Steps, line: str, number: int) -> _Rule | None:
    """None for a line that says nothing: empty, a comment, or no pattern at all."""
    plain = _ALL_INSIDE.sub(r"/**/?*\1", _ANY_NAME.sub(r"\1?*\2", line.rstrip(" ")))
    try:
        pattern = GitIgnoreSpecPattern(plain if plain != line.rstrip(" ") else line)
    except GitIgnorePatternError:
        return None
    if pattern.regex is None or pattern.include is None:
        return None
    return _Rule(base, pattern.regex, pattern.include, number)
