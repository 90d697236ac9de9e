"""The model catalogue: dated facts about models, read from a TOML file that anyone may extend."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Literal, cast, get_args

from workbench.domain.errors import InvalidInput
from workbench.domain.model import Api, ModelCard, PictureRule
from workbench.domain.parameters import PARAMETER_NAMES, TAKES_ALL, ParameterRules
from workbench.domain.provider import KEYED, PROVIDERS
from workbench.providers.harness.template_marks import CONTROL_TOKENS
from workbench.providers.tokenizer import RANK_FILES

# Reading data files that people may extend: each value as what it must be, or where it is wrong.


def table(value: object, path: str) -> dict[str, object]:
    """A table."""
    if not isinstance(value, dict):
        raise InvalidInput(path, f"expected a table, got {value!r}")
    return value


def listed(value: object, path: str) -> list[object]:
    """A list."""
    if not isinstance(value, list):
        raise InvalidInput(path, f"expected a list, got {value!r}")
    return value


def text(value: object, path: str) -> str:
    """Text that says something."""
    if not isinstance(value, str) or not value:
        raise InvalidInput(path, f"expected text, got {value!r}")
    return value


def flag(value: object, path: str) -> bool:
    """Yes or no."""
    if not isinstance(value, bool):
        raise InvalidInput(path, f"expected true or false, got {value!r}")
    return value


def count(value: object, path: str) -> int:
    """A number of things."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise InvalidInput(path, f"expected an integer of 0 or more, got {value!r}")
    return value


def normalised(name: str) -> str:
    """A model's name as it is compared: case, and "." against "-", do not matter."""
    return name.lower().replace(".", "-")


_FORMAT = "workbench-models/1"
_TEXT_FIELDS = ("name", "provider", "tokenizer", "as_of")
_COUNT_FIELDS = ("context_window_tokens", "message_tokens", "reply_tokens")
_OPTIONAL_FIELDS = (
    *("max_output_tokens", "cache_rules", "tools", "prefill", "images", "pictures", "offered"),
    *("parameters", "api"),
)
_TOP_FIELDS = ("format", "unknown", "served_by", "parameters", "family")
_PICTURE_RULES = ("tiles", "patches", "pixels")
_PICTURE_FIELDS = {field.name for field in fields(PictureRule)}
_FIELDS = {*_TEXT_FIELDS, *_COUNT_FIELDS, *_OPTIONAL_FIELDS, "exact"}
_APIS: tuple[Api, ...] = get_args(Api)
_NOT_AT_RESPONSES = ("stop", "seed", "top_k", "min_p", "frequency_penalty", "presence_penalty")
_OVERRIDES = ("provider", "cache_rules", "tokenizer", "parameters")
_REFUSABLE = (*PARAMETER_NAMES, "json", "json_schema")
_RULE_FIELDS = {field.name for field in fields(ParameterRules)}
_ASKED_NAME = "{name}"
_SERVED = "server:"
_MAKERS = ("openai", "ft")  # only OpenAI publishes how its models count
_ANY_SERVER = tuple(one.name for one in PROVIDERS if one.place == "anywhere")
# Under these prefixes the maker's own cache answers; whoever else serves a model has one of its own, or none.
_PASSES_ON = (*KEYED, "ft", "azure", "google", "deepseek")
_TEMPLATED = tuple(one.name for one in PROVIDERS if "NAME" in one.form and one.place != "hosted")
Rules = Mapping[str, ParameterRules]
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


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
    served_by: Mapping[str, Mapping[str, str]]
    unoffered: frozenset[str]
    parameters: Mapping[str, ParameterRules]

    def find(self, name: str) -> ModelCard:
        """The card of the longest entry that the name starts with; otherwise the cautious one, so named."""
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
            parameters=self.parameters.get(changes.get("parameters", ""), card.parameters),
        )

    def names_of(self, provider: str) -> tuple[str, ...]:
        """The models of a provider that can be chosen, in the order of the file."""
        mine = ((key, card.name) for key, card in self.cards.items() if card.provider == provider)
        return tuple(name for key, name in mine if key not in self.unoffered)

    def _split(self, name: str) -> tuple[str | None, str]:
        """Who serves the model, if the name says so, and its name without path, folder or file ending."""
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


