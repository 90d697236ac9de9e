"""What a trajectory says by itself, kept without the program: who attached what, and what was said, turn by turn."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.trajectories.support import Json, layer
from tests.trajectories.wire_reading import Block, Read, read_wire


@dataclass(frozen=True)
class Kept:
    """The state of things in one turn, before its request is built."""

    turn: Json
    attached: dict[str, Json] = field(default_factory=dict)
    settings: Json = field(default_factory=dict)
    said: dict[str, Json] = field(default_factory=dict)
    pinned: frozenset[str] = frozenset()

    @property
    def question(self) -> str | None:
        """What is asked, as it can be sent."""
        return sendable(self.turn["user"]) if "user" in self.turn else None


def keep_books(document: Json) -> Iterator[Kept]:
    """The books of every turn, in order."""
    kept = Kept({}, settings=dict(document["settings"]))
    said = {entry["id"]: entry for entry in document["history"]}
    number = 0
    for turn in document["turns"]:
        attached = {key: one for key, one in kept.attached.items() if key not in turn.get("detach", ())}
        attached |= {one["id"]: one for one in turn["attach"]}
        settings = _merged(kept.settings, turn.get("settings", {}))
        pinned = (kept.pinned | set(turn.get("pin_messages", ()))) - set(turn.get("unpin_messages", ()))
        kept = Kept(turn, attached, settings, dict(said), pinned)
        yield kept
        if "user" in turn:
            for entry in ({"role": "user", "content": turn["user"]}, *turn["reply"]):
                number += 1
                said[f"m{number}"] = entry


def _merged(base: Json, change: Json) -> Json:
    merged = {**base, **change}
    for section in ("history", "compaction"):
        merged[section] = {**base.get(section, {}), **change.get(section, {})}
    return merged


def sendable(text: str) -> str:
    """The text as any encoding can carry it."""
    return "".join("\ufffd" if "\ud800" <= character <= "\udfff" else character for character in text)


def sha256(text: str) -> str:
    """The digest the contract means."""
    return hashlib.sha256(text.encode()).hexdigest()


def own_message(report: Json, kept: Kept) -> str | None:
    """The text of the message that L3 and L5 make, where there is one."""
    if not layer(report, "L3")["segments"] and not layer(report, "L5")["segments"]:
        return None
    message = report["messages"][-1]
    assert message["role"] == "user"
    text: str = message["content"]
    return text


def read_turn(report: Json, kept: Kept) -> Read:
    """L3 and L5 as a reader of the wire finds them; a question that stands alone has no label."""
    text = own_message(report, kept)
    if text is None:
        return Read((), (), None)
    alone = not layer(report, "L3")["segments"] and "now" not in kept.turn
    return Read((), (), text) if alone else read_wire(text)


def read_library(report: Json, kept: Kept) -> list[Block]:
    """L2 as a reader of the wire finds it, after the system prompt, which is the user's own."""
    if not layer(report, "L2")["segments"]:
        return []
    message = report["messages"][0]
    assert (message["role"], message["id"]) == ("system", "system")
    prompt = kept.settings.get("system_prompt", "")
    assert message["content"].startswith(prompt)
    read = read_wire(message["content"][len(prompt) :])
    return [block for block in read.blocks if block.tag == "prior_context"]
