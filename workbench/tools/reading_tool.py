"""Base of tools that only read: checked arguments, work in a thread, refusals as outcomes."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Generic, TypeVar

from workbench.domain.tool import ToolDefinition, ToolOutcome, ToolPreview
from workbench.tools.arguments import Form
from workbench.tools.workspace.paths import Refused, refusal_of
from workbench.tools.workspace.workspace import Workspace

Asked = TypeVar("Asked")


class ReadingTool(ABC, Generic[Asked]):
    """A tool without side effects → Tool; `Asked` is the type of its arguments, a frozen value."""

    form: ClassVar[Form]
    searches: bool = False

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace

    @property
    def definition(self) -> ToolDefinition:
        """The definition sent to the model."""
        return self.form.definition

    @property
    def has_side_effects(self) -> bool:
        """False: it only reads."""
        return False

    @abstractmethod
    def accept(self, given: Mapping[str, Any]) -> Asked:
        """Returns the checked arguments as a value; refuses those that make no sense."""

    @abstractmethod
    def summary(self, asked: Asked) -> str:
        """Describes the call on one line."""

    @abstractmethod
    def answer(self, asked: Asked) -> str:
        """Returns the result for the model; runs in a thread."""

    async def preview(self, arguments: Mapping[str, Any]) -> ToolPreview:
        """Returns what it would read."""
        try:
            return ToolPreview(self.summary(self.accept(self.form.check(arguments))), reads=True)
        except Refused as refusal:
            return ToolPreview(f"{self.form.name} will refuse: {refusal}")

    async def run(self, arguments: Mapping[str, Any]) -> ToolOutcome:
        """Runs the tool; a refusal becomes a failed outcome."""
        try:
            asked = self.accept(self.form.check(arguments))
            return ToolOutcome(await asyncio.to_thread(self.answer, asked))
        except Refused as refusal:
            return ToolOutcome(str(refusal), failed=True)
        except OSError as error:
            return ToolOutcome(str(refusal_of(error)), failed=True)
