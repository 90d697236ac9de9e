"""What every tool that only looks has in common: checked arguments, work in a thread, refusals as outcomes."""

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
    """A tool without side effects → Tool; `Asked` are its arguments as a frozen value."""

    form: ClassVar[Form]
    searches: bool = False

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace

    @property
    def definition(self) -> ToolDefinition:
        """How the model is told of it."""
        return self.form.definition

    @property
    def has_side_effects(self) -> bool:
        """It only looks."""
        return False

    @abstractmethod
    def accept(self, given: Mapping[str, Any]) -> Asked:
        """The checked arguments as a value; refuses what cannot be meant."""

    @abstractmethod
    def summary(self, asked: Asked) -> str:
        """What it does, on one line."""

    @abstractmethod
    def answer(self, asked: Asked) -> str:
        """What the model is told; runs in a thread."""

    async def preview(self, arguments: Mapping[str, Any]) -> ToolPreview:
        """What it would look at."""
        try:
            return ToolPreview(self.summary(self.accept(self.form.check(arguments))), reads=True)
        except Refused as refusal:
            return ToolPreview(f"{self.form.name} will refuse: {refusal}")

    async def run(self, arguments: Mapping[str, Any]) -> ToolOutcome:
        """Look, and say what there is."""
        try:
            asked = self.accept(self.form.check(arguments))
            return ToolOutcome(await asyncio.to_thread(self.answer, asked))
        except Refused as refusal:
            return ToolOutcome(str(refusal), failed=True)
        except OSError as error:
            return ToolOutcome(str(refusal_of(error)), failed=True)
