"""What a tool is about to do, as a value: it can be shown, compared with what was shown, and done."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from workbench.tools.workspace.workspace import Workspace

Note = dict[str, Any]
"""JSON values from which an effect can be taken back; `kind` says how."""


class Effect(Protocol):
    """A change of the workspace that was decided on and not made yet."""

    @property
    def fingerprint(self) -> str:
        """Equal for equal changes of equal things: what was shown is what will be done."""

    def apply(self, workspace: Workspace) -> Note:
        """Do it, if everything is still as it was; returns how to take it back."""


@dataclass(frozen=True, slots=True)
class Plan:
    """An effect with what a person sees of it before, and what the model is told after."""

    summary: str
    diff: str
    told: str
    effect: Effect


def fingerprint_of(parts: Iterable[str]) -> str:
    """One digest over several texts, none of which can run into the next."""
    whole = hashlib.sha256()
    for part in parts:
        written = part.encode("utf-8", "surrogatepass")
        whole.update(len(written).to_bytes(8, "big") + written)
    return whole.hexdigest()
