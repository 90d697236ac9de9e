"""What is known about one model: its window, how it counts, and which cache rules apply."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

from workbench.domain.parameters import TAKES_ALL, ParameterRules
from workbench.domain.reading.constraints import Count, Positive
from workbench.domain.text import digest_text
from workbench.domain.translation import tr

Api = Literal["chat", "responses"]
WindowFrom = Literal["", "modelfile", "default"]


CacheLifetime = Literal["5m", "1h"]
HOUR_RULES = {"anthropic": "anthropic-1h"}
"""The rules of caches that hold something for an hour instead of five minutes, for a higher price, where one asks."""


@dataclass(frozen=True, slots=True)
class PictureRule:
    """How a provider counts a picture by its size; the formulas are in `context/count/counting.py`.

    Attributes:
        base_tokens, tile_tokens: of `tiles`: for the picture, and for each tile of it.
        multiplier_percent, most_patches: of `patches`: what a patch costs, and how many there are at most.
        pixels_per_token, longest_edge, most_tokens: of `pixels`; an edge or tokens of 0 have no limit.
    """

    rule: Literal["tiles", "patches", "pixels"]
    base_tokens: Count = 0
    tile_tokens: Count = 0
    multiplier_percent: Count = 100
    most_patches: Count = 0
    pixels_per_token: Positive = 750
    longest_edge: Count = 0
    most_tokens: Count = 0


@dataclass(frozen=True, slots=True)
class ModelCard:
    """One line of the model catalogue.

    Attributes:
        provider: who serves the model; a prefix in the asked name ("ollama:…") wins over the catalogue.
        tokenizer: name of the encoding that counts its text.
        exact: whether encoding and framing are the model's own; otherwise its counts are estimates.
        message_tokens: framing of every message, without the tokens of its role's name.
        reply_tokens: what opens the answer, once a request.
        cache_rules: id of the provider's prompt-cache rules; None: no forecast is possible.
        cache_seen: whether its server has reported reading from a cache whose rules are not known.
        as_of: the ISO date on which these figures were true.
        tools: whether it can be told of tools.
        prefill: whether a request may end with the beginning of the answer, which it then goes on with.
        images: whether it can be shown pictures.
        pictures: how its pictures are counted; None where that is not published, and they are estimated.
        window_assumed: whether its window is a cautious guess, because neither the catalogue nor a server knows it.
        window_from: whether its window is what its Modelfile says, or a default; empty where it is the model's own.
        largest_window_tokens: what the model could take, where its window is a default; None where unknown.
        counted_at_send: whether its server counts exactly, but on another computer: what is being written is not shown
            to it before it is sent.
        control_tokens: texts in content that its template would take for control tokens.
        api: at which of its provider's interfaces it answers, where that has several.
        parameters: which of the parameters of an answer it takes.
        declared: the fields that the user has set, which no server's report changes.
    """

    name: str
    provider: str
    context_window_tokens: int
    max_output_tokens: int | None
    tokenizer: str
    exact: bool
    message_tokens: int
    reply_tokens: int
    cache_rules: str | None
    as_of: str
    tools: bool = True
    prefill: bool = False
    images: bool = True
    control_tokens: tuple[str, ...] = ()
    pictures: PictureRule | None = None
    window_assumed: bool = False
    window_from: WindowFrom = ""
    largest_window_tokens: int | None = None
    counted_at_send: bool = False
    declared: tuple[str, ...] = ()
    parameters: ParameterRules = TAKES_ALL
    api: Api = "chat"
    cache_seen: bool = False

    @property
    def has_cache(self) -> bool:
        """Whether the model has a known cache, so that a stable prefix pays."""
        return bool(self.cache_rules) or self.cache_seen

    def lasting(self, lifetime: CacheLifetime | None) -> ModelCard:
        """The card with that cache lifetime; unchanged where the provider offers no choice."""
        return self if lifetime is None else _lasting(self, lifetime)

    def refusal(self, parameter: str) -> str:
        """Why the model accepts no value of a parameter; empty where it does."""
        return self.parameters.refusal(parameter)


def not_continued_words(card: ModelCard) -> str:
    """That a model does not go on with the beginning of an answer, in words."""
    return tr("{name} doesn’t continue a begun answer", name=card.name)


def beginning_for(card: ModelCard, text: str) -> str:
    """The beginning of an answer as a model takes it; empty where it goes on with none."""
    if not card.prefill or not text.strip():
        return ""
    return text.rstrip() if card.provider == "anthropic" else text  # there, blanks at its end are refused


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """The user's declarations about a model, where neither catalogue nor server knows; None: nothing declared.

    `count_while_typing` allows its server, on whatever computer, to be asked about what is still being written;
    `cache_lifetime` is how long its provider is to hold what it has read, where that can be chosen.
    """

    context_window: Positive | None = None
    images: bool | None = None
    tools: bool | None = None
    count_while_typing: bool | None = None
    cache_lifetime: CacheLifetime | None = None

    def on(self, card: ModelCard) -> ModelCard:
        """The card with these facts applied."""
        typing = self.count_while_typing
        said = {
            "context_window_tokens": self.context_window,
            "images": self.images,
            "tools": self.tools,
            "counted_at_send": None if typing is None else not typing,
            "cache_rules": HOUR_RULES.get(card.cache_rules or "") if self.cache_lifetime == "1h" else None,
        }
        found: dict[str, Any] = {name: value for name, value in said.items() if value is not None}
        if not found:
            return card
        assumed = card.window_assumed and self.context_window is None
        return replace(card, **found, window_assumed=assumed, declared=tuple(found))


@lru_cache(maxsize=32)
def with_cache_seen(card: ModelCard) -> ModelCard:
    """The card of a model whose server has reported cache reads."""
    return replace(card, cache_seen=True)


@lru_cache(maxsize=32)  # the same card at every key, so that what was built with it is known again
def _lasting(card: ModelCard, lifetime: CacheLifetime) -> ModelCard:
    rules = HOUR_RULES if lifetime == "1h" else {hour: short for short, hour in HOUR_RULES.items()}
    chosen = rules.get(card.cache_rules or "")
    if chosen is None:
        return card
    declared = (*(name for name in card.declared if name != "cache_rules"), "cache_rules")
    return replace(card, cache_rules=chosen, declared=declared)


def with_declared(card: ModelCard, known: ModelCard) -> ModelCard:
    """A card refined by a server, with the user's declarations from the previous one."""
    if not known.declared:
        return card
    said: dict[str, Any] = {name: getattr(known, name) for name in known.declared}
    if "context_window_tokens" in said:
        said |= {"window_assumed": False, "window_from": ""}
    return replace(card, **said, declared=known.declared)


