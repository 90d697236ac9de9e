"""What Ollama says about its models."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from workbench.domain.model import ModelCard
from workbench.providers.ollama.model import essential, names_in, refined

KNOWN = ModelCard("m", "ollama", 4096, None, "o200k_base", False, 3, 3, None, "2026-01-01")


@pytest.mark.parametrize(
    ("facts", "window"),
    [
        ({"general.architecture": "llama", "llama.context_length": 131072}, 8192),
        ({"general.architecture": "llama", "llama.context_length": 6000}, 6000),
        ({"general.architecture": "gemma3", "clip.context_length": 300, "gemma3.context_length": 8192}, 8192),
        ({"qwen3.context_length": 5960}, 5960),
        ({"general.architecture": "llama", "llama.context_length": "many"}, 4096),
        ({"llama.context_length": 0}, 4096),
        ({}, 4096),
        (None, 4096),
    ],
)
def test_the_window_is_the_architectures_own(facts: dict[str, Any] | None, window: int):
    assert refined(KNOWN, {"modelinfo": facts}).context_window_tokens == window


LARGE = {"general.architecture": "llama", "llama.context_length": 131072}


@pytest.mark.parametrize(
    ("parameters", "facts", "found"),
    [
        ('stop    "<|x|>"\nnum_ctx                        16384\nseed 1', LARGE, (16384, "modelfile", None)),
        ("num_ctx 2048", LARGE, (2048, "modelfile", None)),
        ("num_ctx 200000", LARGE, (131072, "modelfile", None)),
        ("num_ctx 16384", {}, (16384, "modelfile", None)),
        ('stop "num_ctx 16384"', LARGE, (8192, "default", 131072)),
        ("num_ctx many", LARGE, (8192, "default", 131072)),
        (None, LARGE, (8192, "default", 131072)),
        (None, {}, (4096, "", None)),
    ],
)
def test_the_window_is_the_modelfiles_or_a_default_and_never_the_largest_unasked(
    parameters: str | None, facts: dict[str, Any], found: tuple[int, str, int | None]
):
    """A model with a window of 131,072 took all memory for it, though a chat needed a few thousand."""
    card = refined(KNOWN, essential({"parameters": parameters, "modelinfo": facts}))
    assert (card.context_window_tokens, card.window_from, card.largest_window_tokens) == found


def test_a_catalogues_large_window_is_not_asked_for_while_the_server_is_silent():
    card = refined(replace(KNOWN, context_window_tokens=131072), {})
    assert (card.context_window_tokens, card.window_from, card.largest_window_tokens) == (
        8192,
        "default",
        131072,
    )
    unknown = refined(replace(KNOWN, context_window_tokens=32768, window_assumed=True), {})
    assert (unknown.context_window_tokens, unknown.window_from, unknown.largest_window_tokens) == (
        8192,
        "default",
        None,
    )


@pytest.mark.parametrize(
    ("capabilities", "tools"),
    [(["completion", "tools"], True), (["completion"], False), ([], True), (None, True)],
)
def test_a_model_can_be_told_of_tools_if_it_says_so(capabilities: list[str] | None, tools: bool):
    assert refined(KNOWN, {"capabilities": capabilities}).tools is tools


@pytest.mark.parametrize(
    ("capabilities", "images"),
    [(["completion", "vision"], True), (["completion"], False), ([], True), (None, True)],
)
def test_a_model_can_be_shown_pictures_if_it_says_so(capabilities: list[str] | None, images: bool):
    assert refined(KNOWN, {"capabilities": capabilities}).images is images


def test_the_names_of_all_models_are_listed():
    assert names_in({"models": [{"model": "a:latest"}, {}, {"model": None}, {"model": "b"}]}) == (
        "a:latest",
        "b",
    )
    assert names_in({}) == ()


def test_a_model_that_does_not_think_takes_no_effort_for_it():
    """Ollama refuses the whole request where a model that cannot think is told how hard to."""
    assert refined(KNOWN, {"capabilities": ["completion"]}).refusal("reasoning_effort")
    assert not refined(KNOWN, {"capabilities": ["completion", "thinking"]}).refusal("reasoning_effort")
    assert not refined(KNOWN, {}).refusal("reasoning_effort")
