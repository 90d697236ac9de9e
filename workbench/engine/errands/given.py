"""What a person gives to be kept: a provider's key, which is never shown, and settings under a name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from workbench.domain.errors import InvalidInput, UnusableSecret
from workbench.domain.preferences import ContextSettings
from workbench.domain.secret import Secret

ADDRESSES = {"openai": "https://api.openai.com", "anthropic": "https://api.anthropic.com"}
_LONGEST_KEY = 8 * 1024


def key_origin(named: str, origin_of: Callable[[str], str], addresses: Mapping[str, str]) -> str:
    """Whose key it is: a provider by name, or any server by its address.

    `addresses` are the gateways that are asked instead of providers: theirs is the key then.
    """
    address = {**ADDRESSES, **addresses}.get(named.lower(), named)
    if "://" not in address:
        # Not repeated: it might be the key, given in the wrong place.
        raise InvalidInput(
            "ORIGIN", "write openai, anthropic, or the server's address, such as https://host/v1"
        )
    return origin_of(address)


def usable_key(text: str | None, where: str) -> Secret:
    """A key as it can stand in a request; what is wrong with it is said without showing it."""
    key = (text or "").strip()
    if not key:
        raise UnusableSecret(f"{where} is empty.", "Give the key as the provider shows it.")
    if len(key) > _LONGEST_KEY or not (key.isascii() and key.isprintable() and " " not in key):
        raise UnusableSecret(
            f"{where} holds characters that no key has, or is far too long.",
            "Give the key as the provider shows it.",
        )
    return Secret.of_text(key)


def as_preset(settings: ContextSettings) -> ContextSettings:
    """What of a chat's settings means something in another one.

    Tools have side effects and are asked for each time; the ids of messages mean nothing in another chat.
    """
    bare = replace(settings, tools=(), tool_guidelines="")
    return replace(bare, filters=replace(bare.filters, include_only=None))


def preset_name(name: str) -> str:
    """A name that can be seen and typed; `InvalidInput` where it is none."""
    shown = " ".join(name.split())
    if not shown:
        raise InvalidInput("name", "a preset needs a name")
    return shown