def load_catalogue(path: Path, below: Catalogue | None = None) -> Catalogue:
    """Read a catalogue; what is wrong with a file is said with the path of the field.

    Where there is one `below` (the shipped one, below a user's own), its entries hold unless the file has others of the
    same name.
    """
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidInput(str(path), f"the model catalogue cannot be read: {error}") from error
    try:
        return _catalogue(document, below)
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error.path}", error.reason) from error


def _catalogue(document: Mapping[str, object], below: Catalogue | None) -> Catalogue:
    if document.get("format") != _FORMAT:
        raise InvalidInput("format", f"expected {_FORMAT!r}, got {document.get('format')!r}")
    for field in sorted(document.keys() - set(_TOP_FIELDS)):
        raise InvalidInput(field, f"unknown field; expected one of {', '.join(_TOP_FIELDS)}")
    rules = {} if below is None else dict(below.parameters)
    for name, value in table(document.get("parameters", {}), "parameters").items():
        rules[name] = _parameter_rules(value, f"parameters.{name}")
    found = tuple(_family_cards(document, rules))
    cards = {normalised(card.name): card for card, _ in found}
    unoffered = frozenset(normalised(card.name) for card, offered in found if not offered)
    served_by = {
        prefix.lower(): _overrides(value, f"served_by.{prefix}", rules)
        for prefix, value in table(document.get("served_by", {}), "served_by").items()
    }
    if below is None:
        return Catalogue(cards, _unknown(document, rules), served_by, unoffered, rules)
    unknown = _unknown(document, rules) if "unknown" in document else below.unknown
    unoffered |= below.unoffered - cards.keys()
    return Catalogue({**below.cards, **cards}, unknown, {**below.served_by, **served_by}, unoffered, rules)


def _unknown(document: Mapping[str, object], rules: Rules) -> ModelCard:
    return _card({"name": "unknown", **table(document.get("unknown"), "unknown")}, "unknown", rules)


def _family_cards(document: Mapping[str, object], rules: Rules) -> Iterator[tuple[ModelCard, bool]]:
    """Every entry, and whether it is one to choose."""
    for number, value in enumerate(listed(document.get("family", []), "family")):
        path = f"family[{number}]"
        family = table(value, path)
        shared = {field: entry for field, entry in family.items() if field != "models"}
        for index, model in enumerate(listed(family.get("models"), f"{path}.models")):
            model_path = f"{path}.models[{index}]"
            entry = {**shared, **table(model, model_path)}
            yield _card(entry, model_path, rules), flag(entry.get("offered", True), f"{model_path}.offered")


def _card(entry: Mapping[str, object], path: str, takes: Rules) -> ModelCard:
    for field in entry.keys() - _FIELDS:
        raise InvalidInput(f"{path}.{field}", f"unknown field; expected one of {', '.join(sorted(_FIELDS))}")
    name, provider, tokenizer, as_of = (text(entry.get(field), f"{path}.{field}") for field in _TEXT_FIELDS)
    window, message, reply = (count(entry.get(field), f"{path}.{field}") for field in _COUNT_FIELDS)
    output, rules = entry.get("max_output_tokens"), entry.get("cache_rules", "")
    exact = flag(entry.get("exact"), f"{path}.exact")
    tools, prefill = flag(entry.get("tools", True), f"{path}.tools"), entry.get("prefill", False)
    if not isinstance(rules, str):
        raise InvalidInput(f"{path}.cache_rules", f"expected text, got {rules!r}")
    if not _DATE.fullmatch(as_of):
        raise InvalidInput(f"{path}.as_of", f"expected a date such as 2026-01-31, got {as_of!r}")
    api = _api(entry.get("api", "chat"), f"{path}.api")
    _check_tokenizer(tokenizer, f"{path}.tokenizer")
    if window == 0:
        raise InvalidInput(f"{path}.context_window_tokens", "expected a positive integer, got 0")
    return ModelCard(
        name=name,
        provider=provider,
        context_window_tokens=window,
        max_output_tokens=None if output is None else count(output, f"{path}.max_output_tokens"),
        tokenizer=tokenizer,
        exact=exact,
        message_tokens=message,
        reply_tokens=reply,
        cache_rules=rules or None,
        as_of=as_of,
        tools=tools,
        prefill=flag(prefill, f"{path}.prefill"),
        images=flag(entry.get("images", True), f"{path}.images"),
        pictures=_picture_rule(entry.get("pictures"), f"{path}.pictures"),
        parameters=_taken(_named_rules(entry.get("parameters"), f"{path}.parameters", takes), api),
        api=api,
    )


