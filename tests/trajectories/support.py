"""Runs trajectories in process through the builder that feeds the wire, and finds things in their reports."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable
from functools import cache
from typing import Any

from workbench.cli.replay.trajectory import TRAJECTORY_FORMAT, parse_trajectory
from workbench.engine.assembly.prepare import Builder
from workbench.engine.replay import replay
from workbench.wiring.command_line import command_parts

Json = dict[str, Any]


@cache
def builder(name: str = "shared") -> Builder:
    """A builder by name: loading a tokenizer takes a moment, and what one remembers must not matter."""
    return command_parts(Namespace()).builder


def run(document: Json, by: str = "shared") -> list[Json]:
    """The report's turns for a whole trajectory."""
    report = replay(parse_trajectory(document), builder(by))
    assert report["format"] == "workbench-report/1"
    turns: list[Json] = report["turns"]
    return turns


def replayed(
    *turns: Json, before: Iterable[Json] = (), trim_state: Json | None = None, **settings: Any
) -> list[Json]:
    """The report's turns for the given ones."""
    return run(trajectory(*turns, before=before, trim_state=trim_state, **settings))


def trajectory(
    *turns: Json, before: Iterable[Json] = (), trim_state: Json | None = None, **settings: Any
) -> Json:
    """A trajectory as a document; `before` is what stands before turn 1, `history` a group of settings."""
    return {
        "format": TRAJECTORY_FORMAT,
        "settings": settings,
        "history": list(before),
        "trim_state": trim_state,
        "turns": list(turns),
    }


def layer(turn: Json, name: str) -> Json:
    """The layer whose name starts so: "L2" is enough."""
    found: Json = next(one for one in turn["layers"] if one["name"].startswith(name))
    return found


def forms(turn: Json, name: str) -> list[tuple[str, str]]:
    """Ids and forms of a layer's segments, in order."""
    return [(segment["id"], segment["form"]) for segment in layer(turn, name)["segments"]]


def segment(turn: Json, name: str, key: str) -> Json:
    """One segment of a layer."""
    found: Json = next(one for one in layer(turn, name)["segments"] if one["id"] == key)
    return found


def said(turn: Json) -> list[tuple[str, str]]:
    """Role and content of every message."""
    return [(message["role"], message["content"]) for message in turn["messages"]]


def last_text(turn: Json) -> str:
    """The content of the last message."""
    text: str = turn["messages"][-1]["content"]
    return text


def causes(turn: Json) -> list[tuple[str, str | None]]:
    """Why the prefix moved."""
    return [(one["cause"], one["subject"]) for one in turn["prefix"]["causes"]]


def file(key: str, text: str, **more: Any) -> Json:
    """An attachment of kind file."""
    return {"id": key, "kind": "file", "text": text, **more}


def exchange(number: int, answer: str, question: str = "User {}") -> list[Json]:
    """One question and its answer as history messages."""
    return [
        {"id": f"u{number}", "role": "user", "content": question.format(number)},
        {"id": f"a{number}", "role": "assistant", "content": answer.format(number)},
    ]
