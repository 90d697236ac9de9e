"""Opens models by name: on this computer, at a provider, at any server, or scripted in a file."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, Protocol, assert_never, runtime_checkable

from workbench.domain.answer import AnswerPart, Failure, ModelFailed
from workbench.domain.errors import InvalidInput, WorkbenchError
from workbench.domain.model import Api, ModelCard, ModelListing, ServerLook, with_declared
from workbench.domain.provider import BY_NAME, HOSTED, PROVIDERS, provider_of
from workbench.domain.reading.loose_json import tables_in
from workbench.domain.request import ModelRequest, WireBody
from workbench.domain.secrets import Secret
from workbench.domain.translation import tr
from workbench.net.connections import Connections
from workbench.net.rules import target_of
from workbench.ports.embedding import Embedder
from workbench.ports.keys import ProviderKeys
from workbench.ports.models import ChatModel, ModelCatalogue, PromptMeter
from workbench.providers.harness.harness import Learnt
from workbench.providers.served.embedding import ServedEmbeddings
from workbench.providers.served.servers import HeldByServers
from workbench.providers.wire.endpoint import Endpoint, endpoint_of, is_near, origin

# The adapter of each interface; which one a provider has is in its line in `domain/provider.py`.


@runtime_checkable
class ListsModels(Protocol):
    """An adapter whose server can list its models."""

    async def served_now(self) -> dict[str, Any]:
        """The server's own listing of its models; raises `ModelFailed` if it gives none."""


def model_at(endpoint: Endpoint, learnt: Learnt, held: HeldByServers, api: Api = "chat") -> ChatModel:
    """The adapter for an endpoint; a vendor's library is imported when it is first needed."""
    match BY_NAME[endpoint.provider].interface:
        # Of OpenAI's two interfaces the catalogue says which; other servers speak the older one.
        case "openai" if api == "responses" and endpoint.provider == "openai":
            from workbench.providers.openai.responses import ResponsesModel

            return ResponsesModel(endpoint, learnt=learnt, held=held)
        case "openai":
            from workbench.providers.openai.model import OpenAiModel

            return OpenAiModel(endpoint, learnt=learnt, held=held)
        case "anthropic":
            from workbench.providers.anthropic.model import AnthropicModel

            return AnthropicModel(endpoint, learnt=learnt)
        case "gemini":
            from workbench.providers.gemini.model import GeminiModel

            return GeminiModel(endpoint, learnt=learnt)
        case "ollama":
            from workbench.providers.ollama.model import OllamaModel

            return OllamaModel(endpoint, learnt=learnt)
        case "completion":
            from workbench.providers.openai.completion import CompletionModel

            return CompletionModel(endpoint, learnt=learnt)
        case "local" | "scripted":
            raise ValueError(f"{endpoint.provider} has no server")
        case unknown:
            assert_never(unknown)


# A model whose key is looked up when it is asked, so that a key that was changed or revoked is not used again.


_NOT_LOOKED_UP = Secret.of_text("not looked up yet")

FindKey = Callable[[], Awaitable[Secret | None]]


class KeyedModel:
    """Wraps an adapter and gives it the current key → ChatModel.

    `without` is the message where a server that requires a key has none, which is then not contacted; empty where a
    server may do without.
    """

    def __init__(
        self, find_key: FindKey, make: Callable[[Secret | None], ChatModel], without: str = ""
    ) -> None:
        self._find_key, self._make, self._without = find_key, make, without
        self._made: tuple[Secret | None, ChatModel] | None = None

    async def card(self, known: ModelCard) -> ModelCard:
        """The card refined by the model's server; what a person declared stays."""
        model = await self._model_if_keyed()
        return known if model is None else with_declared(await model.card(known), known)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[AnswerPart, None]:
        """Send a request, and yield the answer as it arrives."""
        model = await self._model()
        async with aclosing(model.stream(request)) as parts:
            async for part in parts:
                yield part

    def wire(self, request: ModelRequest) -> WireBody:
        """What its adapter would send; the key is not looked up, a placeholder shows where one is needed."""
        if self._made is not None:
            return self._made[1].wire(request)
        return self._make(_NOT_LOOKED_UP if self._without else None).wire(request)

    async def meter(self) -> PromptMeter | None:
        """The adapter's own counter."""
        model = await self._model_if_keyed()
        return None if model is None else await model.meter()

    async def ready(self, progress: Callable[[str, float | None], None]) -> None:
        """Start what must run before it can be asked."""
        await (await self._model()).ready(progress)

    async def close(self) -> None:
        """Close its connections."""
        made, self._made = self._made, None
        if made is not None:
            await made[1].close()

    async def _model(self) -> ChatModel:
        model = await self._model_if_keyed()
        if model is None:
            raise ModelFailed(Failure("auth", self._without, keyless=True))
        return model

    async def _model_if_keyed(self) -> ChatModel | None:
        """The adapter with its key; None if it needs one that is missing."""
        key = await self._find_key()
        if key is None and self._without:
            await self.close()
            return None
        if self._made is None or self._made[0] != key:
            await self.close()
            self._made = (key, self._make(key))
        return self._made[1]


