"""The workspace of the scripted conversation: its instructions, facts, rules and saved prompts."""

from __future__ import annotations

from workbench.domain.approval import ApprovalRule
from workbench.domain.workspace import Fact, SavedPrompt, Workspace

RULES = (
    ApprovalRule(("read", "ls", "grep"), decision="allow"),
    ApprovalRule(("edit", "write", "mv"), "src/**", "ask"),
    ApprovalRule(("rm", "github__merge"), decision="never"),
)
WORKSPACE = Workspace(
    "tokens",
    "Token service",
    instructions="Times are in seconds, as integers. Name the file and the line for every claim.\n"
    "Show changes as a unified diff.",
    facts=(
        Fact("fact-1", "The token service is owned by the platform team; ask before its interface changes."),
        Fact("fact-2", "Releases go out on Thursdays."),
    ),
)
PROMPTS = (
    SavedPrompt(
        "Review a change", "Review {{file}} as of {{date}}: what can break, and which test is missing?"
    ),
    SavedPrompt("Release notes", "Release notes for {{version}}, for {{readers}}: three lines.", "tokens"),
    SavedPrompt("Explain to a newcomer", "Explain {{files}} to somebody who started this {{weekday}}."),
)
INSTRUCTIONS = (
    "In this chat work on the refresh only; leave the retry loop alone.\nIt is {{date}}: count from today."
)
"""Instructions that are being written for the chat, and whose price the picture shows."""
