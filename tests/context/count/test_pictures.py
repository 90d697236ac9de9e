"""What a picture costs: the providers' own examples, and what no one has published."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.context.count.counting import is_guess, picture_tokens, pictures_tokens
from workbench.domain.message import Image
from workbench.domain.model import PictureRule
from workbench.providers.catalogue import Catalogue, load_catalogue

CATALOGUE: Catalogue = load_catalogue(Path(__file__).resolve().parents[3] / "resources" / "models.toml")


def tokens(model: str, width: int, height: int) -> int:
    return picture_tokens(Image("d", width=width, height=height), CATALOGUE.find(model).pictures)


@pytest.mark.parametrize(
    ("model", "width", "height", "expected"),
    [
        # OpenAI's own examples for GPT-4o in high detail: four tiles, and six.
        ("gpt-4o", 1024, 1024, 765),
        ("gpt-4o", 2048, 4096, 1105),
        ("gpt-4o", 4096, 8192, 1105),
        ("gpt-4o", 1, 1, 255),
        ("gpt-4o", 512, 512, 255),
        ("gpt-4o", 513, 100, 425),
        # These two were counted 46 and 42 tokens, and called exact.
        ("gpt-4o", 640, 400, 425),
        ("gpt-4o", 3000, 2000, 1105),
        ("gpt-4.1", 1024, 1024, 765),
        ("gpt-4o-mini", 1024, 1024, 2833 + 4 * 5667),
        ("o1", 1024, 1024, 75 + 4 * 150),
        ("o3", 1024, 1024, 675),
        ("gpt-5", 1024, 1024, 70 + 4 * 140),
    ],
)
def test_tiles(model: str, width: int, height: int, expected: int):
    assert tokens(model, width, height) == expected


@pytest.mark.parametrize(
    ("model", "width", "height", "expected"),
    [
        # 1,024 patches, and 33 × 44 = 1,452 after shrinking, are OpenAI's own examples; times 1.62, rounded up.
        ("gpt-4.1-mini", 1024, 1024, 1659),
        ("gpt-4.1-mini", 1800, 2400, 2353),
        ("gpt-5-mini", 1800, 2400, 2353),
        ("gpt-4.1-nano", 1024, 1024, 2520),
        ("gpt-5-nano", 1024, 1024, 2520),
        ("o4-mini", 1024, 1024, 1762),
        ("o4-mini", 32, 32, 2),
    ],
)
def test_patches(model: str, width: int, height: int, expected: int):
    assert tokens(model, width, height) == expected


@pytest.mark.parametrize(
    ("width", "height", "expected"),
    [
        # Anthropic's own examples: "~54", "~1334" and "~1590" are pixels / 750, rounded up.
        (200, 200, 54),
        (1000, 1000, 1334),
        (1092, 1092, 1590),
        # 1568 × 784 after the longest edge was shrunk; a square one is shrunk further, to about 1,600 tokens.
        (3136, 1568, 1600),
        (3136, 400, 419),
        (8000, 8000, 1600),
    ],
)
def test_pixels(width: int, height: int, expected: int):
    assert tokens("claude-sonnet-4-5", width, height) == expected


@pytest.mark.parametrize("model", ["a-model-nobody-knows", "gemini-3-pro", "ollama:llava", "gpt-5.6"])
def test_where_nothing_is_published_it_is_an_estimate_and_called_one(model: str):
    rule = CATALOGUE.find(model).pictures
    assert is_guess(Image("d", width=640, height=400), rule)
    assert tokens(model, 640, 400) == 425


def test_a_size_that_nobody_knows_is_a_guess_and_a_price_that_was_said_is_not():
    rule = CATALOGUE.find("gpt-4o").pictures
    assert (picture_tokens(Image("d"), rule), is_guess(Image("d"), rule)) == (765, True)
    assert (picture_tokens(Image("d", 85), rule), is_guess(Image("d", 85), None)) == (85, False)
    assert pictures_tokens((Image("d", 85), Image("e", 15)), rule) == 100


@given(st.integers(1, 100_000), st.integers(1, 100_000), st.integers(1, 2000))
def test_no_picture_has_more_patches_than_allowed(width: int, height: int, most: int):
    rule = PictureRule("patches", most_patches=most)
    assert 1 <= picture_tokens(Image("d", width=width, height=height), rule) <= most


@given(st.integers(1, 100_000), st.integers(1, 100_000))
def test_turning_a_picture_does_not_change_its_price(width: int, height: int):
    for model in ("gpt-4o", "gpt-5-mini", "claude-sonnet-4-5"):
        assert tokens(model, width, height) == tokens(model, height, width)
