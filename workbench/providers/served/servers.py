"""Servers that count tokens (vLLM, llama.cpp): detected, queried about requests, and tracked through their answers."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Protocol

from workbench.domain.answer import ModelFailed
from workbench.domain.model import SESSION_FIELDS, ModelCard
from workbench.domain.reading.loose_json import count_in, table_in, tables_in, text_in
from workbench.domain.request import ModelRequest
from workbench.providers.harness.template_marks import CONTROL_TOKENS
from workbench.providers.served import llama, vllm
from workbench.providers.served.asking import RemoteLlamaQuestions, ServerQueries
from workbench.providers.served.ledger import RunningRequest, VllmLedger
from workbench.providers.served.meter import Body, Held, ServerMeter
from workbench.providers.served.slot import LlamaSlot, Token, are_ids
from workbench.providers.served.vllm import VllmQuestions
from workbench.providers.wire.endpoint import Endpoint

# The places of a llama.cpp server and what it keeps beside them: which one a prompt gets, and what is served there.
#
# As the server does it: a prompt goes to the free place that has most in common with it, if that is more than a tenth
# of the prompt, else to the one that was left longest ago. Where most of what stands there would be lost, it is put
# aside in memory first, and what was put aside before comes back where it has more in common with the prompt.


_ALIKE = 0.1
_WORTH_LOSING = 0.5
_WORTH_LOADING = 0.25
_MOST_ASIDE = 64
_RUN = 1


@dataclass(slots=True)
class _PoolSlot:
    slot: LlamaSlot = field(default_factory=LlamaSlot)
    left_at: int = -1


@dataclass(frozen=True, slots=True)
class _Choice:
    """The slot a prompt goes to, whether its content is saved first, and what is cached there then."""

    place: _PoolSlot
    aside: bool
    found: LlamaSlot


class LlamaPool:
    """The slots of one llama.cpp server, shared by all chats and models there."""

    def __init__(self, places: int) -> None:
        self._places = [_PoolSlot() for _ in range(max(1, places))]
        self._aside: list[LlamaSlot] = []
        self._puts_aside = True  # unless a report shows otherwise
        self._sure = True
        self._moment = 0

    @property
    def answering(self) -> bool:
        """Whether one of our own answers is being read."""
        return any(place.slot.answering for place in self._places)

    def look(self, sizes: Sequence[int] | None) -> None:
        """Update from the slot sizes the server reports; a difference means another client wrote there."""
        if sizes is None:
            self._sure = False
            return
        if not any(sizes) or len(sizes) != len(self._places):
            # It was started anew, or was never asked: where it holds nothing, everything is known from here on.
            self._places = [_PoolSlot() for _ in sizes] or self._places
            self._aside, self._sure = [], bool(sizes) and not any(sizes)
        for place, size in zip(self._places, sizes, strict=False):
            slot = place.slot
            if slot.answering or size == slot.tokens:
                continue
            if not slot.stopped:
                place.slot, self._sure = LlamaSlot(), False
            elif size < slot.tokens:
                slot.cut(size)

    def held(self, prompt: Sequence[Token]) -> Held:
        """How much of a prompt will be served from cache."""
        found = self._choice(prompt, aside=self._puts_aside).found
        return Held(max(0, min(found.common(prompt), len(prompt) - 1)), self._sure)

    def begin(self, prompt: Sequence[Token]) -> RunningPlace:
        """A prompt was sent: choose its slot and track it."""
        choice = self._choice(prompt, aside=self._puts_aside)
        place = choice.place
        most = len(prompt) - 1
        plain = min(place.slot.common(prompt), most)
        if choice.found is not place.slot:
            self._aside.remove(choice.found)
        if choice.aside:
            self._save_slot(place.slot)
        read = min(choice.found.common(prompt), most)
        place.slot = LlamaSlot()
        place.slot.begin(_RUN, prompt)
        return RunningPlace(self, place.slot, (plain, read))

    def left(self, slot: LlamaSlot) -> None:
        """The answer in a slot is no longer read."""
        slot.left()
        self._moment += 1
        for place in self._places:
            if place.slot is slot:
                place.left_at = self._moment

    def report(self, served_tokens: int, plain: int, read: int) -> None:
        """Compare the reported cache hit with the slot's content and with what was expected back from memory."""
        if read != plain and served_tokens == plain:
            self._puts_aside, self._aside = False, []
        elif served_tokens == read:
            self._sure = True

    def _choice(self, prompt: Sequence[Token], *, aside: bool) -> _Choice:
        free = [place for place in self._places if not place.slot.answering] or self._places
        best = max(free, key=lambda place: place.slot.common(prompt))
        common = best.slot.common(prompt)
        if prompt and common / len(prompt) > _ALIKE:
            place, aside = best, aside and common / best.slot.tokens < _WORTH_LOSING
        else:
            place = min(reversed(free), key=lambda place: place.left_at)
        aside = aside and place.slot.tokens > 0
        return _Choice(place, aside, self._restored(place.slot, prompt) if aside else place.slot)

    def _restored(self, here: LlamaSlot, prompt: Sequence[Token]) -> LlamaSlot:
        """The saved sequence that would replace the slot's content; the slot itself if none is better."""
        best, kept = here, here.common(prompt) / here.tokens
        for one in self._aside:
            share = one.common(prompt) / one.tokens
            better = share > kept and one.common(prompt) > best.common(prompt)
            if better and share >= _WORTH_LOADING:
                best, kept = one, share
        return best

    def _save_slot(self, slot: LlamaSlot) -> None:
        if any(slot.is_within(one) for one in self._aside):
            return
        self._aside = [one for one in self._aside if not one.is_within(slot)][-_MOST_ASIDE:]
        self._aside.append(slot)


