"""What is wrong with the settings file, where, and whether anything may be sent before that is mended."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.domain.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class SettingsProblem:
    """One thing that is wrong with the settings file.

    Attributes:
        path: the file's. words: what is wrong, without a full stop and without the values that stand there.
        line, column: where, counted from 1; 0 where the whole file is meant.
        blocks: whether nothing may be sent: a request might go elsewhere, or hold more, than the owner set.
    """

    path: str
    words: str
    line: int = 0
    column: int = 0
    blocks: bool = True

    @property
    def where(self) -> str:
        """The place, as editors and terminals take it."""
        return f"{self.path}:{self.line}:{self.column}" if self.line else self.path

    def __str__(self) -> str:
        tail = " Nothing is sent until the file is corrected; it was not changed." if self.blocks else ""
        return f"{self.where}: {self.words}{'' if self.words.endswith('?') else '.'}{tail}"


class SendingOff(InvalidInput):
    """The settings file may mean something else than what was read of it, so nothing is sent."""

    def __init__(self, problem: SettingsProblem) -> None:
        advice = "Nothing was sent, and the file was not changed. Correct it, and try again."
        super().__init__(problem.where, f"{problem.words}. {advice}")


class SavingOff(InvalidInput):
    """The settings file must be corrected by its owner before anything is written into it."""

    def __init__(self, problem: SettingsProblem) -> None:
        advice = "Nothing was saved, and the file was not changed. Correct it, and save again."
        super().__init__(problem.where, f"{problem.words}. {advice}")


def blocking(problems: tuple[SettingsProblem, ...]) -> SettingsProblem | None:
    """The first of them because of which nothing may be sent."""
    return next((one for one in problems if one.blocks), None)


def check_sending(problems: tuple[SettingsProblem, ...]) -> None:
    """`SendingOff` where one of them stands in the way."""
    found = blocking(problems)
    if found is not None:
        raise SendingOff(found)