# Whether a server of models answers: asked once, for its list of models, and waited for briefly.


WAIT_S = 2.0
# It answered, and has no such list.
_WITHOUT_A_LIST = ("request", "too_big")
_LISTS = ("data", "models")


async def look_at(name: str, endpoint: Endpoint, wait_s: float = WAIT_S) -> ServerLook:
    """Query the server of an endpoint for its models; nothing of the answer is kept."""
    model = model_at(endpoint, {}, HeldByServers())
    try:
        return await _ask_server(name, endpoint.host, model, wait_s)
    except ModelFailed as problem:
        if problem.failure.kind in _WITHOUT_A_LIST:
            return ServerLook(name, True, tr("{host} answers", host=endpoint.host))
        return ServerLook(
            name, False, tr("{host} cannot be used", host=endpoint.host), problem.failure.message
        )
    except TimeoutError:
        advice = tr(
            "Nothing came within {wait_s:g} s. Start the server, or correct its address in settings.toml.",
            wait_s=wait_s,
        )
        return ServerLook(name, False, tr("{host} does not answer", host=endpoint.host), advice)
    finally:
        await model.close()


async def _ask_server(name: str, host: str, model: ChatModel, wait_s: float) -> ServerLook:
    if not isinstance(model, ListsModels):
        return ServerLook(name, True, tr("{host} has no list of models", host=host), asked=False)
    await model.ready(lambda what, fraction: None)  # loading the library is not the server's time
    async with asyncio.timeout(wait_s):
        said = await model.served_now()
    models = next((found for one in _LISTS if (found := tables_in(said, one))), ())
    return ServerLook(
        name, True, f"{host} answers ({len(models):,} {'model' if len(models) == 1 else 'models'})"
    )


_LOCKED = tr(
    "whether there is a key is not known: the store is locked (WORKBENCH_PASSPHRASE or --key-file opens it)"
)
_NOT_ASKED = tr("not asked: nothing is sent before settings.toml is corrected")
FORMS = " or ".join((", ".join(one.example for one in PROVIDERS[:-1]), PROVIDERS[-1].example))
_EMBEDS = ("ollama", "server")
_EMBEDDERS = "name a server of your own: ollama:NAME or server:URL#NAME"
_KEYED = {one.name: origin(one.url) for one in HOSTED}


