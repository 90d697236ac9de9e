"""What OpenAI-compatible servers say about their models."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from workbench.domain.model import ModelCard
from workbench.providers.openai.model import names_in, refined

KNOWN = ModelCard("m", "server", 4096, None, "o200k_base", False, 3, 3, None, "2026-01-01")


@pytest.mark.parametrize(
    ("entry", "window"),
    [
        ({"max_model_len": 8192}, 8192),
        ({"context_length": 16384}, 16384),
        ({"max_input_tokens": 24000, "max_tokens": 4096}, 24000),
        ({"context_window": 32768}, 32768),
        ({"max_context_length": 9000, "loaded_context_length": 5000}, 5000),
        ({"meta": {"n_ctx": 2048, "n_ctx_train": 99999}}, 2048),
        ({"context_length": 200000, "top_provider": {"context_length": 100000}}, 100000),
        ({}, 4096),
        ({"meta": None, "max_model_len": None}, 4096),
        ({"max_model_len": 0}, 4096),
        ({"max_model_len": 10**12}, 4096),
        ({"max_model_len": "8192"}, 4096),
    ],
)
def test_the_window_is_found_in_the_field_each_server_uses(entry: dict[str, Any], window: int):
    listing = {"data": [{"id": "other", "max_model_len": 1111}, {"id": "m", **entry}]}
    assert refined(KNOWN, listing, "m").context_window_tokens == window


def test_a_server_with_one_model_serves_it_under_any_name():
    assert (
        refined(KNOWN, {"data": [{"id": "x.gguf", "max_model_len": 777}]}, "m").context_window_tokens == 777
    )


@pytest.mark.parametrize(
    "listing", [{}, {"data": None}, {"data": [None, 5]}, {"data": [{"id": "a"}, {"id": "b"}]}]
)
def test_a_listing_that_says_nothing_changes_nothing(listing: dict[str, Any]):
    assert refined(KNOWN, listing, "m") == KNOWN


def test_the_names_of_all_models_are_listed():
    assert names_in({"data": [{"id": "a"}, {}, {"id": 5}, {"id": "b"}]}) == ("a", "b")


def test_a_window_that_the_server_says_is_no_longer_assumed():
    assumed = replace(KNOWN, window_assumed=True)
    assert not refined(assumed, {"data": [{"id": "m", "max_model_len": 8192}]}, "m").window_assumed
    assert refined(assumed, {"data": [{"id": "m"}]}, "m").window_assumed
