"""Which messages a summary may replace: contiguous whole turns, none pinned and never the newest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.domain.chunk import AgentChunk, command_of
from workbench.domain.errors import WorkbenchError
from workbench.domain.message import Entry, Message
from workbench.domain.summary import Summary, SummaryWish
from workbench.domain.translation import tr
from workbench.domain.turn import Tuning

NOTHING = tr(
    "There is nothing to summarise yet: the newest turn always stays as it is, and so do pinned messages."
)


@dataclass(frozen=True, slots=True)
class Turn:
    """A question with its commands' results and everything that answers it."""

    number: int
    entries: tuple[Entry, ...]

    @property
    def ids(self) -> frozenset[str]:
        return frozenset(entry.id for entry in self.entries)


@dataclass(frozen=True, slots=True)
class Run:
    """Turns that one summary is to replace."""

    turns: tuple[Turn, ...]

    @property
    def first(self) -> int:
        return self.turns[0].number

    @property
    def last(self) -> int:
        return self.turns[-1].number

    @property
    def entries(self) -> tuple[Entry, ...]:
        return tuple(entry for turn in self.turns for entry in turn.entries)

    def summary(self, read: Sequence[Entry], made_by: str, text: str = "") -> Summary:
        """A summary of those of its messages that were read, so not of ones that are left out."""
        return Summary("", text, tuple(entry.id for entry in read), made_by, "", self.first, self.last)


def turns_of(history: Sequence[Entry], newest: int) -> tuple[Turn, ...]:
    """The history by questions; `newest` is the number of the last turn, from which the others are counted."""
    groups: list[list[Entry]] = []
    found: list[Entry] = []
    asked = False
    for entry in history:
        if command_of(entry) is not None:
            found.append(entry)
            continue
        if _asks(entry):
            if asked or not groups:
                groups.append([])
            asked = True
        elif not groups:
            groups.append([])
        groups[-1] += [*found, entry]
        found = []
    if found:
        groups = groups or [[]]
        groups[-1] += found
    first = max(1, newest - len(groups) + 1)
    return tuple(Turn(number, tuple(group)) for number, group in enumerate(groups, start=first))


def choose_run(turns: Sequence[Turn], tuning: Tuning, wish: SummaryWish, keep_last: int) -> Run:
    """The turns that a wish selects; `WorkbenchError` says what prevents a summary of them."""
    if len(turns) < 2:
        raise WorkbenchError(NOTHING)
    held = tuning.pinned | tuning.summarised
    if not (wish.first_turn or wish.last_turn):
        return _oldest(turns, held, keep_last)
    last = wish.last_turn or turns[-2].number
    first = wish.first_turn or _first_up_to(last, turns, held)
    chosen = tuple(turn for turn in turns if first <= turn.number <= last)
    if not chosen or chosen[0].number != first or chosen[-1].number != last:
        raise WorkbenchError(
            tr(
                "There are no turns {first}–{last} here: choose some of {number}–{number_2}.",
                first=first,
                last=last,
                number=turns[0].number,
                number_2=turns[-2].number,
            )
        )
    if chosen[-1] is turns[-1]:
        raise WorkbenchError(tr("The newest turn always stays as it is: choose turns before it."))
    for turn in chosen:
        _refuse_held(turn, tuning)
    return Run(chosen)


def _first_up_to(last: int, turns: Sequence[Turn], held: frozenset[str]) -> int:
    """Where a run up to a turn begins: after the last earlier turn that is pinned or summarised."""
    free = turns[0].number
    for turn in turns:
        if turn.number < last and not turn.ids.isdisjoint(held):
            free = turn.number + 1
    return free


def _oldest(turns: Sequence[Turn], held: frozenset[str], keep_last: int) -> Run:
    """The oldest run without pinned or summarised messages before the answers to be kept; at least one turn."""
    before = max(1, len(turns) - max(1, keep_last))
    run: list[Turn] = []
    for turn in turns[:before]:
        if turn.ids.isdisjoint(held):
            run.append(turn)
        elif run:
            break
    if not run:
        run = next(([turn] for turn in turns[:-1] if turn.ids.isdisjoint(held)), [])
    if not run:
        raise WorkbenchError(NOTHING)
    return Run(tuple(run))


def _refuse_held(turn: Turn, tuning: Tuning) -> None:
    if not turn.ids.isdisjoint(tuning.pinned):
        raise WorkbenchError(
            tr(
                "A message of turn {number} is pinned and stays as it is: unpin it, or choose other turns.",
                number=turn.number,
            )
        )
    if not turn.ids.isdisjoint(tuning.summarised):
        raise WorkbenchError(
            tr(
                "Turn {number} is in a summary already: undo that one first, or choose other turns.",
                number=turn.number,
            )
        )


def _asks(entry: Entry) -> bool:
    return entry.role == "user" if isinstance(entry, Message | AgentChunk) else False
