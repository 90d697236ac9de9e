"""What a model may do in the world, each with its preview; a tool server's own tools fit the same seam."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from workbench.domain.tool import ToolDefinition, ToolOutcome, ToolPreview


class Tool(Protocol):
    """One thing a model may ask for. Arguments are whatever the model wrote; a tool refuses what it cannot use.

    What goes wrong is an outcome with `failed`, in words the model can act on; only a bug raises.
    """

    @property
    def definition(self) -> ToolDefinition:
        """How the model is told of it."""

    @property
    def has_side_effects(self) -> bool:
        """Whether a person must allow each call."""

    @property
    def searches(self) -> bool:
        """Whether its results are found text, after which the question is repeated."""

    async def preview(self, arguments: Mapping[str, Any]) -> ToolPreview:
        """What the call would do; nothing is changed."""

    async def run(self, arguments: Mapping[str, Any]) -> ToolOutcome:
        """Do it."""


class Toolbox(Protocol):
    """The tools of a workspace."""

    @property
    def tools(self) -> tuple[Tool, ...]:
        """All of them, in the order the model is told of them."""

    async def undo(self, note: Mapping[str, Any]) -> ToolOutcome:
        """Take an effect back, unless the world has moved on since; then say so and change nothing."""
