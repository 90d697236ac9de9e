"""A session of another program that is written anew: how it was tuned, and what its program will send of it."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.domain.watch.switch import SessionKind


@dataclass(frozen=True, slots=True)
class SessionTuning:
    """What of a session changes in its copy; turns are counted from 1, a question each.

    Attributes:
        left_out: turns that go, with everything that their answers took.
        shorten_chars: results longer than this are cut to it, by their shape; 0 leaves all as they are.
        keep_last: of so many newest turns the results stay whole.
        summary: a text in place of the turns `summarised`, first and last.
    """

    left_out: frozenset[int] = frozenset()
    shorten_chars: int = 0
    keep_last: int = 1
    summary: str = ""
    summarised: tuple[int, int] = (0, 0)

    def drops(self, turn: int) -> bool:
        """Whether the copy is without this turn."""
        first, last = self.summarised
        return turn in self.left_out or first <= turn <= last


@dataclass(frozen=True, slots=True)
class SessionTurn:
    """A turn of the session: how its question begins, its size, and whether the copy has it."""

    number: int
    asked: str
    chars: int
    stays: bool = True


@dataclass(frozen=True, slots=True)
class SessionCopy:
    """A session as it is written.

    Attributes:
        id: of the new session. version: of the program that left the original.
        lines: of the file, each a JSON document.
        request: the messages of the next request, before its question, as a body of the program's API.
        shortened: how many results were cut. chars_before: of the same messages without any tuning.
    """

    kind: SessionKind
    id: str
    version: str
    folder: str
    lines: tuple[str, ...]
    request: bytes
    turns: tuple[SessionTurn, ...]
    shortened: int = 0
    chars: int = 0
    chars_before: int = 0

    @property
    def command(self) -> str:
        """The command that goes on with it."""
        return f"claude --resume {self.id}" if self.kind == "claude" else f"codex resume {self.id}"
