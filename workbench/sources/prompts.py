"""Where the system text comes from: settings, or a file that may be edited while the program runs (seed 003)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path


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
