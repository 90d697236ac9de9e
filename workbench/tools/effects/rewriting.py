"""The effect of writing, editing and removing: places get a new state, and the note holds the old one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.tools.effects.effects import Note, fingerprint_of
from workbench.tools.effects.steps import Done, Step, apply_steps, undoing
from workbench.tools.workspace.paths import parse_changeable
from workbench.tools.workspace.refusals import Refused
from workbench.tools.workspace.states import digest_of, state_from_json, state_to_json
from workbench.tools.workspace.workspace import Workspace

KIND = "rewrite"
DAMAGED = "The note for taking this back is damaged."


@dataclass(frozen=True, slots=True)
class Rewrite:
    """New states for some places → Effect."""

    steps: tuple[Step, ...]

    @property
    def fingerprint(self) -> str:
        """Over every place, what is there, and what shall be there."""
        return fingerprint_of(
            part for step in self.steps for part in (str(step.path), step.expected, digest_of(step.result))
        )

    def apply(self, workspace: Workspace) -> Note:
        return {"kind": KIND, "places": done_to_json(apply_steps(workspace, self.steps))}


def undo_rewrite(workspace: Workspace, note: Mapping[str, Any]) -> str:
    """Bring the old states back; returns what was brought back, in words."""
    done = done_from_json(note.get("places"))
    apply_steps(workspace, undoing(done))
    return ", ".join(str(one.path) for one in done)


def done_to_json(done: Sequence[Done]) -> list[Note]:
    """What was done, as JSON values."""
    return [{"path": str(one.path), "before": state_to_json(one.before), "left": one.left} for one in done]


def done_from_json(written: object) -> tuple[Done, ...]:
    """What was done; the note may come from an imported chat, so paths are checked like a model's."""
    if not isinstance(written, list) or not all(isinstance(one, Mapping) for one in written):
        raise Refused(DAMAGED)
    return tuple(
        Done(parse_changeable(str(one.get("path"))), state_from_json(one.get("before")), str(one.get("left")))
        for one in written
    )
