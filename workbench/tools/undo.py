"""Undoes an effect of a tool from the note that it left."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from workbench.domain.tool import ToolOutcome
from workbench.tools.effects import moving, retiming, rewriting
from workbench.tools.workspace.refusals import Refused, refusal_of
from workbench.tools.workspace.workspace import Workspace

Undo = Callable[[Workspace, Mapping[str, Any]], str]
_KINDS: Mapping[str, Undo] = {
    rewriting.KIND: rewriting.undo_rewrite,
    moving.KIND: moving.undo_move,
    retiming.KIND: retiming.undo_times,
}


def undo_effect(workspace: Workspace, note: Mapping[str, Any]) -> ToolOutcome:
    """Bring back what was; where somebody changed it since, nothing is touched and the outcome says so."""
    undo = _KINDS.get(str(note.get("kind")))
    if undo is None:
        return ToolOutcome("This cannot be taken back: the note does not say how.", failed=True)
    try:
        with workspace.changing:
            restored = undo(workspace, note)
    except Refused as refusal:
        return ToolOutcome(f"Not taken back: {refusal}", failed=True)
    except OSError as error:
        return ToolOutcome(f"Not taken back: {refusal_of(error)}", failed=True)
    return ToolOutcome(f"Taken back: {restored} is as it was before.")
