"""`workbench models`: what can be used now."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.chat_model import FakeModel, FakeModels, words
from tests.fakes.parts import parts_with
from workbench.cli.main import run
from workbench.cli.models import window_source
from workbench.domain.errors import InvalidInput
from workbench.domain.model import Calibration, ModelLearnt, ModelListing

Capture = pytest.CaptureFixture[str]


class TwoModels(FakeModels):
    """One that is there and one that lacks something."""

    async def available(self) -> tuple[ModelListing, ...]:
        """Both."""
        missing = ModelListing("openai:NAME", None, usable=False, advice="needs a key", via="p:1")
        return ModelListing("builtin", WORD_MODEL, usable=True), missing


async def install(tell: Callable[[str], None]) -> str:
    tell("Fetching …")
    return "/models/small.gguf"


async def taught() -> dict[str, ModelLearnt]:
    return {"builtin": ModelLearnt(32, 31, Calibration(1.2, 0.04, 32))}


def models(*argv: str) -> int:
    found = TwoModels(FakeModel([words("x")]))
    parts = parts_with(models=lambda: found, install_model=install, learnt=taught)
    return run(["models", *argv], lambda _: parts)


def test_each_model_says_whether_it_can_be_used(capsys: Capture):
    assert models() == 0
    header, *rows = capsys.readouterr().out.splitlines()
    assert header.split() == ["model", "window", "tokenizer", "cache", "forecasts", "use"]
    assert [re.split("  +", row) for row in rows] == [
        ["builtin", "1,000", "words", "unknown", "31 of 32 within 1 %", "ready"],
        [
            "openai:NAME",
            "by model",
            "by model",
            "by model",
            "none yet",
            "needs a key (through the proxy p:1)",
        ],
    ]


def test_machines_get_the_whole_card(capsys: Capture):
    assert models("--json") == 0
    first, second = json.loads(capsys.readouterr().out)
    assert (first["via"], second["via"]) == ("", "p:1")
    assert (first["name"], first["usable"], first["context_window_tokens"]) == ("builtin", True, 1000)
    assert (second["advice"], second["provider"]) == ("needs a key", "openai")
    assert set(first) == set(second)
    assert first["forecasts"] == {"judged": 32, "within_1_percent": 31}
    assert first["calibration"] == {"ratio": 1.2, "spread": 0.04, "turns": 32}
    assert (second["forecasts"]["judged"], second["calibration"]) == (0, None)
    assert second["context_window_tokens"] is second["tokenizer"] is second["cache_rules"] is None


def test_a_catalogue_that_cannot_be_used_is_wrong_usage(capsys: Capture):
    def complain() -> None:
        raise InvalidInput("models.toml: format", "expected another one")

    assert run(["models"], lambda _: parts_with(check_catalogue=complain)) == 2
    assert capsys.readouterr() == ("", "workbench models: models.toml: format: expected another one\n")


def test_installing_tells_how_far_it_is_and_where_the_model_lies(capsys: Capture):
    assert models("install", "--json") == 0
    shown = capsys.readouterr()
    assert json.loads(shown.out) == {"installed": "/models/small.gguf"}
    assert shown.err == "Fetching …\n"


def test_a_window_that_nobody_knows_is_called_assumed(capsys: Capture):
    class Unknown(FakeModels):
        async def available(self) -> tuple[ModelListing, ...]:
            return (ModelListing("ollama:new", replace(WORD_MODEL, window_assumed=True), usable=True),)

    found = Unknown(FakeModel([words("x")]))
    assert run(["models"], lambda _: parts_with(models=lambda: found)) == 0
    assert "1,000 assumed" in capsys.readouterr().out


def test_a_window_that_is_not_the_models_own_says_where_it_is_from():
    card = replace(WORD_MODEL, context_window_tokens=8192, window_from="default")
    assert (
        window_source(replace(card, largest_window_tokens=131072))
        == " by default; the model supports 131,072"
    )
    assert window_source(card) == " by default"
    assert window_source(replace(card, window_from="modelfile")) == " from its Modelfile"
    assert window_source(WORD_MODEL) == ""


def test_what_is_known_of_a_cache_has_its_date(capsys: Capture):
    class Cached(FakeModels):
        async def available(self) -> tuple[ModelListing, ...]:
            card = replace(WORD_MODEL, name="claude-opus-5", cache_rules="anthropic")
            return (ModelListing("anthropic:claude-opus-5", card, usable=True),)

    parts = parts_with(models=lambda: Cached(FakeModel([words("x")])))
    assert run(["models"], lambda _: parts) == 0
    assert re.search(r"anthropic, as of \d{4}-\d\d-\d\d", capsys.readouterr().out)
    assert run(["models", "--json"], lambda _: parts) == 0
    (listed,) = json.loads(capsys.readouterr().out)
    assert (listed["cache"]["id"], listed["cache"]["minimum_tokens"]) == ("anthropic", 512)
    assert listed["cache"]["as_of"]
    assert listed["cache"]["source"]
