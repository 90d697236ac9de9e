"""The model catalogue: dated facts about models, from a TOML file that anyone may extend."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from workbench.domain.errors import InvalidInput
from workbench.domain.model import Api, ModelCard, PictureRule
from workbench.domain.parameters import PARAMETER_NAMES, TAKES_ALL, ParameterRules
from workbench.domain.provider import KEYED, PROVIDERS
from workbench.domain.reading.constraints import Count, Date, Name, OneOf, Positive, Sound, Within
from workbench.domain.reading.form import form_of
from workbench.domain.reading.node import Fields, JsonPath, Node, suggest
from workbench.domain.translation import tr
from workbench.providers.harness.template_marks import CONTROL_TOKENS
from workbench.providers.tokenizer import RANK_FILES

T = TypeVar("T")


def load_toml(path: Path, what: str, read: Callable[[Node], T]) -> T:
    """Read a user-extensible data file; errors name the file and the place in it."""
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidInput(str(path), tr("{what} cannot be read: {error}", what=what, error=error)) from error
    try:
        return read(Node(document))
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error.path}", error.reason) from error


def normalised(name: str) -> str:
    """A model's name for comparison: lower case, with "." and "-" equal."""
    return name.lower().replace(".", "-")


_NOT_AT_RESPONSES = (
    "stop",
    "seed",
    "top_k",
    "min_p",
    "frequency_penalty",
    "presence_penalty",
    "probabilities",
)
_REFUSABLE = (*PARAMETER_NAMES, "json", "json_schema")
_ASKED_NAME = "{name}"
_SERVED = "server:"
_MAKERS = ("openai", "ft")  # only OpenAI publishes how its models count
_ANY_SERVER = tuple(one.name for one in PROVIDERS if one.place == "anywhere")
# Under these prefixes the maker's own cache answers; whoever else serves a model has one of its own, or none.
_PASSES_ON = (*KEYED, "ft", "azure", "google", "deepseek")
_TEMPLATED = tuple(one.name for one in PROVIDERS if "NAME" in one.form and one.place != "hosted")
Rules = Mapping[str, ParameterRules]


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All known models.

    Attributes:
        cards: model cards by normalised name.
        unknown: the card of a model that is not listed.
        served_by: prefixes of a model's name that say who serves it, with what that changes in its card.
        unoffered: normalised names that are known, and would lead nowhere if somebody chose them.
        parameters: which parameters are taken, by the names under which models and prefixes refer to it.
    """

    cards: Mapping[str, ModelCard]
    unknown: ModelCard
    served_by: Mapping[str, Mapping[str, Any]]
    unoffered: frozenset[str]
    parameters: Mapping[str, ParameterRules]

    def find(self, name: str) -> ModelCard:
        """The card of the longest entry that is a prefix of the name; else the cautious default, with that name."""
        prefix, bare = self._split(name)
        card = self._longest_match(normalised(bare)) or replace(self.unknown, name=name, window_assumed=True)
        if prefix is None:
            # A server that the user named stands before the colon; no entry is called so.
            named_server = card.window_assumed and ":" in name
            return replace(card, control_tokens=CONTROL_TOKENS) if named_server else card
        changes = self.served_by[prefix]
        tokenizer = changes.get("tokenizer", card.tokenizer)
        return replace(
            card,
            # What a server calls gpt-4o may be anything, with any tokenizer and any window.
            exact=card.exact and (prefix in _MAKERS or tokenizer.startswith(_SERVED)),
            window_assumed=card.window_assumed or prefix in _ANY_SERVER,
            control_tokens=CONTROL_TOKENS if prefix in _TEMPLATED else card.control_tokens,
            provider=changes.get("provider", prefix),
            cache_rules=changes.get("cache_rules", card.cache_rules if prefix in _PASSES_ON else None),
            tokenizer=tokenizer.replace(_ASKED_NAME, name),
            # Whether somebody else's server passes a begun answer on, only that server can say.
            prefill=changes.get("prefill", card.prefill and prefix == card.provider),
            parameters=self.parameters.get(changes.get("parameters", ""), card.parameters),
        )

    def names_of(self, provider: str) -> tuple[str, ...]:
        """Models of a provider that can be chosen, in the order of the file."""
        mine = ((key, card.name) for key, card in self.cards.items() if card.provider == provider)
        return tuple(name for key, name in mine if key not in self.unoffered)

    def _split(self, name: str) -> tuple[str | None, str]:
        """The provider in the name, if any, and the name without path, folder or file ending."""
        prefix, colon, rest = name.partition(":")
        if not colon or prefix.lower() not in self.served_by:
            return None, name.rpartition("/")[2]
        last = rest.rpartition("#")[2].replace("\\", "/").rpartition("/")[2]
        return prefix.lower(), re.sub(r"\.gguf$", "", last, flags=re.IGNORECASE)

    def _longest_match(self, name: str) -> ModelCard | None:
        for end in range(len(name), 0, -1):
            at_boundary = end == len(name) or not name[end].isalnum()
            if at_boundary and name[:end] in self.cards:
                return self.cards[name[:end]]
        return None


def _unknown_tokenizer(name: str) -> str:
    """The complaint about an unknown tokenizer, raised on reading since counting would fail much later."""
    if name in RANK_FILES or name.startswith(_SERVED):
        return ""
    return tr(
        "expected one of {value}, got {name!r}",
        value=", ".join((*RANK_FILES, _SERVED + _ASKED_NAME)),
        name=name,
    )


Tokenizer = Annotated[str, Sound(_unknown_tokenizer)]


@dataclass(frozen=True, slots=True)
class _Model:
    """A model as in the file, with the defaults of its family.

    Attributes:
        offered: whether it is one to choose. parameters: the name of the rules for its parameters.
    """

    name: Name
    provider: Name
    tokenizer: Tokenizer
    as_of: Date
    context_window_tokens: Positive
    message_tokens: Count
    reply_tokens: Count
    exact: bool
    max_output_tokens: Count | None = None
    cache_rules: str = ""
    tools: bool = True
    prefill: bool = False
    images: bool = True
    pictures: PictureRule | None = None
    offered: bool = True
    parameters: str | None = None
    api: Api = "chat"


@dataclass(frozen=True, slots=True)
class _Takes:
    """Rules for parameters: refused ones with the reason, and bounds of the rest."""

    refuses: Mapping[Annotated[str, OneOf(_REFUSABLE)], Name] = field(default_factory=dict)
    efforts: tuple[str, ...] = ()
    sampling_efforts: tuple[str, ...] = ()
    one_sampler: bool = False
    most_temperature: Annotated[float, Within(0, 100)] = TAKES_ALL.most_temperature
    most_stops: Count = 0


@dataclass(frozen=True, slots=True)
class _ServedBy:
    """What a prefix of a model's name changes in its card."""

    provider: Name | None = None
    cache_rules: Name | None = None
    tokenizer: Tokenizer | None = None
    parameters: Name | None = None
    prefill: bool | None = None


