"""The system text: as settled, or as the file says now."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from workbench.engine.build.gather import PromptBuilder
from workbench.ports.prompting import PromptSource
from workbench.providers.tokenizer import TiktokenTokenizer
from workbench.sources.clock import MachineClock
from workbench.sources.prompts import PromptFile, SettledPrompt, shipped_prompts
from workbench.sources.resources import resource_path

WORDS = "You are brief. ünïcödé"


@pytest.mark.parametrize("kind", ["settled", "file"])
def test_a_prompt_is_built_with_it(kind: str, tmp_path: Path):
    path = tmp_path / "system.md"
    path.write_text(WORDS, encoding="utf-8")
    source: PromptSource = PromptFile(path) if kind == "file" else SettledPrompt(WORDS)
    prompt = asyncio.run(PromptBuilder(source, (), MachineClock()).build("Hello?", 6))
    assert (prompt.system, prompt.user_input, prompt.now_utc[-1]) == (WORDS, "Hello?", "Z")


def test_a_file_is_read_anew_and_a_missing_one_says_nothing(tmp_path: Path):
    source = PromptFile(tmp_path / "system.md")
    assert asyncio.run(source.system_prompt()) == ""
    source.path.write_text("first")
    assert asyncio.run(source.system_prompt()) == "first"
    source.path.write_text("second")
    assert asyncio.run(source.system_prompt()) == "second"


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
