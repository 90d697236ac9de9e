"""The system text: as settled, or as the file says now."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from workbench.engine.gather import PromptBuilder
from workbench.ports import PromptSource
from workbench.sources.clock import MachineClock
from workbench.sources.prompts import PromptFile, SettledPrompt

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
