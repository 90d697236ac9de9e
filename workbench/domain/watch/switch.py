"""What other programs can be told to do themselves: lines to copy, and the versions that were tried."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from workbench.domain.watch.request import FindingKind

SessionKind = Literal["claude", "codex"]
"""A program whose sessions on this computer are known: Claude Code or Codex."""
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class ClientSwitch:
    """A line that mends a finding in the program itself.

    Attributes:
        clients: as the programs name themselves, without their version.
        line: with a place for {tools} (the unused ones), {server}, {model} (the first one) or {block}.
        since, until: the versions it is for; empty where there is no bound. tried: those it was tried with.
        tools: patterns of the tools it takes away; keeps: of those it must not; all: only where all of them are unused.
        cause: of a lost prefix, the one it mends; sign: how the text that changed begins.
    """

    clients: tuple[str, ...]
    finding: FindingKind
    line: str
    tried: tuple[str, ...]
    since: str = ""
    until: str = ""
    tools: tuple[str, ...] = ()
    keeps: tuple[str, ...] = ()
    all: bool = False
    cause: Literal["", "model", "tools", "system", "parameters"] = ""
    sign: str = ""

    def is_for(self, client: str) -> bool:
        """Whether a program that calls itself so ("claude-cli/2.1.197") has this switch."""
        name, _, version = client.partition("/")
        if client in self.clients:
            return True  # an SDK, which names its language in place of a version
        return name in self.clients and between(version, self.since, self.until)


@dataclass(frozen=True, slots=True)
class SessionVersions:
    """Which versions of a program leave sessions in a form that can be written again; each bound was tried."""

    kind: SessionKind
    since: str
    until: str

    def has(self, version: str) -> bool:
        """Whether a version is between the two that were tried."""
        return bool(version) and between(version, self.since, self.until)


@dataclass(frozen=True, slots=True)
class Clients:
    """What is known about other programs."""

    switches: tuple[ClientSwitch, ...] = ()
    sessions: tuple[SessionVersions, ...] = ()


def between(version: str, since: str, until: str) -> bool:
    """Whether a version lies between two others, both included; an empty one bounds nothing."""
    number = _numbers(version)
    return (not since or number >= _numbers(since)) and (not until or number <= _numbers(until))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(one) for one in _NUMBER.findall(version)[:3])
