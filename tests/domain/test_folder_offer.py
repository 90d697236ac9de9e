"""What a folder offers, in words that can be compared, and as settings."""

from __future__ import annotations

from workbench.domain.folder_offer import FolderOffer, InstructionFile, describe
from workbench.domain.mcp import McpServer
from workbench.domain.preferences import ContextSettings

OFFER = FolderOffer(
    "d1",
    "Payments",
    "Be brief.\nSay why.",
    "add",
    ("docs/*.md",),
    "openai:gpt-4o",
    {"layout": "append_only", "history": {"threshold": None}},
    (
        McpServer(
            "git", "uvx", ("mcp-server-git", "--repository", "a b"), {"TOKEN": "${secret:git.T}"}, "sub"
        ),
        McpServer("web", url="https://a.example/mcp"),
    ),
    found=(InstructionFile("AGENTS.md", "Use tabs.", "d2"),),
)


def test_it_is_said_line_by_line():
    assert describe(OFFER).splitlines() == [
        "Name: Payments",
        "Model: openai:gpt-4o",
        "Instructions (added to the default ones):",
        "  Be brief.",
        "  Say why.",
        "File in every chat: docs/*.md",
        "Setting history.threshold = null",
        'Setting layout = "append_only"',
        'Server git runs "uvx" "mcp-server-git" "--repository" "a b"',
        "  in sub",
        '  TOKEN = "${secret:git.T}"',
        "Server web at https://a.example/mcp",
        "Instructions of AGENTS.md:",
        "  Use tabs.",
    ]
    assert describe(FolderOffer()) == ""


def test_its_settings_take_the_place_of_others():
    before = ContextSettings(model="builtin", user_memory="- likes tea")
    after = OFFER.applied(before)
    assert (after.model, after.layout, after.history.threshold) == ("openai:gpt-4o", "append_only", None)
    assert after.user_memory == before.user_memory
    assert FolderOffer().applied(before) == before
