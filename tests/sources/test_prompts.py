"""The system text: as settled, or as the file says now."""

from __future__ import annotations

from workbench.providers.tokenizer import TiktokenTokenizer
from workbench.sources.resources import resource_path, shipped_prompts

WORDS = "You are brief. ünïcödé"


def test_the_shipped_texts_are_there_and_short():
    """A persona longer than a small model's patience would cost every turn of every chat."""
    shipped = shipped_prompts()
    tokenizer = TiktokenTokenizer("o200k_base", resource_path("encodings"))
    assert 10 < tokenizer.count(shipped.persona) <= 60
    assert 10 < tokenizer.count(shipped.explore_first) <= 80
    assert 10 < tokenizer.count(shipped.tool_guidelines) <= 200
    for text in (shipped.persona, shipped.explore_first, shipped.tool_guidelines):
        assert text == text.strip()


def test_every_tool_is_named_in_the_guidelines():
    guidelines = shipped_prompts().tool_guidelines
    assert [
        name
        for name in ("ls", "read", "grep", "edit", "write", "touch", "mv", "rm")
        if f"`{name}`" not in guidelines
    ] == []


def test_the_guidelines_promise_nothing_about_tools_of_servers():
    """They said that nothing outside the folder can be reached, and a server's tool reached it."""
    guidelines = shipped_prompts().tool_guidelines
    assert "nothing outside it can be reached" not in guidelines
    assert "these tools reach nothing outside it" in guidelines
