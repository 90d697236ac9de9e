"""What is known about one model: its window, how it counts, and which cache rules apply."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

from workbench.domain.parameters import TAKES_ALL, ParameterRules
from workbench.domain.reading.constraints import Positive

Api = Literal["chat", "responses"]
WindowFrom = Literal["", "modelfile", "default"]


CacheLifetime = Literal["5m", "1h"]
HOUR_RULES = {"anthropic": "anthropic-1h"}
"""The rules of caches that hold something for an hour instead of five minutes, for a higher price, where one asks."""


@dataclass(frozen=True, slots=True)
class PictureRule:
    """How a provider counts a picture by its size; the formulas are in `context/count/pictures.py`.

    Attributes:
        base_tokens, tile_tokens: of `tiles`: for the picture, and for each tile of it.
        multiplier_percent, most_patches: of `patches`: what a patch costs, and how many there are at most.
        pixels_per_token, longest_edge, most_tokens: of `pixels`; an edge or tokens of 0 have no limit.
    """

    rule: Literal["tiles", "patches", "pixels"]
    base_tokens: int = 0
    tile_tokens: int = 0
    multiplier_percent: int = 100
    most_patches: int = 0
    pixels_per_token: int = 750
    longest_edge: int = 0
    most_tokens: int = 0


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
        largest_window_tokens: what the model could take, where its window is a default; None where nobody says.
        counted_at_send: whether its server counts exactly, but on another computer: what is being written is not shown
            to it before it is sent.
        control_tokens: texts in content that its template would take for control tokens.
        api: at which of its provider's interfaces it answers, where that has several.
        parameters: which of the parameters of an answer it takes.
        declared: the fields that a person has set, which no server's word changes.
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
        """Whether a stable prefix is known to be worth something."""
        return bool(self.cache_rules) or self.cache_seen

    def lasting(self, lifetime: CacheLifetime | None) -> ModelCard:
        """The card with that lifetime of its provider's cache; as it is where there is no such choice."""
        return self if lifetime is None else _lasting(self, lifetime)

    def refusal(self, parameter: str) -> str:
        """Why the model does not take a parameter, whatever its value; empty where it takes it."""
        return self.parameters.refusal(parameter)


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What a person says about a model, where neither the catalogue nor its server knows; None: nothing was said.

    `count_while_typing` allows its server, on whatever computer, to be asked about what is still being written;
    `cache_lifetime` is how long its provider is to hold what it has read, where that can be chosen.
    """

    context_window: Positive | None = None
    images: bool | None = None
    tools: bool | None = None
    count_while_typing: bool | None = None
    cache_lifetime: CacheLifetime | None = None

    def on(self, card: ModelCard) -> ModelCard:
        """The card with these facts in it."""
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
    """The card of a model whose server has reported reading from a cache."""
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
    """A card that a server has refined, with what a person had declared in the one before."""
    if not known.declared:
        return card
    said: dict[str, Any] = {name: getattr(known, name) for name in known.declared}
    if "context_window_tokens" in said:
        said |= {"window_assumed": False, "window_from": ""}
    return replace(card, **said, declared=known.declared)
