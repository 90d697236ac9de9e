"""Makes the parts of a watch: routes from command line and environment, the proxy, and the command's environment."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from workbench.cli.services import WatchParts
from workbench.context.watch.redacting import Restorer
from workbench.domain.errors import InvalidInput
from workbench.domain.watch.exchange import Exchange, WatchedFormat
from workbench.domain.watch.request import WatchedRequest, WatchedTurn
from workbench.domain.watch.routes import APIS, VARIABLES, Api, Routes, rooted, vendors
from workbench.net.watch.copies import Passing
from workbench.net.watch.proxy import WatchProxy
from workbench.ports.watching import CopiedRequest, Ears, Listening
from workbench.providers.wire.endpoint import check_base_url
from workbench.wiring.folder import ProgramFolder
from workbench.wiring.log import Log

if TYPE_CHECKING:
    from workbench.domain.model import ModelCard
    from workbench.domain.watch.switch import SessionKind
    from workbench.engine.watch.importing import ImportedSession
    from workbench.engine.watch.understanding import Knowledge, Understanding

_OURS = "WORKBENCH_"
_OLLAMA_PORT = 11434
LAST_WORDS_S = 0.2
"""How long requests that were held have to be answered when the watch is closed."""
USUAL_PORT = 4040
"""The port on which a window listens: always the same, so that a line in shell settings stays valid."""


def watch_parts(place: ProgramFolder, to: str, environment: Mapping[str, str] = os.environ) -> WatchParts:
    """Makes the parts of one watch; `InvalidInput` where an address cannot be used."""
    place.check_sending()
    Log().open()
    routes = routes_for(to, environment, place.net.rules.allows_plain)

    def proxy(heard: Callable[[CopiedRequest], None]) -> WatchProxy:
        return WatchProxy(place.net, routes, heard, time.time)

    @cache
    def knowledge() -> Knowledge:
        return _knowledge(place, routes)

    @cache
    def understanding() -> Understanding:
        """Made for the first request: its parts take longer to load than many commands run."""
        from workbench.engine.watch.understanding import Understanding

        return Understanding(knowledge())

    return WatchParts(
        routes,
        proxy,
        without_own_variables(os.environ),
        lambda exchange: understanding().take(exchange),
        lambda exchange: understanding().begin(exchange),
        lambda turn, exchange: understanding().remember(turn, exchange),
        lambda request: knowledge().lasting_card(request),
    )


def _knowledge(place: ProgramFolder, routes: Routes) -> Knowledge:
    """Returns what is known about models, for the servers that requests go to."""
    from workbench.engine.watch.understanding import Knowledge
    from workbench.providers.cache_rules import load_rules
    from workbench.providers.clients import load_clients
    from workbench.providers.prices import load_prices
    from workbench.providers.tokenizer import TiktokenTokenizer
    from workbench.sources.resources import resource_path
    from workbench.wiring.building import make_catalogue

    asked: dict[WatchedFormat, str] = {"openai": routes.bases["openai"], "responses": routes.bases["openai"]}
    asked |= {"anthropic": routes.bases["anthropic"], "ollama": routes.bases["ollama"]}
    asked["gemini"] = routes.bases["gemini"]
    encodings = resource_path("encodings")
    return Knowledge(
        make_catalogue(place),
        load_rules(resource_path("cache-rules.toml")),
        load_prices(resource_path("prices.toml")),
        cache(lambda name: TiktokenTokenizer(name, encodings)),
        {kind: rooted(address) for kind, address in asked.items()},
        load_clients(resource_path("clients.toml")),
    )


def sessions_on_disk(
    place: ProgramFolder, kind: SessionKind, folder: str, only: str = ""
) -> Iterator[ImportedSession]:
    """Imports the sessions in a folder, or one of them.

    Without a folder, from where the program usually leaves them.
    """
    from workbench.engine.watch.importing import import_sessions
    from workbench.sources.session_files import FOLDERS, session_files

    found = session_files(folder or str(Path.home() / FOLDERS[kind]), only)
    return import_sessions(kind, found, _knowledge(place, routes_for("", {}, place.net.rules.allows_plain)))


class WindowWatch:
    """Runs the watch of a window → ProgramWatch; in a loop of its own, so that painting delays no request."""

    def __init__(self, place: ProgramFolder) -> None:
        self._place = place
        self._parts: WatchParts | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: Thread | None = None
        self._proxy: WatchProxy | None = None

    async def start(self, ears: Ears, to: str = "") -> Listening:
        """Listens on the usual port, or on a free one where that is taken."""
        here = asyncio.get_running_loop()
        try:
            parts = self._parts = watch_parts(self._place, to, without_own_watch(os.environ))
        except InvalidInput as problem:
            # A window has no flags: the address is what was typed.
            raise InvalidInput(to if problem.path == "--to" else problem.path, problem.reason) from None

        def told(hear: Callable[[CopiedRequest], None]) -> Callable[[CopiedRequest], None]:
            return lambda passing: _discard(here.call_soon_threadsafe(hear, passing))

        def tell_grown(passing: Passing) -> None:
            """Notifies once until the answer was read: hundreds of pieces a second would slow the window."""
            if not passing.awaited:
                passing.awaited = True
                here.call_soon_threadsafe(ears.grew, passing)

        proxy = self._proxy = parts.proxy(told(ears.ended))
        proxy.began = lambda: _discard(here.call_soon_threadsafe(ears.began))
        proxy.asked, proxy.grew = told(ears.asked), tell_grown
        if (gate := ears.gate) is not None:
            proxy.capped = gate.is_on
            proxy.refuse = lambda passing: asyncio.wrap_future(
                asyncio.run_coroutine_threadsafe(gate.refusal(passing), here)
            )
        if (acting := ears.acting) is not None:
            proxy.changing, proxy.change, proxy.resent = acting.is_on, acting.change, acting.refused
            proxy.restorer = Restorer
        if (holding := ears.holding) is not None:
            proxy.holding = holding.is_on
            proxy.decide = lambda exchange, body, timeout_s: asyncio.wrap_future(
                asyncio.run_coroutine_threadsafe(holding.decide(exchange, body, timeout_s), here)
            )
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, name="watch", daemon=True)
        self._thread.start()
        address = await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(_start_proxy(proxy), self._loop))
        return Listening(address, tuple(parts.routes.variables(address).items()))

    def remember(self, turn: WatchedTurn, exchange: Exchange) -> None:
        if self._parts is not None:
            self._parts.remember(turn, exchange)

    def begin(self, exchange: Exchange) -> WatchedTurn | None:
        return None if self._parts is None else self._parts.begin(exchange)

    def understand(self, exchange: Exchange) -> WatchedTurn | None:
        return None if self._parts is None else self._parts.understand(exchange)

    def card(self, request: WatchedRequest) -> ModelCard:
        assert self._parts is not None
        assert self._parts.card is not None
        return self._parts.card(request)

    async def close(self) -> None:
        proxy, loop, thread = self._proxy, self._loop, self._thread
        self._proxy = self._loop = self._thread = None
        if proxy is None or loop is None or thread is None:
            return
        await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(proxy.close(LAST_WORDS_S), loop))
        loop.call_soon_threadsafe(loop.stop)
        await asyncio.to_thread(thread.join)
        loop.close()


def _discard(_handle: asyncio.Handle) -> None:
    """Discards a handle."""


def without_own_watch(environment: Mapping[str, str]) -> dict[str, str]:
    """Returns an environment without variables that point to a window's own watch: requests would loop."""
    own = f"127.0.0.1:{USUAL_PORT}"
    return {name: value for name, value in environment.items() if name not in VARIABLES or own not in value}


async def _start_proxy(proxy: WatchProxy) -> str:
    try:
        return await proxy.start(USUAL_PORT)
    except OSError:
        return await proxy.start()


def without_own_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """Returns an environment for another program, without our variables such as the passphrase."""
    return {name: value for name, value in environment.items() if not name.startswith(_OURS)}


def routes_for(
    to: str, environment: Mapping[str, str], allows_plain: Callable[[str], bool] = lambda _: False
) -> Routes:
    """Returns where requests go: to `to` if given, else where the variables point, else to the vendors."""
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
        return check_base_url(_complete_address(url) if name == "OLLAMA_HOST" else url, allows_plain)
    except InvalidInput as problem:
        raise InvalidInput(name, problem.reason) from None


def _complete_address(host: str) -> str:
    """Completes the value of OLLAMA_HOST, in which everything but the host may be missing."""
    scheme, mark, rest = host.strip().rpartition("://")
    authority, slash, path = rest.partition("/")
    name, colon, port = authority.rpartition(":")
    if not colon or "]" in port:
        name, port = authority, "" if mark else str(_OLLAMA_PORT)
    name = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "[::]": "[::1]"}.get(name, name)
    return f"{scheme or 'http'}://{name}{f':{port}' if port else ''}{slash}{path}"
