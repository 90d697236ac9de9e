"""About the program: its version, its platform, and every part it contains with its licence."""

from __future__ import annotations

from typing import NamedTuple

from workbench.domain.translation import tr


class ProgramFacts(NamedTuple):
    """Version and platform, as shown by `--version`; empty where unknown."""

    version: str
    commit: str
    python: str
    qt: str

    @property
    def line(self) -> str:
        """Everything in one line."""
        commit = self.commit[:12] or "unknown"
        return tr(
            "workbench {version} (commit {commit}, Python {python}, Qt {qt})",
            version=self.version,
            commit=commit,
            python=self.python,
            qt=self.qt or tr("not installed"),
        )


class Part(NamedTuple):
    """A third-party library or file that comes with the program.

    Attributes:
        licence: an SPDX expression.
        within: the part that contains it; empty where it stands alone.
        optional: whether only an extra brings it.
    """

    name: str
    version: str
    licence: str
    within: str = ""
    optional: bool = False


class About(NamedTuple):
    """What the program says about itself."""

    facts: ProgramFacts
    parts: tuple[Part, ...]


NOTHING_KNOWN = About(ProgramFacts("", "", "", ""), ())


class Integrated(NamedTuple):
    """What was installed in a desktop's folder, and the command that its menu runs."""

    folder: str
    command: tuple[str, ...]
    written: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


def find_parts(parts: tuple[Part, ...], words: str) -> tuple[Part, ...]:
    """The parts whose line contains all these words, in the order of the list."""
    wanted = words.casefold().split()
    return tuple(part for part in parts if all(word in _line(part) for word in wanted))


def _line(part: Part) -> str:
    return f"{part.name} {part.version} {part.licence} {part.within}".casefold()
