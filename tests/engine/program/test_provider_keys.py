"""A provider's key as it is given: whose it is, and what is no key; what stands in it is never repeated."""

from __future__ import annotations

import pytest

from workbench.domain.errors import InvalidInput, UnusableSecret
from workbench.domain.secrets import Secret
from workbench.engine.program.actions import key_origin, usable_key


def shouted(address: str) -> str:
    return address.upper()


@pytest.mark.parametrize(
    ("named", "origin"),
    [
        ("openai", "HTTPS://API.OPENAI.COM"),
        ("Anthropic", "HTTPS://API.ANTHROPIC.COM"),
        ("https://lab.example/v1", "HTTPS://LAB.EXAMPLE/V1"),
    ],
)
def test_a_key_is_a_providers_or_a_servers(named: str, origin: str):
    assert key_origin(named, shouted, {}) == origin


def test_the_key_of_a_provider_behind_a_gateway_is_the_gateways():
    gateways = {"openai": "https://gw.example/v1"}
    assert key_origin("OpenAI", shouted, gateways) == "HTTPS://GW.EXAMPLE/V1"
    assert key_origin("anthropic", shouted, gateways) == "HTTPS://API.ANTHROPIC.COM"


def test_a_key_in_the_place_of_an_address_is_not_repeated():
    with pytest.raises(InvalidInput) as error:
        key_origin("sk-canary", shouted, {})
    assert "canary" not in str(error.value)


def test_blanks_around_a_key_are_no_part_of_it():
    assert usable_key(" sk-1\n", "It") == Secret.of_text("sk-1")


@pytest.mark.parametrize(
    "text", [None, "", " ", "sk canary", "canary\nx", "cänary", "canary\x00", "c" * 9000]
)
def test_what_no_request_can_carry_is_refused_unseen(text: str | None):
    with pytest.raises(UnusableSecret) as error:
        usable_key(text, "The key")
    assert str(error.value).startswith("The key ")
    assert "anary" not in str(error.value)
