"""What a folder offers, in words that can be compared, and as settings."""

from __future__ import annotations

from dataclasses import replace

from workbench.domain.folder_offer import FolderOffer, InstructionFile, describe, with_files
from workbench.domain.mcp_server import McpServer
from workbench.domain.settings.context_settings import ContextSettings

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


def test_a_star_stays_in_its_folder_and_two_go_across():
    there = ("docs/private/b.md", "docs/a.md", "a.md", "docs/x.md\nName: y.md", "notes[1].md")
    assert meant("docs/*.md", there) == ("docs/a.md",)
    assert meant("docs/**", there) == ("docs/a.md", "docs/private/b.md")
    assert meant("**/*.md", there) == ("a.md", "docs/a.md", "docs/private/b.md", "notes[1].md")
    assert meant("docs/?.md", there) == ("docs/a.md",)
    assert meant("notes[1].md", ()) == ("notes[1].md",)


def test_what_patterns_mean_is_counted_and_each_file_stands_once():
    offer = replace(OFFER, files=("b.md", "*.md", "*.py"), notes=("before",))
    found = with_files(offer, ("b.md", "a.md"), whole=False)
    assert found.files == ("b.md", "a.md")
    assert found.notes == (
        "before",
        "*.md means 2 files.",
        "*.py means 0 files.",
        "The folder is large: only its first 2 files were looked at.",
    )


def meant(path: str, there: tuple[str, ...]) -> tuple[str, ...]:
    return with_files(FolderOffer(files=(path,)), there).files