def _api(value: object, path: str) -> Api:
    found = next((one for one in _APIS if one == value), None)
    if found is None:
        raise InvalidInput(path, f"expected one of {', '.join(_APIS)}, got {value!r}")
    return found


def _taken(rules: ParameterRules, api: Api) -> ParameterRules:
    """The parameters that are taken at an interface."""
    for name in _NOT_AT_RESPONSES if api == "responses" else ():
        rules = (
            rules
            if rules.refusal(name)
            else rules.without(name, f"OpenAI's Responses interface has no {name}")
        )
    return rules


def _named_rules(name: object, path: str, rules: Rules) -> ParameterRules:
    if name is None:
        return TAKES_ALL
    if name not in rules:
        raise InvalidInput(path, f"expected one of {', '.join(sorted(rules)) or 'none yet'}, got {name!r}")
    return rules[str(name)]


def _parameter_rules(value: object, path: str) -> ParameterRules:
    """Which parameters are taken: what is refused with the reason, and the bounds of the rest."""
    given = table(value, path)
    for name in given.keys() - _RULE_FIELDS:
        raise InvalidInput(
            f"{path}.{name}", f"unknown field; expected one of {', '.join(sorted(_RULE_FIELDS))}"
        )
    refuses = table(given.get("refuses", {}), f"{path}.refuses")
    for name in refuses.keys() - set(_REFUSABLE):
        raise InvalidInput(f"{path}.refuses.{name}", f"expected one of {', '.join(_REFUSABLE)}")
    warmest = given.get("most_temperature", TAKES_ALL.most_temperature)
    if not isinstance(warmest, int | float) or isinstance(warmest, bool):
        raise InvalidInput(f"{path}.most_temperature", f"expected a number, got {warmest!r}")
    words = {
        name: tuple(str(one) for one in listed(given.get(name, []), f"{path}.{name}"))
        for name in ("efforts", "sampling_efforts")
    }
    return ParameterRules(
        refuses=tuple((name, text(why, f"{path}.refuses.{name}")) for name, why in refuses.items()),
        efforts=words["efforts"],
        sampling_efforts=words["sampling_efforts"],
        one_sampler=flag(given.get("one_sampler", False), f"{path}.one_sampler"),
        most_temperature=float(warmest),
        most_stops=count(given.get("most_stops", 0), f"{path}.most_stops"),
    )


def _picture_rule(value: object, path: str) -> PictureRule | None:
    """How pictures are counted; an empty table is for a model whose family has a rule that is not its own."""
    given = {} if value is None else table(value, path)
    if not given:
        return None
    kind = given.get("rule")
    if kind not in _PICTURE_RULES:
        raise InvalidInput(f"{path}.rule", f"expected one of {', '.join(_PICTURE_RULES)}, got {kind!r}")
    for field in given.keys() - _PICTURE_FIELDS:
        expected = ", ".join(sorted(_PICTURE_FIELDS))
        raise InvalidInput(f"{path}.{field}", f"unknown field; expected one of {expected}")
    numbers = {field: count(given[field], f"{path}.{field}") for field in given.keys() - {"rule"}}
    if not numbers.get("pixels_per_token", 1):
        raise InvalidInput(f"{path}.pixels_per_token", "expected a positive integer, got 0")
    return PictureRule(cast(Literal["tiles", "patches", "pixels"], kind), **numbers)


def _overrides(value: object, path: str, rules: Rules) -> dict[str, str]:
    entries = table(value, path)
    for field in entries:
        if field not in _OVERRIDES:
            raise InvalidInput(f"{path}.{field}", f"only {', '.join(_OVERRIDES)} can be overridden here")
    overrides = {field: text(entry, f"{path}.{field}") for field, entry in entries.items()}
    if "tokenizer" in overrides:
        _check_tokenizer(overrides["tokenizer"], f"{path}.tokenizer")
    _named_rules(overrides.get("parameters"), f"{path}.parameters", rules)
    return overrides


def _check_tokenizer(name: str, path: str) -> None:
    """Said here, with its place: counting would fail for it much later, and without."""
    if name not in RANK_FILES and not name.startswith(_SERVED):
        known = ", ".join((*RANK_FILES, f"{_SERVED}{_ASKED_NAME}"))
        raise InvalidInput(path, f"expected one of {known}, got {name!r}")
