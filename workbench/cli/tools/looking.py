"""What a server of tools says it has, set against what was approved: as words, and for machines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import unified_diff
from typing import Any

from workbench.cli.terminal import counted, visible, visible_line
from workbench.domain.mcp.server import McpListing, McpServer, McpTool, approved_tool, tool_state
from workbench.domain.text import digest_text

_DIGITS = 16


@dataclass(frozen=True, slots=True)
class Look:
    """A server beside what it says now."""

    server: McpServer
    listing: McpListing

    @property
    def waiting(self) -> tuple[McpTool, ...]:
        """The tools that are new, or say something else than was approved."""
        return tuple(one for one in self.listing.tools if tool_state(self.server, one) != "approved")

    @property
    def gone(self) -> tuple[str, ...]:
        """The tools that were approved and that it does not have any more."""
        there = {one.name for one in self.listing.tools}
        return tuple(one.name for one in self.server.approved if one.name not in there)

    @property
    def digest(self) -> str:
        """Of everything it says: whoever approves by it approves what was shown, and nothing else."""
        said = sorted(f"{one.name} {one.digest}" for one in self.listing.tools)
        return digest_text("\n".join(said))[:_DIGITS]

    def document(self) -> dict[str, Any]:
        """All of it for machines."""
        return {
            "server": self.server.name,
            "state": self.listing.state,
            "problem": self.listing.problem,
            "digest": self.digest,
            "tools": [self._tool(one) for one in self.listing.tools],
            "gone": list(self.gone),
            "left_out": list(self.listing.left_out),
        }

    def lines(self) -> Iterator[str]:
        """All of it in words; whatever the server wrote is made visible."""
        states = [tool_state(self.server, one) for one in self.listing.tools]
        new, changed = states.count("new"), states.count("changed")
        yield f"{self.server.name}: {counted(len(states), 'tool')} ({new} new, {changed} changed)"
        for tool, state in zip(self.listing.tools, states, strict=True):
            yield f"  {visible_line(tool.name)} [{state}]"
            text = {"new": tool.text, "changed": self._diff(tool)}.get(state, "")
            yield from (f"    {line}" for line in visible(text).splitlines())
        for name in self.gone:
            yield f"  {visible_line(name)} [gone]"
        for what in self.listing.left_out:
            yield f"  left out: {visible_line(what)}"

    def _tool(self, tool: McpTool) -> dict[str, Any]:
        return {
            "name": tool.name,
            "called": tool.called,
            "state": tool_state(self.server, tool),
            "description": tool.description,
            "schema": json.loads(tool.schema_json),
            "diff": self._diff(tool),
        }

    def _diff(self, tool: McpTool) -> str:
        """How its words differ from those that were approved."""
        before = approved_tool(self.server, tool.name)
        if before is None or before.digest == tool.digest:
            return ""
        names = ("approved", "now")
        return "\n".join(unified_diff(before.text.splitlines(), tool.text.splitlines(), *names, lineterm=""))
