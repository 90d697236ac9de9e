"""The texts that come with the program: the persona, and what is said to models with tools."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.sources.resources import resource_path


@dataclass(frozen=True, slots=True)
class ShippedPrompts:
    """The texts that come with the program; the last two are only for chats with tools."""

    persona: str
    explore_first: str
    tool_guidelines: str


def shipped_prompts() -> ShippedPrompts:
    """The texts as they lie in the program's data."""
    return ShippedPrompts(_shipped("persona"), _shipped("explore_first"), _shipped("tool_guidelines"))


def _shipped(name: str) -> str:
    return resource_path("prompts", f"{name}.md").read_text(encoding="utf-8").strip()
