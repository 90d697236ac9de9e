"""Turns settings into rules for connections; the environment is read only where they say so."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from workbench.domain.errors import InvalidInput
from workbench.domain.settings.app_preferences import SYSTEM_PROXY, Preferences
from workbench.net.rules import Rules
from workbench.providers.wire.endpoint import check_base_url, origin


def net_rules(preferences: Preferences, environment: Mapping[str, str] | None = None) -> Rules:
    """Returns the rules; HTTPS_PROXY and NO_PROXY are read only where the settings choose the system's proxy."""
    rules = Rules(
        preferences.proxy,
        ca_file=os.path.expanduser(preferences.ca_file),
        offline=preferences.offline,
        plain_http=_origins(preferences.plain_http),
        plain_http_with_key=_origins(preferences.plain_http_with_key),
    )
    if preferences.proxy != SYSTEM_PROXY:
        return rules
    around = os.environ if environment is None else environment
    spared = tuple(one.strip() for one in _either(around, "no_proxy").split(",") if one.strip())
    return replace(rules, proxy=_either(around, "https_proxy"), no_proxy=spared, system=True)


def child_environment(rules: Rules, environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """Returns our environment for a program that downloads for us, with the proxy of the settings."""
    around = os.environ if environment is None else environment
    kept = {name: value for name, value in around.items() if not name.lower().endswith("_proxy")}
    proxied = {"HTTPS_PROXY": rules.proxy, "HTTP_PROXY": rules.proxy} if rules.proxy else {}
    return {**kept, **proxied, **({"NO_PROXY": ",".join(rules.no_proxy)} if rules.no_proxy else {})}


def _origins(urls: Sequence[str]) -> frozenset[str]:
    """Returns the origins that may be used without encryption; addresses that cannot be parsed are ignored."""
    found = set()
    for url in urls:
        with suppress(InvalidInput):
            found.add(origin(check_base_url(url, lambda _: True)))
    return frozenset(found)


def _either(environment: Mapping[str, str], name: str) -> str:
    """Returns a variable in lower case, which most programs prefer, or in capitals."""
    return environment.get(name) or environment.get(name.upper()) or ""