@dataclass(slots=True)
class NamedModels:
    """Opens models by name, each once → Models.

    Attributes:
        make_builtin: makes the built-in model ("builtin"), or that of a GGUF file ("gguf:PATH").
        builtin_advice: what to do where the built-in model is missing; builtin_damage: where it is damaged, which takes
            reading all of it.
        servers: the user's names for addresses of servers.
        addresses: gateways used in place of providers' own addresses, by provider.
        sessions: how the router of a server is told which chat asks, by the server's name, or `openai` for the server
            at
            OpenAI's address.
        learnt: what servers said about their models, for when they are silent.
        held: what the caches of counting servers hold, during this run.
        may_send: raises `InvalidInput` while nothing may be sent; then no model is opened and no server asked.
        net: opens the connections of all of them.
    """

    catalogue: ModelCatalogue
    keys: ProviderKeys
    make_builtin: Callable[[str], ChatModel]
    builtin_advice: Callable[[], str]
    servers: Mapping[str, str] = field(default_factory=dict)
    addresses: Mapping[str, str] = field(default_factory=dict)
    sessions: Mapping[str, str] = field(default_factory=dict)
    learnt: Learnt = field(default_factory=dict)
    held: HeldByServers = field(default_factory=HeldByServers)
    may_send: Callable[[], None] = lambda: None
    builtin_damage: Callable[[], str] = lambda: ""
    net: Connections = field(default_factory=Connections)
    _opened: dict[str, ChatModel] = field(default_factory=dict)
    _left: list[ChatModel] = field(default_factory=list)

    def open(self, name: str) -> ChatModel:
        """The model of that name; nothing is started or sent yet."""
        self.may_send()
        if name not in self._opened:
            self._opened[name] = self._make(name)
        return self._opened[name]

    async def embedder(self, name: str) -> Embedder:
        """The model of that name at a server of one's own, for vectors of texts.

        Not at a vendor's: a question is looked up while it is typed, and nothing is to go there before it is sent.
        """
        self.may_send()
        full = self._full_name(name)
        provider = provider_of(full)
        if provider is None or provider.name not in _EMBEDS:
            raise InvalidInput(
                "embeddings", tr("{name} gives none here; {embedders}", name=name, embedders=_EMBEDDERS)
            )
        addresses = dict(self.addresses)
        place = origin(self._endpoint(full, None, addresses).base_url)
        return ServedEmbeddings(self._endpoint(full, await self._key_at(place), addresses), name)

    async def available(self) -> tuple[ModelListing, ...]:
        """The built-in model, the models at Ollama and at the user's servers, and providers, with what each lacks."""
        advice = self.builtin_advice()
        builtin = ModelListing("builtin", self.catalogue.find("builtin"), not advice, advice)
        try:
            self.may_send()
        except InvalidInput:
            return (builtin, *self._offline_listings())
        known = await self._known_origins()
        servers = (self._at_server(name, url, known) for name, url in self.servers.items())
        providers = (self._at_provider(provider, known) for provider in _KEYED)
        found = await asyncio.gather(self._ollama(), *servers, *providers)
        return (builtin, *(replace(one, via=self._proxy_of(one.name)) for one in chain.from_iterable(found)))

    async def look(self, *, hosted: bool) -> tuple[ServerLook, ...]:
        """Check the built-in model and nearby servers; others are queried only if `hosted`."""
        missing = self.builtin_advice()
        advice = missing or await asyncio.to_thread(self.builtin_damage)
        state = tr("missing") if missing else tr("damaged") if advice else tr("there")
        builtin = ServerLook("builtin", not advice, tr("the built-in model is {state}", state=state), advice)
        try:
            self.may_send()
        except InvalidInput:
            return (builtin, *(ServerLook(one, False, tr("not asked"), _NOT_ASKED) for one in self.servers))
        known = await self._known_origins()
        places = {"ollama": "ollama:any"} | {name: f"{name}:any" for name in _KEYED}
        places |= {name: f"server:{url}#any" for name, url in self.servers.items()}
        looks = (self._look_at(name, spelt, known, hosted=hosted) for name, spelt in places.items())
        return (builtin, *await asyncio.gather(*looks))

    async def _look_at(
        self, name: str, spelt: str, known: tuple[str, ...] | None, *, hosted: bool
    ) -> ServerLook:
        try:
            endpoint = self._endpoint(spelt, None, self.addresses)
        except InvalidInput as problem:
            return ServerLook(name, False, tr("its address cannot be used"), str(problem), asked=False)
        place = origin(endpoint.base_url)
        advice = _key_advice(place, known) if place in _KEYED.values() else ""
        if advice:
            return ServerLook(name, False, endpoint.host, advice, asked=False, keyless=True)
        if not hosted and not is_near(endpoint.base_url):
            return ServerLook(
                name, True, tr("{host} is not asked; --ask asks it", host=endpoint.host), asked=False
            )
        return await look_at(name, replace(endpoint, key=await self._key_at(place)))

    def _offline_listings(self) -> Iterator[ModelListing]:
        """Servers and providers by name, while offline."""
        for name in (*self.servers, *_KEYED):
            yield ModelListing(f"{name}:NAME", None, False, _NOT_ASKED, server=name in self.servers)

    def origin_of(self, name: str) -> str | None:
        """Origin of the key that the model needs; None if it is local. `InvalidInput` if the name is invalid."""
        self.open(name)
        spelt = self._full_name(name)
        provider = provider_of(spelt)
        if provider is None or provider.interface in ("local", "scripted"):
            return None
        return origin(self._endpoint(spelt, None, self.addresses).base_url)

    def serve(
        self, servers: Mapping[str, str], addresses: Mapping[str, str], sessions: Mapping[str, str]
    ) -> None:
        """Change the addresses behind names; answers that are arriving from an old one continue."""
        changed = _changed(self.servers, servers) | _changed(self.addresses, addresses)
        if sessions != self.sessions:
            changed |= {
                *servers,
                *addresses,
                "server",
                "completion",
            }  # an address in full may be a server's, too
        moved = [
            name
            for name in self._opened
            # A known model's bare name stands for one at its provider.
            if {name.partition(":")[0], self._full_name(name).partition(":")[0]} & changed
        ]
        self.servers, self.addresses, self.sessions = servers, addresses, sessions
        for name in moved:
            self._left.append(self._opened.pop(name))

    async def close(self) -> None:
        """Close all models, even if one fails to close."""
        opened, self._opened, self._left = [*self._opened.values(), *self._left], {}, []
        for model in opened:
            with suppress(Exception):
                await model.close()

    def _make(self, name: str) -> ChatModel:
        prefix, colon, rest = self._full_name(name).partition(":")
        if (prefix, colon) == ("builtin", ""):
            return self.make_builtin(name)
        if not colon or not rest:
            raise InvalidInput(
                "model", tr("{name!r} is not a model's name; expected {forms}", name=name, forms=FORMS)
            )
        provider = BY_NAME.get(prefix)
        if provider is None or not provider.form:
            raise InvalidInput(
                "model", tr("{name!r} names no known provider; expected {forms}", name=name, forms=FORMS)
            )
        if provider.interface == "local":
            return self.make_builtin(name)
        if provider.interface == "scripted":
            from workbench.providers.scripted import ScriptedModel

            return ScriptedModel(Path(rest))
        return self._at_endpoint(f"{prefix}:{rest}")

    def _full_name(self, name: str) -> str:
        """The name with its provider: the catalogue's, or the address behind a server's name."""
        prefix, colon, rest = name.partition(":")
        if colon and prefix in self.servers:
            return f"server:{self.servers[prefix]}#{rest}"
        if not colon and name != "builtin":
            provider = self.catalogue.find(name).provider
            return f"{provider}:{name}" if provider in _KEYED else name
        return name

    def _at_endpoint(self, name: str) -> ChatModel:
        # Checked before any key is looked for: a wrong address is said at once. And kept as it is now: whatever is set
        # later, the key of this place goes to this place.
        addresses = dict(self.addresses)
        place = self._endpoint(name, None, addresses)
        session, api = self._session_at(place.base_url), self.catalogue.find(name).api

        def make(key: Secret | None) -> ChatModel:
            endpoint = replace(self._endpoint(name, key, addresses), session=session)
            return model_at(endpoint, self.learnt, self.held, api)

        whose = origin(place.base_url)
        return KeyedModel(lambda: self.keys.find(whose), make, _missing_key_words(whose))

    def _session_at(self, base_url: str) -> str:
        """Header by which the router at an address recognises a chat; empty if it has none."""
        places = {name: f"server:{url}#any" for name, url in self.servers.items()} | {"openai": "openai:any"}
        for name, way in self.sessions.items():
            with suppress(InvalidInput):  # an address that cannot be used
                if name in places and self._endpoint(places[name], None, self.addresses).base_url == base_url:
                    return way
        return ""

    async def _ollama(self) -> tuple[ModelListing, ...]:
        from workbench.providers.ollama.model import OllamaModel

        model = OllamaModel(self._endpoint("ollama:any", None, {}))
        try:
            names = [f"ollama:{name}" for name in await model.served()]
        finally:
            await model.close()
        return tuple(await asyncio.gather(*map(self._at_ollama, names)))

    async def _at_ollama(self, name: str) -> ModelListing:
        """A model at Ollama, with the window it would be used with."""
        known = self.catalogue.find(name)
        model = model_at(self._endpoint(name, None, {}), self.learnt, self.held)
        try:
            return ModelListing(name, with_declared(await model.card(known), known), True)
        finally:
            await model.close()

    def _proxy_of(self, name: str) -> str:
        """The proxy that a model is reached through; empty if there is none."""
        try:
            target = target_of(self._endpoint(self._full_name(name), None, self.addresses).base_url)
            proxy = self.net.rules.proxy_for(target)
        except WorkbenchError:
            return ""
        return target_of(proxy).shown if proxy else ""

    async def _known_origins(self) -> tuple[str, ...] | None:
        """Origins with stored keys; None if that cannot be read."""
        try:
            return await self.keys.origins()
        except WorkbenchError:
            return None

    async def _at_provider(self, provider: str, known: tuple[str, ...] | None) -> tuple[ModelListing, ...]:
        """What the catalogue has of a provider, once there is a key, and a line for all other models of it.

        Of a gateway in its place, what that has now.
        """
        if provider in self.addresses:
            return await self._list_models_at(provider, f"{provider}:any", known)
        advice = _key_advice(_KEYED[provider], known)
        others = ModelListing(f"{provider}:NAME", None, not advice, advice)
        names = () if advice else self.catalogue.names_of(provider)
        listed = (f"{provider}:{name}" for name in names)
        return (*(ModelListing(name, self.catalogue.find(name), True) for name in listed), others)

    async def _at_server(
        self, name: str, url: str, known: tuple[str, ...] | None
    ) -> tuple[ModelListing, ...]:
        """The models of a user's server as it lists them now; a single line if it lists none."""
        advice = self._server_advice(url, known)
        if advice:
            return (ModelListing(f"{name}:NAME", None, False, advice, server=True),)
        return await self._list_models_at(name, f"server:{url}#any", known)

    async def _list_models_at(
        self, name: str, spelt: str, known: tuple[str, ...] | None
    ) -> tuple[ModelListing, ...]:
        """All models at a user-given address, as it lists them now."""
        from workbench.providers.openai.model import card_at, names_in, refined

        try:
            place = origin(self._endpoint(spelt, None, self.addresses).base_url)
        except InvalidInput as problem:
            return (ModelListing(f"{name}:NAME", None, False, str(problem), server=True),)
        endpoint = self._endpoint(spelt, await self._key_at(place), self.addresses)
        model = model_at(endpoint, self.learnt, self.held)
        if not isinstance(model, ListsModels):
            return (ModelListing(f"{name}:NAME", None, True, server=True),)
        try:
            said = await model.served_now()
        except ModelFailed as problem:
            return (_unlisted(f"{name}:NAME", problem, locked=known is None),)
        finally:
            await model.close()
        cards = {one: self.catalogue.find(f"{name}:{one}") for one in names_in(said)}
        found = (
            ModelListing(
                f"{name}:{one}",
                with_declared(card_at(endpoint, refined(card, said, one), said), card),
                True,
                server=True,
            )
            for one, card in cards.items()
        )
        return tuple(found) or (ModelListing(f"{name}:NAME", None, True, server=True),)

    def _server_advice(self, url: str, known: tuple[str, ...] | None) -> str:
        """What is wrong with a server's address or missing for it; most servers need no key."""
        try:
            place = origin(self._endpoint(f"server:{url}#any", None, {}).base_url)
        except InvalidInput as problem:
            return str(problem)
        return _key_advice(place, known) if place in _KEYED.values() else ""

    def _endpoint(self, name: str, key: Secret | None, addresses: Mapping[str, str]) -> Endpoint:
        """The endpoint of the model of that name."""
        return endpoint_of(name, lambda _: key, addresses.get(name.partition(":")[0], ""), self.net)

    async def _key_at(self, place: str) -> Secret | None:
        try:
            return await self.keys.find(place)
        except WorkbenchError:
            return None