@dataclass(frozen=True, slots=True)
class _File:
    """The whole file; models are read with what their family says of them."""

    format: Literal["workbench-models/1"]
    unknown: Mapping[str, Any] | None = None
    served_by: Mapping[str, _ServedBy] = field(default_factory=dict)
    parameters: Mapping[str, _Takes] = field(default_factory=dict)
    family: tuple[Mapping[str, Any], ...] = ()


def load_catalogue(path: Path, below: Catalogue | None = None) -> Catalogue:
    """Read a catalogue; what is wrong with a file is said with the path of the field.

    Where there is one `below` (the shipped one, below a user's own), its entries hold unless the file has others of the
    same name.
    """
    return load_toml(path, tr("the model catalogue"), lambda node: _catalogue(node, below))


def _catalogue(node: Node, below: Catalogue | None) -> Catalogue:
    file = form_of(_File).read(node)
    rules = {} if below is None else dict(below.parameters)
    for name, takes in file.parameters.items():
        rules[name] = ParameterRules(
            refuses=tuple(takes.refuses.items()),
            efforts=takes.efforts,
            sampling_efforts=takes.sampling_efforts,
            one_sampler=takes.one_sampler,
            most_temperature=takes.most_temperature,
            most_stops=takes.most_stops,
        )
    found = tuple(_family_cards(file, rules))
    cards = {normalised(card.name): card for card, _ in found}
    unoffered = frozenset(normalised(card.name) for card, offered in found if not offered)
    served_by = {prefix.lower(): _changes(one, prefix, rules) for prefix, one in file.served_by.items()}
    if file.unknown is None and below is None:
        raise InvalidInput("unknown", "missing")
    unknown = below.unknown if below is not None else None
    if file.unknown is not None or unknown is None:
        unknown, _ = _card({"name": "unknown", **(file.unknown or {})}, ("unknown",), rules)
    if below is None:
        return Catalogue(cards, unknown, served_by, unoffered, rules)
    unoffered |= below.unoffered - cards.keys()
    return Catalogue({**below.cards, **cards}, unknown, {**below.served_by, **served_by}, unoffered, rules)


def _family_cards(file: _File, rules: Rules) -> Iterator[tuple[ModelCard, bool]]:
    """Every card, and whether it is offered for choosing."""
    for number, family in enumerate(file.family):
        models = Fields(Node(family, place=("family", number))).require("models")
        shared = {name: entry for name, entry in family.items() if name != "models"}
        for one in models.items():
            yield _card({**shared, **one.table()}, one.place, rules)


def _card(entry: dict[str, Any], place: JsonPath, rules: Rules) -> tuple[ModelCard, bool]:
    """The card of an entry, and whether it is offered for choosing."""
    if entry.get("pictures") == {}:  # a model whose family has a rule that is not its own
        del entry["pictures"]
    one = form_of(_Model).read(Node(entry, place=place))
    takes = _named_rules(one.parameters, (*place, "parameters"), rules)
    card = ModelCard(
        name=one.name,
        provider=one.provider,
        context_window_tokens=one.context_window_tokens,
        max_output_tokens=one.max_output_tokens,
        tokenizer=one.tokenizer,
        exact=one.exact,
        message_tokens=one.message_tokens,
        reply_tokens=one.reply_tokens,
        cache_rules=one.cache_rules or None,
        as_of=one.as_of,
        tools=one.tools,
        prefill=one.prefill,
        images=one.images,
        pictures=one.pictures,
        parameters=_rules_at(takes, one.api),
        api=one.api,
    )
    return card, one.offered


def _rules_at(rules: ParameterRules, api: Api) -> ParameterRules:
    """The parameters accepted at an interface."""
    for name in _NOT_AT_RESPONSES if api == "responses" else ():
        if not rules.refusal(name):
            rules = rules.without(name, tr("OpenAI's Responses interface has no {name}", name=name))
    return rules


def _named_rules(name: str | None, place: JsonPath, rules: Rules) -> ParameterRules:
    if name is not None and name not in rules:
        raise Node(name, place=place).error(
            tr("there are no rules of that name{suggest}", suggest=suggest(name, rules))
        )
    return TAKES_ALL if name is None else rules[name]


def _changes(one: _ServedBy, prefix: str, rules: Rules) -> dict[str, Any]:
    _named_rules(one.parameters, ("served_by", prefix, "parameters"), rules)
    return {name: value for name, value in asdict(one).items() if value is not None}
