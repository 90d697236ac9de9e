"""`workbench keys`: shows and changes what unlocks the store, and manages the keys of providers."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from workbench.cli.open_history import changing, opened
from workbench.cli.services import Services
from workbench.cli.terminal import find_terminal, print_json, print_text, tell
from workbench.domain.errors import InvalidInput, UnusableSecret
from workbench.domain.provider import KEYED
from workbench.domain.secrets import KeyStatus, Secret
from workbench.domain.translation import joined, tr
from workbench.engine.program.actions import key_origin, usable_key
from workbench.ports.keys import KeyKeeper

# `workbench keys provider`: for which servers there are keys, a new one, or one less; never the keys
# themselves.


def run_provider(arguments: argparse.Namespace, services: Services) -> int:
    """Lists, stores or removes the keys of providers."""
    if arguments.origin is None:
        return _wait_for(_list(arguments, services))
    if "://" not in arguments.origin:
        # A provider's name means the gateway that is set for it: its key must not be kept for another place.
        services.check_sending()
    origin = key_origin(arguments.origin, services.origin_of, services.addresses())
    if arguments.remove:
        return _wait_for(_remove(arguments, services, origin))
    # Before the store is opened: nothing is unlocked for a key that is not there.
    key = _key(arguments.key_env, origin, services)
    return _wait_for(_keep(arguments, services, origin, key))


def wrong_usage(arguments: argparse.Namespace) -> str | None:
    """Returns what is wrong with a combination of options; None where nothing is."""
    if arguments.origin is None and (arguments.remove or arguments.key_env is not None):
        return tr(
            "--remove and --key-env need an ORIGIN: {keyed}, or the server's address", keyed=", ".join(KEYED)
        )
    if arguments.remove and arguments.key_env is not None:
        return tr("--remove and --key-env do not go together")
    return None


def _wait_for(work: Coroutine[Any, Any, int]) -> int:
    # Late: `--help` answers without it.
    import asyncio

    return asyncio.run(work)


async def _list(arguments: argparse.Namespace, services: Services) -> int:
    async with opened(services, writable=False) as store:
        origins = await services.provider_keys(store).origins()
    if arguments.json:
        print_json({"origins": list(origins)})
        return 0
    for origin in origins:
        print_text(origin)
    if not origins:
        tell(tr("There are no provider keys. `workbench keys provider {keyed}` keeps one.", keyed=KEYED[0]))
    return 0


async def _keep(arguments: argparse.Namespace, services: Services, origin: str, key: Secret) -> int:
    async with opened(services, writable=True) as store:
        await services.provider_keys(store).keep(origin, key)
    if arguments.json:
        print_json({"origin": origin, "kept": True})
    else:
        print_text(tr("The key for {origin} is kept; it is sent to no other server.", origin=origin))
    return 0


async def _remove(arguments: argparse.Namespace, services: Services, origin: str) -> int:
    async with changing(services) as store:
        keys = services.provider_keys(store)
        known = origin in await keys.origins()
        await keys.keep(origin, None)
    if arguments.json:
        print_json({"origin": origin, "removed": known})
    elif known:
        print_text(tr("The key for {origin} is removed.", origin=origin))
        tell(tr("Backups made before still hold it, encrypted. Revoke it at the provider too."))
    else:
        print_text(tr("There was no key for {origin}.", origin=origin))
    return 0


def _key(variable: str | None, origin: str, services: Services) -> Secret:
    if variable is not None:
        return usable_key(
            services.environment(variable), tr("The environment variable {variable}", variable=variable)
        )
    terminal = find_terminal()
    if terminal is None:
        raise UnusableSecret(
            tr("There is no terminal to ask for the key."),
            tr("Put it into an environment variable and name that with --key-env NAME."),
        )
    return usable_key(
        terminal.ask(tr("Key for {origin} (not shown)", origin=origin)).reveal_text(), tr("What was typed")
    )


SHORT_ID_LETTERS = 8
MOST_PASSPHRASE_BYTES = 64 * 1024
_PROVIDER = "provider"
_HELP = f"""\
status      what opens the store, since when (needs no secret)
passphrase  change the passphrase, or set one; the old one, or another protector, unlocks
recovery    make a new recovery code and print it this once; the old one opens nothing any more
rotate      put the whole store under a new key; needs every protector's secret, gives a new recovery code
keyring     let the system's keyring open the store; with --off: no longer
provider    for which servers there are keys; with ORIGIN ({", ".join(KEYED)} or an address): asks for its key
            unseen, or takes it from the environment variable that --key-env NAME names; --remove forgets it.
            Kept in the system's keyring where there is one, else in the encrypted store

Without a terminal, WORKBENCH_PASSPHRASE (a passphrase or a recovery code) or --key-file FILE unlocks, and
`passphrase` takes the new one from --new-passphrase-file FILE, or from standard input with "-"; a line end
at its end is left out."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _HELP
    names = (*_ACTIONS, _PROVIDER)
    parser.add_argument("action", choices=names, metavar="ACTION", help=" | ".join(names))
    parser.add_argument("origin", nargs="?", metavar="ORIGIN", help="provider: whose key it is")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.add_argument(
        "--new-passphrase-file", metavar="FILE", help="passphrase: the new one, - for standard input"
    )
    parser.add_argument("--off", action="store_true", help="keyring: stop using it")
    parser.add_argument("--key-env", metavar="NAME", help="provider: the environment variable with the key")
    parser.add_argument("--remove", action="store_true", help="provider: forget the key")