# A model as it is offered: its name, what is known about it, and whether it can be used now.


@dataclass(frozen=True, slots=True)
class ModelListing:
    """One line of a model picker; `advice` says what to do where it cannot be used now.

    Without a card the line represents all models of a server (`openai:NAME`): what is known of them differs. `server`
    is whether the user gave its address; `via` is the proxy that it is asked through, if any.
    """

    name: str
    card: ModelCard | None
    usable: bool
    advice: str = ""
    server: bool = False
    via: str = ""


@dataclass(frozen=True, slots=True)
class ServerLook:
    """Whether a source of models answers; `found` is what was seen, `advice` what to do where it does not.

    Attributes:
        name: builtin, ollama, a hosted provider's name, or the name that the user gave a server.
        asked: whether it was asked; the others are only listed.
        keyless: whether it answers only with a key, and none is kept for it.
    """

    name: str
    usable: bool
    found: str
    advice: str = ""
    asked: bool = True
    keyless: bool = False


# How a server's router is told which chat a request belongs to, so that it keeps to the replica with its cache.


SESSION_FIELDS = ("prompt_cache_key", "user")
"""Fields of a request's body that routers go by; anything else is the name of a header."""

_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}")
_OPAQUE = re.compile(r"[A-Za-z0-9._-]{1,64}")
# These say who asks, what is asked, or how it is carried: nobody's session.
_TAKEN = frozenset({
    "api-key", "authorization", "cache-control", "connection", "cookie", "cookie2", "date", "expect", "forwarded",
    "from", "host", "http2-settings", "keep-alive", "openai-organization", "openai-project", "origin", "range",
    "referer", "set-cookie", "te", "trailer", "transfer-encoding", "upgrade", "user-agent", "via", "x-api-key",
    "x-goog-api-key", "x-http-method-override",
})  # fmt: skip
_TAKEN_BEGINNINGS = (
    "accept",
    "access-control-",
    "anthropic-",
    "content-",
    "if-",
    "proxy-",
    "sec-",
    "x-forwarded-",
)


def session_problem(way: str) -> str:
    """Why a session cannot be passed on in this way; empty where it can."""
    name = way.lower()
    if way in SESSION_FIELDS:
        return ""
    if not _TOKEN.fullmatch(way):
        return tr("expected the name of a header (letters, digits and dashes), prompt_cache_key or user")
    if name in _TAKEN or name.startswith(_TAKEN_BEGINNINGS):
        return tr("this header has a meaning of its own; take one of the router's, such as X-Session-ID")
    return ""


def session_value(conversation: str) -> str:
    """The chat's name for routers: only its random id, in characters valid in a header."""
    return conversation if _OPAQUE.fullmatch(conversation) else digest_text(conversation)


def session_headers(way: str, conversation: str) -> dict[str, str]:
    """The header that identifies the session; empty where a body field does, or nothing."""
    return {} if not way or way in SESSION_FIELDS else {way.lower(): session_value(conversation)}


# What is learnt of a model from its own reports: how far counts are off, and how often forecasts came true.


@dataclass(frozen=True, slots=True)
class TurnReport:
    """The last request of a turn, as counted and forecast by us and as reported by its provider.

    Attributes:
        card: which models are counted alike; empty where the count was not an estimate.
        counted_tokens: as it was shown, and `ratio` what a bare count was multiplied with for that.
        predicted_tokens, served_tokens: what a cache was expected to serve, and what it did.
        cached_tokens: what the provider reported as served from a cache, whether or not anything was expected.
    """

    model: str
    card: str = ""
    counted_tokens: int = 0
    ratio: float = 1.0
    prompt_tokens: int | None = None
    predicted_tokens: int | None = None
    served_tokens: int | None = None
    cached_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Calibration:
    """The factor that corrects a model's uncorrected counts, and the spread of nine in ten of them.

    `spread` is a share of the count; `turns` is how many reports say so.
    """

    ratio: float = 1.0
    spread: float = 0.0
    turns: int = 0


@dataclass(frozen=True, slots=True)
class CacheSeen:
    """What a server's reports show of its cache.

    Attributes:
        last_tokens, last_prompt_tokens: what it served of the newest request that it reported, and how large that was.
        least_tokens: the least it ever served, except nothing.
        step_tokens: what all amounts are multiples of; None where there are too few, or they have no common step.
    """

    last_tokens: int
    last_prompt_tokens: int
    least_tokens: int
    step_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class ModelLearnt:
    """How many of the `judged` forecasts of a model came true; `calibration` where its counts are estimates."""

    judged: int = 0
    within: int = 0
    calibration: Calibration | None = None
    seen: CacheSeen | None = None


@dataclass(frozen=True, slots=True)
class Truncation:
    """Evidence that a server silently read far less than it was sent."""

    counted_tokens: int
    read_tokens: int
