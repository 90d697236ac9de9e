"""How a finding is mended in the program itself, and what the next run really saved by it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from workbench.context.watch.findings import LEAST_REQUESTS
from workbench.context.watch.habits import Habits
from workbench.domain.translation import counted, tr
from workbench.domain.watch.exchange import program_name
from workbench.domain.watch.request import Finding, Mend, WatchedRequest, WatchedTurn, tokens_of
from workbench.domain.watch.switch import ClientSwitch

_SERVER = "mcp__"


def with_mends(turn: WatchedTurn, habits: Habits, switches: Sequence[ClientSwitch]) -> WatchedTurn:
    """The turn with the lines that its client has for its findings, each with what it should save."""
    mine = [one for one in switches if one.is_for(turn.client)]
    if not mine or not turn.findings:
        return turn
    found = (replace(one, mends=tuple(_mends(one, turn, habits, mine))) for one in turn.findings)
    return replace(turn, findings=tuple(found))


def _mends(
    finding: Finding, turn: WatchedTurn, habits: Habits, switches: Sequence[ClientSwitch]
) -> Iterator[Mend]:
    program = program_name(turn.client)
    made = []
    for switch in switches:
        if switch.finding != finding.kind or not _mends_cause(switch, turn):
            continue
        if finding.kind == "unused_tools":
            made += [Mend(program, line, tokens) for line, tokens in _tool_lines(switch, turn, habits)]
        else:
            made.append(Mend(program, _filled(switch.line, turn), finding.tokens))
    yield from sorted(made, key=lambda one: -one.tokens)


def _mends_cause(switch: ClientSwitch, turn: WatchedTurn) -> bool:
    against = turn.against
    begun = "" if against.first_difference is None else against.first_difference.was.lstrip("…")
    return (not switch.cause or against.causes[:1] == (switch.cause,)) and begun.startswith(switch.sign)


def _filled(line: str, turn: WatchedTurn) -> str:
    difference = turn.against.first_difference
    model = difference.was if difference is not None and difference.path == "model" else turn.request.model
    block = next((one.path for one in reversed(turn.request.pieces) if one.layer == "L1_SYSTEM"), "system")
    return line.replace("{model}", model).replace("{block}", block.removesuffix(".text"))


def _tool_lines(switch: ClientSwitch, turn: WatchedTurn, habits: Habits) -> Iterator[tuple[str, int]]:
    """The line for the unused tools that a switch takes away, or one for each tool server."""
    unused = habits.unused_tools(LEAST_REQUESTS)
    tools = [
        one
        for one in turn.request.tools
        if (not switch.tools or _fits(one.name, switch.tools)) and not _fits(one.name, switch.keeps)
    ]
    groups = {"": tools}
    if "{server}" in switch.line:
        servers = dict.fromkeys(one.name.split("__")[1] for one in tools)
        groups = {
            name: [one for one in tools if one.name.startswith(f"{_SERVER}{name}__")] for name in servers
        }
    for server, some in groups.items():
        gone = [one for one in some if one.name in unused]
        if not gone or ((switch.all or server) and len(gone) < len(some)):
            continue
        names = ",".join(one.name for one in sorted(gone, key=lambda one: -one.tokens))
        yield switch.line.replace("{tools}", names).replace("{server}", server), tokens_of(gone)


def _fits(name: str, patterns: Collection[str]) -> bool:
    return any(fnmatchcase(name, one) for one in patterns)


# What was saved: measured in the next run, not promised.


@dataclass(frozen=True, slots=True)
class Promise:
    """A conversation whose unused tools could be left out, by which the next one of its program is measured.

    Attributes:
        tokens: what could be saved in each request. always: of tools and instructions, which every request repeats.
    """

    conversation: str
    model: str
    tokens: int
    always: int
    tools: frozenset[str]


class Savings:
    """Measures each conversation by what the one before it of the same program promised."""

    def __init__(self) -> None:
        self._newest: dict[str, Promise] = {}
        self._before: dict[str, Promise | None] = {}

    def remember(self, turn: WatchedTurn) -> None:
        """Take what a stored conversation promises."""
        self._before.setdefault(turn.conversation, None)
        self._note(turn)

    def take(self, turn: WatchedTurn) -> WatchedTurn:
        """The turn with what it saved; what it promises is measured in the next conversation."""
        before = self._newest.get(_program(turn))
        turn = with_saving(turn, self._before.setdefault(turn.conversation, before))
        self._note(turn)
        return turn

    def _note(self, turn: WatchedTurn) -> None:
        if (made := promise_of(turn)) is not None:
            self._newest[_program(turn)] = made


def _program(turn: WatchedTurn) -> str:
    return turn.client.partition("/")[0]


def promise_of(turn: WatchedTurn) -> Promise | None:
    """What a turn promises of the next run; None where it has no unused tools."""
    found = next((one for one in turn.findings if one.kind == "unused_tools"), None)
    if found is None or turn.parent is not None:
        return None
    tools = frozenset(one.name for one in turn.request.tools)
    return Promise(turn.conversation, turn.request.model, found.tokens, _always(turn.request), tools)


def with_saving(turn: WatchedTurn, promise: Promise | None) -> WatchedTurn:
    """The turn with what its tools and instructions take less than those of the conversation before."""
    if promise is None or turn.parent is not None or turn.request.model != promise.model:
        return turn
    tools = {one.name for one in turn.request.tools}
    # What a program asks beside its work (a title, a summary) brings no tools, and saves nothing.
    if turn.conversation == promise.conversation or not tools & promise.tools:
        return turn
    saved, gone = promise.always - _always(turn.request), len(promise.tools - tools)
    if saved <= 0 or not gone:
        return turn
    figures = tr("{saved:,} of {tokens:,} tokens a request", saved=saved, tokens=promise.tokens)
    if saved > promise.tokens:  # with tools, texts about them went, too
        figures = tr(
            "{saved:,} tokens a request, more than the {tokens:,} of the unused tools",
            saved=saved,
            tokens=promise.tokens,
        )
    words = tr(
        "Saved {figures}: {tools} fewer than in the run before.",
        figures=figures,
        tools=counted(gone, "tool"),
    )
    finding = Finding(
        "saved", saved, words, tr("Measured: tools and instructions of both runs, as they were sent.")
    )
    return replace(turn, findings=(*turn.findings, finding))


def _always(request: WatchedRequest) -> int:
    return tokens_of(one for one in request.pieces if one.kind in ("tool", "system"))