def _unlisted(name: str, problem: ModelFailed, *, locked: bool) -> ModelListing:
    """The line of a server that did not say what it has.

    One without such a list can be asked all the same; one that is not there, or refuses the key, cannot.
    """
    failure = problem.failure
    if failure.kind in _WITHOUT_A_LIST:
        return ModelListing(name, None, True, server=True)
    unknown = locked and failure.kind == "auth"
    advice = tr("it asks for a key, and {locked}", locked=_LOCKED) if unknown else failure.message
    return ModelListing(name, None, False, advice, server=True)


def _key_advice(place: str, known: tuple[str, ...] | None) -> str:
    """What is missing at a place that needs a key."""
    if known is None:
        return _LOCKED
    return (
        ""
        if place in known
        else tr("needs a key: `workbench keys provider {provider_at}`", provider_at=_provider_at(place))
    )


def _missing_key_words(place: str) -> str:
    """The message shown instead of asking a provider without its key."""
    if place not in _KEYED.values():
        return ""
    host = place.removeprefix("https://").removesuffix(":443")
    return tr("{host} needs a key, and none is kept for it yet. Nothing was sent.", host=host)


def _provider_at(place: str) -> str:
    return next(provider for provider, known in _KEYED.items() if known == place)


def _changed(before: Mapping[str, str], now: Mapping[str, str]) -> set[str]:
    return {name for name in {*before, *now} if before.get(name) != now.get(name)}
