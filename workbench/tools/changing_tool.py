"""Base of tools that change something: what was shown is what is done, and it can be undone."""

from __future__ import annotations

import asyncio
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Generic, TypeVar

from workbench.domain.tool import ToolDefinition, ToolOutcome, ToolPreview
from workbench.tools.arguments import Form
from workbench.tools.effects.effects import Plan
from workbench.tools.workspace.paths import Refused, refusal_of
from workbench.tools.workspace.workspace import Workspace

Asked = TypeVar("Asked")
_REFUSED = "refused"
_MOST_REMEMBERED = 64


class ChangingTool(ABC, Generic[Asked]):
    """A tool with side effects → Tool; `Asked` is the type of its arguments, a frozen value.

    `preview` remembers what it showed for these arguments. `run` plans again, and refuses where the plan differs from
    it; a call that was never shown is done as planned now.
    """

    form: ClassVar[Form]

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._shown: dict[str, str] = {}

    @property
    def definition(self) -> ToolDefinition:
        """The definition sent to the model."""
        return self.form.definition

    @property
    def has_side_effects(self) -> bool:
        """True: a person must allow each call."""
        return True

    @property
    def searches(self) -> bool:
        """False: it does not search."""
        return False

    @abstractmethod
    def accept(self, given: Mapping[str, Any]) -> Asked:
        """Returns the checked arguments as a value; refuses those that make no sense."""

    @abstractmethod
    def plan(self, asked: Asked) -> Plan:
        """Returns what would be done now; runs in a thread and changes nothing."""

    async def preview(self, arguments: Mapping[str, Any]) -> ToolPreview:
        """Returns what would be done; changes nothing."""
        key = _key(arguments)
        try:
            plan = await asyncio.to_thread(self._make_plan, arguments)
        except Refused as refusal:
            self._remember(key, _REFUSED)
            return ToolPreview(f"{self.form.name} will refuse: {refusal}")
        self._remember(key, plan.effect.fingerprint)
        return ToolPreview(plan.summary, plan.diff)

    async def run(self, arguments: Mapping[str, Any]) -> ToolOutcome:
        """Does it, if it is still what was shown."""
        key = _key(arguments)
        try:
            outcome = await asyncio.to_thread(self._apply_plan, arguments, self._shown.get(key))
        except Refused as refusal:
            return ToolOutcome(str(refusal), failed=True)
        self._shown.pop(key, None)
        return outcome

    def _remember(self, key: str, fingerprint: str) -> None:
        self._shown.pop(key, None)
        self._shown[key] = fingerprint
        while len(self._shown) > _MOST_REMEMBERED:
            del self._shown[next(iter(self._shown))]

    def _make_plan(self, arguments: Mapping[str, Any]) -> Plan:
        try:
            return self.plan(self.accept(self.form.check(arguments)))
        except OSError as error:
            raise refusal_of(error) from None

    def _apply_plan(self, arguments: Mapping[str, Any], shown: str | None) -> ToolOutcome:
        with self.workspace.changing:
            plan = self._make_plan(arguments)
            if shown is not None and plan.effect.fingerprint != shown:
                raise Refused(
                    "Something changed since this was shown, so nothing was done. Look again first."
                )
            try:
                return ToolOutcome(plan.told, undo=plan.effect.apply(self.workspace))
            except OSError as error:
                raise refusal_of(error) from None


def _key(arguments: Mapping[str, Any]) -> str:
    return json.dumps(arguments, sort_keys=True, default=str)
