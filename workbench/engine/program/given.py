"""What a person gives to be kept and is never shown: a provider's key, and whose it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from workbench.domain.errors import InvalidInput, UnusableSecret
from workbench.domain.keys.secret import Secret
from workbench.domain.models.provider import HOSTED, KEYED

_LONGEST_KEY = 8 * 1024


def key_origin(named: str, origin_of: Callable[[str], str], addresses: Mapping[str, str]) -> str:
    """Whose key it is: a provider by name, or any server by its address.

    `addresses` are the gateways that are asked instead of providers: theirs is the key then.
    """
    address = {**{one.name: one.url for one in HOSTED}, **addresses}.get(named.lower(), named)
    if "://" not in address:
        # Not repeated: it might be the key, given in the wrong place.
        raise InvalidInput(
            "ORIGIN", f"write {', '.join(KEYED)}, or the server's address, such as https://host/v1"
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