class RunningPlace:
    """One request in progress; `slot` follows what is generated."""

    def __init__(self, pool: LlamaPool, slot: LlamaSlot, expected: tuple[int, int]) -> None:
        self._pool, self.slot, self._expected = pool, slot, expected

    def report(self, served_tokens: int) -> None:
        """Record the cache hit that the server reported."""
        self._pool.report(served_tokens, *self._expected)

    def left(self) -> None:
        """The answer is no longer read."""
        self._pool.left(self.slot)


VLLM, LLAMA_CPP = "vllm", "llamacpp"
_SETTLING_S = 1.0
_LOOK_AGAIN_S = 0.02

Facts = Mapping[str, Any]
Place = tuple[str, str]


@dataclass(slots=True)
class HeldByServers:
    """Cache contents of all servers of a run, shared by all models.

    By address; where a router keeps chats to their replicas, by address and chat.
    """

    ledgers: dict[Place, VllmLedger] = field(default_factory=dict)
    pools: dict[Place, LlamaPool] = field(default_factory=dict)


class Following(Protocol):
    """Tracks one answer, from the request until it is no longer read."""

    def begin(self) -> None:
        """Notes that the server has accepted the request."""

    def note(self, chunk: dict[str, Any]) -> None:
        """Notes a chunk of the answer."""

    def left(self) -> None:
        """Notes that the answer is complete, or no longer read."""


class CountingServer(Protocol):
    """One model at a server that counts tokens.

    Attributes:
        extras: what is sent with each request, so that its answer can be followed.
        continuing: what is sent with one that ends with the beginning of an answer, so that it is gone on with.
        meter: its counter.
    """

    extras: Mapping[str, Any]
    continuing: Mapping[str, Any]
    meter: ServerMeter

    async def follow(self, request: ModelRequest) -> Following:
        """Prepare to track an answer, right before its request is sent."""


async def detect_server(asking: ServerQueries, listing: Mapping[str, Any]) -> dict[str, Any]:
    """Facts about a server that counts; empty if it is not a known kind."""
    entries = tables_in(listing, "data")
    owners = {text_in(entry, "owned_by") for entry in entries}
    if VLLM in owners or (_has_length(entries) and text_in(await asking.get_or_empty("/version"), "version")):
        return await _vllm_facts(asking, entries)
    props = await asking.get_or_empty("/props") if LLAMA_CPP in owners or not _known_elsewhere(owners) else {}
    slots = count_in(props, "total_slots")
    known = slots is not None and 0 < slots <= llama.MOST_SLOTS and text_in(props, "chat_template")
    return _llama_facts(props, entries) | {"continues": await _llama_continues(asking)} if known else {}


def with_server_count(card: ModelCard, facts: Facts, endpoint: Endpoint) -> ModelCard:
    """The model card with counting by its server; unchanged if the server does not count."""
    kind = text_in(facts, "kind")
    if kind not in (VLLM, LLAMA_CPP):
        return card
    window = count_in(facts, "window")
    return replace(
        card,
        exact=True,
        cache_rules=kind,
        tokenizer=f"server:{kind}-{text_in(facts, 'identity')}",
        tools=card.tools and facts.get("tools") is not False,
        context_window_tokens=window or card.context_window_tokens,
        window_assumed=card.window_assumed and not window,
        counted_at_send=not endpoint.local,
        prefill=facts.get("continues") is True,
    )


