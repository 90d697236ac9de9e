"""Where the system text comes from: settings, or a file that may be edited while the program runs (seed 003)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from workbench.sources.resources import resource_path


@dataclass(frozen=True, slots=True)
class SettledPrompt:
    """A text that was decided on → PromptSource."""

    text: str

    async def system_prompt(self) -> str:
        """The text."""
        return self.text


@dataclass(frozen=True, slots=True)
class PromptFile:
    """A text file, read anew for every prompt → PromptSource."""

    path: Path

    async def system_prompt(self) -> str:
        """What the file says now; empty where there is none."""
        try:
            return await asyncio.to_thread(self.path.read_text, encoding="utf-8", errors="replace")
        except FileNotFoundError:
            return ""


@dataclass(frozen=True, slots=True)
class ShippedPrompts:
    """The texts that come with the program; the last two are only for chats with tools (seed 000)."""

    persona: str
    explore_first: str
    tool_guidelines: str


def shipped_prompts() -> ShippedPrompts:
    """The texts as they lie in the program's data."""
    return ShippedPrompts(_shipped("persona"), _shipped("explore_first"), _shipped("tool_guidelines"))


def _shipped(name: str) -> str:
    return resource_path("prompts", f"{name}.md").read_text(encoding="utf-8").strip()
