"""What a watch works with: where requests go by command line and environment, and what the command gets of it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping

from workbench.cli.services import WatchParts
from workbench.domain.errors import InvalidInput
from workbench.domain.watch.routes import APIS, VARIABLES, Api, Routes, rooted, vendors
from workbench.engine.watch.watcher import Copied
from workbench.net.watch.proxy import WatchProxy
from workbench.providers.wire.endpoint import check_base_url
from workbench.wiring.folder import ProgramFolder

_OURS = "WORKBENCH_"
_OLLAMA_PORT = 11434


def watch_parts(place: ProgramFolder, to: str) -> WatchParts:
    """Everything for one watch; `InvalidInput` where an address cannot be used."""
    place.check_sending()
    routes = routes_for(to, os.environ, place.net.rules.allows_plain)

    def proxy(heard: Callable[[Copied], None]) -> WatchProxy:
        return WatchProxy(place.net, routes, heard, time.time)

    return WatchParts(routes, proxy, without_ours(os.environ), lambda _: None)


def without_ours(environment: Mapping[str, str]) -> dict[str, str]:
    """An environment for a program that is none of ours: our passphrase is not its business."""
    return {name: value for name, value in environment.items() if not name.startswith(_OURS)}


def routes_for(
    to: str, environment: Mapping[str, str], allows_plain: Callable[[str], bool] = lambda _: False
) -> Routes:
    """Where requests go: `to` where it is given, else where the variables led so far, else to the vendors."""
    if to and to not in APIS:
        base = rooted(_checked("--to", to, allows_plain))
        return Routes({api: f"{base}/v1" if api == "openai" else base for api in APIS}, base)
    bases = dict(vendors())
    for name, api in reversed(tuple(VARIABLES.items())):
        if environment.get(name) and api != to:
            bases[api] = _checked(name, environment[name], allows_plain)
    return Routes(bases, rooted(vendors()[_api(to)]) if to else "")


def _api(name: str) -> Api:
    return next(api for api in APIS if api == name)


def _checked(name: str, url: str, allows_plain: Callable[[str], bool]) -> str:
    try:
        return check_base_url(_whole(url) if name == "OLLAMA_HOST" else url, allows_plain)
    except InvalidInput as problem:
        raise InvalidInput(name, problem.reason) from None


def _whole(host: str) -> str:
    """The address that Ollama's variable stands for, in which everything but the host may be missing."""
    scheme, mark, rest = host.strip().rpartition("://")
    authority, slash, path = rest.partition("/")
    name, colon, port = authority.rpartition(":")
    if not colon or "]" in port:
        name, port = authority, "" if mark else str(_OLLAMA_PORT)
    name = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "[::]": "[::1]"}.get(name, name)
    return f"{scheme or 'http'}://{name}{f':{port}' if port else ''}{slash}{path}"
