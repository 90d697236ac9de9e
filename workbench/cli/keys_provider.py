"""`workbench keys provider`: for which servers there are keys, a new one, or one less; never the keys themselves."""

from __future__ import annotations

import argparse
from collections.abc import Coroutine
from typing import Any

from workbench.cli.open_history import opened
from workbench.cli.parts import Parts
from workbench.cli.plain_output import print_json, print_text
from workbench.cli.terminal import find_terminal, tell
from workbench.domain.errors import UnusableSecret
from workbench.domain.secret import Secret
from workbench.engine.errands.provider_keys import key_origin, usable_key


def run(arguments: argparse.Namespace, parts: Parts) -> int:
    """List, keep or remove."""
    if arguments.origin is None:
        return _wait_for(_list(arguments, parts))
    origin = key_origin(arguments.origin, parts.origin_of)
    if arguments.remove:
        return _wait_for(_remove(arguments, parts, origin))
    # Before the store is opened: nothing is unlocked for a key that is not there.
    key = _key(arguments.key_env, origin, parts)
    return _wait_for(_keep(arguments, parts, origin, key))


def wrong_usage(arguments: argparse.Namespace) -> str | None:
    """What does not go together."""
    if arguments.origin is None and (arguments.remove or arguments.key_env is not None):
        return "--remove and --key-env need an ORIGIN: openai, anthropic, or the server's address"
    if arguments.remove and arguments.key_env is not None:
        return "--remove and --key-env do not go together"
    return None


def _wait_for(work: Coroutine[Any, Any, int]) -> int:
    # Late: `--help` answers without it.
    import asyncio

    return asyncio.run(work)


async def _list(arguments: argparse.Namespace, parts: Parts) -> int:
    async with opened(parts, writable=False) as store:
        origins = await parts.provider_keys(store).origins()
    if arguments.json:
        print_json({"origins": list(origins)})
        return 0
    for origin in origins:
        print_text(origin)
    if not origins:
        tell("There are no provider keys. `workbench keys provider openai` keeps one.")
    return 0


async def _keep(arguments: argparse.Namespace, parts: Parts, origin: str, key: Secret) -> int:
    async with opened(parts, writable=True) as store:
        await parts.provider_keys(store).keep(origin, key)
    if arguments.json:
        print_json({"origin": origin, "kept": True})
    else:
        print_text(f"The key for {origin} is kept; it is sent to no other server.")
    return 0


async def _remove(arguments: argparse.Namespace, parts: Parts, origin: str) -> int:
    async with opened(parts, writable=True) as store:
        keys = parts.provider_keys(store)
        known = origin in await keys.origins()
        await keys.keep(origin, None)
    if arguments.json:
        print_json({"origin": origin, "removed": known})
    elif known:
        print_text(f"The key for {origin} is removed.")
        tell("Backups made before still hold it, encrypted. Revoke it at the provider too.")
    else:
        print_text(f"There was no key for {origin}.")
    return 0


def _key(variable: str | None, origin: str, parts: Parts) -> Secret:
    if variable is not None:
        return usable_key(parts.environment(variable), f"The environment variable {variable}")
    terminal = find_terminal()
    if terminal is None:
        raise UnusableSecret(
            "There is no terminal to ask for the key.",
            "Put it into an environment variable and name that with --key-env NAME.",
        )
    return usable_key(terminal.ask(f"Key for {origin} (not shown)").reveal_text(), "What was typed")
