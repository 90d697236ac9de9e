"""Reads the script of the conversation that pictures show: `script.toml`, beside the files it is about."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workbench.domain.tool import ApprovalRule
from workbench.domain.workspace import Fact, SavedPrompt, Workspace
from workbench.engine.state import WorkbenchState

SCRIPT = "script.toml"


@dataclass(frozen=True, slots=True)
class Line:
    """A question and its answer: when it is asked, with which files, and what else was answered before."""

    at: str
    question: str
    answer: str
    thinking: str = ""
    again: tuple[str, ...] = ()
    attach: tuple[str, ...] = ()
    detach: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage of a file that becomes another, and when."""

    at: str
    path: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class OtherChat:
    """A chat that stands in the list, asked some days before."""

    days: int
    title: str
    line: Line


@dataclass(frozen=True, slots=True)
class ScriptedModel:
    """A model of the script: its name, the tokens it reads and writes in a second, and whether it thinks aloud."""

    name: str
    reads: float
    writes: float
    thinks: bool = False


@dataclass(frozen=True, slots=True)
class Draft:
    """What is written and not asked yet, with its files and how soon each may fall."""

    text: str
    attach: tuple[str, ...]
    priority: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Recalling:
    """A question about what was cut, and the settings under which it was."""

    text: str
    context: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Chosen:
    """A document of which only some parts are attached, by their anchors."""

    path: str
    anchors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ScriptedWorkspace:
    """A workspace of the script; chats are named by their titles."""

    name: str
    chats: tuple[str, ...]
    folder: str = ""
    pinned: tuple[str, ...] = ()
    tags: Mapping[str, Sequence[str]] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    instructions: str = ""
    facts: tuple[str, ...] = ()
    suggested: str = ""
    prompts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Script:
    """All of it.

    Attributes:
        context, trial, small: settings by their names: the chat's own, some that are tried out, too small a window.
        recall: a question that brings back what was cut.
        wanting, edit: a question whose answer wants to change a file; arriving: an answer to the draft, cut off.
        changed: what somebody saves in one of the files while the chat is open.
        variants: other settings for the next request, as they are written on a command line.
        parts: a document of which parts are chosen. workspaces: the places that chats are filed in.
    """

    folder: Path
    title: str
    day: str
    context: Mapping[str, Any]
    trial: Mapping[str, Any]
    small: Mapping[str, Any]
    recall: Recalling
    models: Mapping[str, ScriptedModel]
    chats: tuple[OtherChat, ...]
    turns: tuple[Line, ...]
    draft: Draft
    wanting: Line
    edit: Passage
    arriving: Line
    changed: Passage
    parts: Chosen
    variants: tuple[str, ...]
    workspaces: tuple[ScriptedWorkspace, ...]


def load_script(folder: Path) -> Script:
    """The script in a folder."""
    told = tomllib.loads((folder / SCRIPT).read_text(encoding="utf-8"))
    draft, wanting = told["draft"], told["wanting"]
    return Script(
        folder=folder,
        title=told["title"],
        day=told["day"],
        context=told["context"],
        trial=told["trial"],
        small=told["small"],
        recall=Recalling(told["recall"]["text"], {"history": told["recall"]["history"]}),
        models={kind: ScriptedModel(**part) for kind, part in told["models"].items()},
        chats=tuple(OtherChat(chat["days"], chat["title"], _line(chat)) for chat in told["chats"]),
        turns=tuple(_line(turn) for turn in told["turns"]),
        draft=Draft(draft["text"], tuple(draft["attach"]), draft["priority"]),
        wanting=_line(wanting),
        edit=_passage(wanting),
        arriving=_line({"question": draft["text"], **told["arriving"]}),
        changed=_passage(told["changed"]),
        parts=Chosen(told["parts"]["path"], tuple(told["parts"]["anchors"])),
        variants=tuple(told["variants"]),
        workspaces=tuple(_place(place) for place in told["workspaces"]),
    )


def _line(told: Mapping[str, Any]) -> Line:
    return Line(
        told["at"],
        told["question"].strip(),
        told["answer"].strip(),
        told.get("thinking", "").strip(),
        tuple(again.strip() for again in told.get("again", ())),
        tuple(told.get("attach", ())),
        tuple(told.get("detach", ())),
    )


def _place(told: Mapping[str, Any]) -> ScriptedWorkspace:
    listed = {name: tuple(value) if isinstance(value, list) else value for name, value in told.items()}
    return ScriptedWorkspace(**{**listed, "instructions": told.get("instructions", "").strip()})


def _passage(told: Mapping[str, Any]) -> Passage:
    return Passage(told["at"], told["path"], told["old"], told["new"])


# A moment of the scripted conversation: what a picture shows.


@dataclass(frozen=True, slots=True)
class Moment:
    """What a window shows at one moment: the engine's state, the chat in view, and the time."""

    state: WorkbenchState
    chat: str
    now_utc: str


# The workspace of the scripted conversation: its instructions, facts, rules and saved prompts.


RULES = (
    ApprovalRule(("read", "ls", "grep"), decision="allow"),
    ApprovalRule(("edit", "write", "mv"), "src/**", "ask"),
    ApprovalRule(("rm", "github__merge"), decision="never"),
)
WORKSPACE = Workspace(
    "tokens",
    "Token service",
    instructions="Times are in seconds, as integers. Name the file and the line for every claim.\n"
    "Show changes as a unified diff.",
    facts=(
        Fact("fact-1", "The token service is owned by the platform team; ask before its interface changes."),
        Fact("fact-2", "Releases go out on Thursdays."),
    ),
)
PROMPTS = (
    SavedPrompt(
        "Review a change", "Review {{file}} as of {{date}}: what can break, and which test is missing?"
    ),
    SavedPrompt("Release notes", "Release notes for {{version}}, for {{readers}}: three lines.", "tokens"),
    SavedPrompt("Explain to a newcomer", "Explain {{files}} to somebody who started this {{weekday}}."),
)
INSTRUCTIONS = (
    "In this chat work on the refresh only; leave the retry loop alone.\nIt is {{date}}: count from today."
)
"""Instructions that are being written for the chat, and whose price the picture shows."""