def counting_server(
    facts: Facts, endpoint: Endpoint, asking: ServerQueries, body: Body, held: HeldByServers
) -> CountingServer | None:
    """The tracker of such a server; None if it does not count."""
    name = f"server:{text_in(facts, 'kind')}-{text_in(facts, 'identity')}"
    match text_in(facts, "kind"):
        case "vllm":
            salt = endpoint.model if endpoint.model in facts.get("adapters", ()) else ""
            books = _TrackedModel(asking, held, name, body)
            return VllmServer(VllmQuestions(asking, endpoint.model), books, salt)
        case "llamacpp":
            return LlamaCppServer(_TrackedModel(asking, held, name, body), count_in(facts, "places") or 1)
        case _:
            return None


@dataclass(frozen=True, slots=True)
class _TrackedModel:
    """What is needed to track the requests of one model.

    Attributes:
        name: of its counts. body: what is sent for a request.
    """

    asking: ServerQueries
    held: HeldByServers
    name: str
    body: Body

    @property
    def can_look(self) -> bool:
        """Whether a query reaches the replica that answers the chat."""
        return self.asking.endpoint.session not in SESSION_FIELDS

    def place(self, request: ModelRequest) -> Place:
        """Where the request goes: the server, or the replica of its chat."""
        endpoint = self.asking.endpoint
        return endpoint.base_url, request.conversation if endpoint.session else ""


class VllmServer:
    """One model at a vLLM server → CountingServer."""

    extras: Mapping[str, Any] = vllm.FOLLOWED
    continuing: Mapping[str, Any] = vllm.CONTINUING

    def __init__(self, questions: VllmQuestions, books: _TrackedModel, salt: str) -> None:
        self._questions, self._books, self._salt = questions, books, salt
        self.meter = ServerMeter(questions, self._held, books.name, books.body)
        self.meter.control_tokens = CONTROL_TOKENS

    async def follow(self, request: ModelRequest) -> Following:
        """Track an answer: it carries all tokens, so only what others did before it is looked up."""
        ledger = self._ledger(request)
        with suppress(ModelFailed):
            await self._look(ledger, request)
        return _VllmAnswer(ledger, self._salt)

    async def _held(self, request: ModelRequest, tokens: Sequence[Token]) -> Held:
        ids, ledger = [token.id for token in tokens], self._ledger(request)
        try:
            await self._look(ledger, request)
        except ModelFailed:
            return replace(ledger.held(ids, self._salt), sure=False)
        return ledger.held(ids, self._salt)

    async def _look(self, ledger: VllmLedger, request: ModelRequest) -> None:
        can_look = self._books.can_look
        ledger.look(await self._questions.figures(request.conversation) if can_look else None)

    def _ledger(self, request: ModelRequest) -> VllmLedger:
        return self._books.held.ledgers.setdefault(self._books.place(request), VllmLedger())


class _VllmAnswer:
    """Tracks one answer of a vLLM server → Following."""

    def __init__(self, ledger: VllmLedger, salt: str) -> None:
        self._ledger, self._salt = ledger, salt
        self._running: RunningRequest | None = None
        self._ended = self._awaited = False

    def begin(self) -> None:
        """Notes that the request is under way; its tokens come with the first chunk."""
        self._await(yet=True)

    def note(self, chunk: dict[str, Any]) -> None:
        """Records its tokens, and at the end the reported cache hit."""
        prompt = chunk.get("prompt_token_ids")
        if self._running is None and isinstance(prompt, list) and prompt and are_ids(prompt):
            self._running = self._ledger.begin(prompt, self._salt)
            self._await(yet=False)
        if self._running is None:
            return
        for choice in tables_in(chunk, "choices"):
            ids = choice.get("token_ids")
            self._running.generated.extend(ids if isinstance(ids, list) and are_ids(ids) else ())
            self._ended |= bool(choice.get("finish_reason"))
        details = table_in(table_in(chunk, "usage"), "prompt_tokens_details")
        served = count_in(details, "cached_tokens")
        if served is not None:
            self._running.reported_tokens = served

    def left(self) -> None:
        """Ends tracking; its blocks stay cached until they are needed for others."""
        self._await(yet=False)
        if self._running is not None:
            self._running.end(stopped=not self._ended)
            self._running = None

    def _await(self, *, yet: bool) -> None:
        self._ledger.awaited += yet - self._awaited
        self._awaited = yet