def run(arguments: argparse.Namespace, services: Services) -> int:
    """Runs the action that was named; returns the exit code."""
    wrong = _wrong_usage(arguments)
    if wrong:
        print(tr("workbench keys: {wrong}", wrong=wrong), file=sys.stderr)
        return 2
    if arguments.action == _PROVIDER:
        return run_provider(arguments, services)
    _ACTIONS[arguments.action](arguments, services.keys())
    return 0


def _wrong_usage(arguments: argparse.Namespace) -> str | None:
    if arguments.new_passphrase_file is not None and arguments.action != "passphrase":
        return tr("--new-passphrase-file belongs to `keys passphrase`")
    if arguments.off and arguments.action != "keyring":
        return tr("--off belongs to `keys keyring`")
    if arguments.action == _PROVIDER:
        return wrong_usage(arguments)
    if arguments.origin is not None or arguments.key_env is not None or arguments.remove:
        return tr("ORIGIN, --key-env and --remove belong to `keys provider`")
    return None


def _status(arguments: argparse.Namespace, keys: KeyKeeper) -> None:
    _print_status(arguments, keys.status())


def _passphrase(arguments: argparse.Namespace, keys: KeyKeeper) -> None:
    keys.change_passphrase(_new_passphrase(arguments.new_passphrase_file))
    _print(
        arguments,
        {"changed": "passphrase"},
        tr("The passphrase was changed; the old one opens nothing any more."),
    )


def _recovery(arguments: argparse.Namespace, keys: KeyKeeper) -> None:
    code = keys.new_recovery_code().reveal_text()
    _print(arguments, {"recovery_code": code}, code)
    tell(tr("Keep it on paper: it is shown this once. The old recovery code opens nothing any more."))


def _rotate(arguments: argparse.Namespace, keys: KeyKeeper) -> None:
    _print_status(arguments, keys.rotate())


def _keyring(arguments: argparse.Namespace, keys: KeyKeeper) -> None:
    keys.use_keyring(not arguments.off)
    _print_status(arguments, keys.status())


_ACTIONS: dict[str, Callable[[argparse.Namespace, KeyKeeper], None]] = {
    "status": _status,
    "passphrase": _passphrase,
    "recovery": _recovery,
    "rotate": _rotate,
    "keyring": _keyring,
}


def _new_passphrase(file: str | None) -> Callable[[], Secret]:
    if file is not None:
        chosen = _read(file)
        return lambda: chosen
    terminal = find_terminal()
    if terminal is None:
        raise UnusableSecret(
            tr("There is no terminal to ask for the new passphrase."),
            tr("Give it with --new-passphrase-file FILE, or on standard input with --new-passphrase-file -."),
        )
    return terminal.ask_new


def _read(name: str) -> Secret:
    try:
        if name == "-":
            content = sys.stdin.buffer.read(MOST_PASSPHRASE_BYTES + 1)
        else:
            with open(Path(name), "rb") as stream:
                content = stream.read(MOST_PASSPHRASE_BYTES + 1)
        text = content.decode()
    except OSError as problem:
        raise InvalidInput(name, problem.strerror or type(problem).__name__) from None
    except UnicodeDecodeError:
        raise InvalidInput(name, tr("is not text in UTF-8, so it cannot be typed as a passphrase")) from None
    if len(content) > MOST_PASSPHRASE_BYTES:
        raise InvalidInput(
            name,
            tr("is longer than {most_passphrase_bytes} bytes", most_passphrase_bytes=MOST_PASSPHRASE_BYTES),
        )
    return Secret.of_text(text.removesuffix("\n").removesuffix("\r"))


def _print_status(arguments: argparse.Namespace, status: KeyStatus) -> None:
    short_id = status.identity.database_id[:SHORT_ID_LETTERS]
    fields = {
        "database_id": short_id,
        "generation": status.identity.generation,
        "created": status.created,
        "key_created": status.key_created,
        "protectors": [{"kind": each.kind, "created": each.created} for each in status.protectors],
        "rotating": status.rotating,
    }
    lines = [
        tr("store       {short_id}, made {created}", short_id=short_id, created=status.created),
        tr(
            "key         generation {generation}, since {key_created}",
            generation=status.identity.generation,
            key_created=status.key_created,
        ),
        *(
            tr("{kind:<11} since {created}", kind=each.kind.replace("_", " "), created=each.created)
            for each in status.protectors
        ),
    ]
    if status.rotating:
        lines.append(tr("A change of the key was interrupted; the next opening finishes or undoes it."))
    _print(arguments, fields, joined(lines, "\n"))


def _print(arguments: argparse.Namespace, fields: object, words: str) -> None:
    print(json.dumps(fields, ensure_ascii=False) if arguments.json else words, flush=True)