class LlamaCppServer:
    """The model of a llama.cpp server → CountingServer."""

    extras: Mapping[str, Any] = llama.FOLLOWED
    continuing: Mapping[str, Any] = MappingProxyType({})

    def __init__(self, books: _TrackedModel, places: int) -> None:
        self._books, self._places = books, places
        self.meter = ServerMeter(RemoteLlamaQuestions(books.asking), self._held, books.name, books.body)
        self.meter.control_tokens = CONTROL_TOKENS
        self.meter.read = self._read

    async def follow(self, request: ModelRequest) -> Following:
        """Track an answer; if its tokens are unavailable, the server's cache is unknown afterwards."""
        try:
            _, tokens = await self.meter.prompt(request)
            await self._look(request)
        except ModelFailed:
            tokens = ()
        return _LlamaAnswer(self._pool(request), tokens)

    async def _held(self, request: ModelRequest, tokens: Sequence[Token]) -> Held:
        await self._look(request)
        return self._pool(request).held(tokens)

    def _read(self, request: ModelRequest, tokens: Sequence[Token]) -> None:
        """A prompt was scored with its answer: a slot now holds both."""
        running = self._pool(request).begin(tokens)
        running.slot.ended(0)
        running.left()

    def _pool(self, request: ModelRequest) -> LlamaPool:
        return self._books.held.pools.setdefault(self._books.place(request), LlamaPool(self._places))

    async def _look(self, request: ModelRequest) -> None:
        """Query what the server holds; after a stop it may need a moment to notice."""
        pool = self._pool(request)
        if not self._books.can_look:
            pool.look(None)
            return
        questions = RemoteLlamaQuestions(self._books.asking, request.conversation)
        end = asyncio.get_running_loop().time() + _SETTLING_S
        while True:
            try:
                places = await questions.places()
            except ModelFailed:  # a server may be started without that question
                pool.look(None)
                return
            busy = any(working for _, working in places)
            if not busy or pool.answering or asyncio.get_running_loop().time() > end:
                pool.look([tokens for tokens, _ in places])
                return
            await asyncio.sleep(_LOOK_AGAIN_S)


class _LlamaAnswer:
    """Tracks one answer of a llama.cpp server → Following."""

    def __init__(self, pool: LlamaPool, prompt: Sequence[Token]) -> None:
        self._pool, self._prompt = pool, prompt
        self._running: RunningPlace | None = None

    def begin(self) -> None:
        """Starts tracking: from here on a slot holds the prompt."""
        self._running = self._pool.begin(self._prompt)

    def note(self, chunk: dict[str, Any]) -> None:
        """Records what was written, and at the end the reported cache hit."""
        if self._running is None:
            return
        llama.follow(chunk, self._running.slot, len(self._prompt))
        details = table_in(table_in(chunk, "usage"), "prompt_tokens_details")
        served = count_in(details, "cached_tokens")
        if served is not None:
            self._running.report(served)

    def left(self) -> None:
        """Ends tracking; the slot keeps its content."""
        if self._running is not None:
            self._running.left()


def _has_length(entries: Sequence[Mapping[str, Any]]) -> bool:
    return any(count_in(entry, "max_model_len") for entry in entries)


def _known_elsewhere(owners: set[str]) -> bool:
    """Whether the listing names a provider or a gateway, which is not queried further."""
    return bool(owners - {"", LLAMA_CPP, "user", "local", "me"})


async def _vllm_facts(asking: ServerQueries, entries: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    first = next((entry for entry in entries if not text_in(entry, "parent")), None)
    if first is None:
        return {}
    name = text_in(first, "id")
    facts: dict[str, Any] = {
        "kind": VLLM,
        "identity": _identity(text_in(first, "root") or name, name),
        "adapters": [text_in(entry, "id") for entry in entries if text_in(entry, "parent")],
        "continues": True,
    }
    try:
        return facts | {"tools": await VllmQuestions(asking, name).shows_tools()}
    except Exception:  # noqa: BLE001  (a gateway that passes the list on, but not this question)
        return {}


def _llama_facts(props: Mapping[str, Any], entries: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    about = table_in(entries[0], "meta") if entries else {}
    caps = table_in(props, "chat_template_caps")
    settings = table_in(props, "default_generation_settings")
    return {
        "kind": LLAMA_CPP,
        "identity": _identity(text_in(props, "model_path"), text_in(props, "chat_template"), dict(about)),
        "places": count_in(props, "total_slots"),
        "window": count_in(settings, "n_ctx"),
        "tools": bool(caps.get("supports_tools", True)),
    }


async def _llama_continues(asking: ServerQueries) -> bool:
    """Whether the server goes on with a begun answer: it refuses one where its template makes the model think."""
    try:
        return await RemoteLlamaQuestions(asking).continues()
    except ModelFailed:
        return False


def _identity(*about: object) -> str:
    """Key of its counts: another model or template behind the same address gets another one."""
    return hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()[:24]
