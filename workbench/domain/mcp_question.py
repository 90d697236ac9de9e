"""Questions that a tool server puts to the person: read from its schema, and answers checked before they are sent."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from math import isfinite
from typing import Any, Literal

from workbench.domain.errors import InvalidInput
from workbench.domain.message import Role
from workbench.domain.text import harmless
from workbench.domain.translation import N_, tr

Value = str | int | float | bool | list[str]
FieldKind = Literal["text", "integer", "number", "boolean", "one", "several"]
Action = Literal["accept", "decline", "cancel"]

_MOST_FIELDS, _MOST_CHOICES, _MOST_TURNS = 30, 200, 50
_LONGEST_NAME, _LONGEST_TITLE, _LONGEST_ABOUT, _LONGEST_MESSAGE, _LONGEST_URL = 128, 120, 400, 2000, 2000
_FORMATS = ("email", "uri", "date", "date-time")
# What a form must not ask for, by the words of its fields; a needless warning costs less than a missing one.
_SECRET = re.compile(
    r"pass\W?(?:word|phrase|code)|passwort|kennwort|secret|credential|token|\bpin\b|\bcvv\b|\bcvc\b|\botp\b|\bkey\b"
    r"|(?:api|access|private|ssh|auth|recovery|licen[cs]e)\W?key|credit\W?card|card\W?number|seed\W?phrase",
    re.IGNORECASE,
)
_ONE_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[_-]+")
_PAGE = re.compile(
    r"(?P<scheme>https?)://(?P<host>\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::[0-9]{1,5})?(?:[/?#][!-\[\]-~]*)?",
    re.IGNORECASE | re.ASCII,
)


@dataclass(frozen=True, slots=True)
class AskedField:
    """One field of a form that a server asks to be filled in.

    Attributes:
        choices: for "one" and "several", each value with its label.
        least, most: of a number; of a text its length, of several how many.
        format: "email", "uri", "date" or "date-time", for a text; else empty.
        secret: whether its words sound like a password or a key.
    """

    name: str
    title: str
    kind: FieldKind
    about: str = ""
    required: bool = False
    default: Value | None = None
    choices: tuple[tuple[str, str], ...] = ()
    least: float | None = None
    most: float | None = None
    format: str = ""
    secret: bool = False


@dataclass(frozen=True, slots=True)
class Sampling:
    """What a server wants a model to be asked, and what that takes; it is sent only when the person agrees.

    Attributes:
        turns: who says what, in order; the last is what is to be answered.
        answer_tokens: how long the answer may be.
        text: everything that is sent, as it is sent. model, tokens: of that request.
        usd: the most it can cost; None where no price is known.
    """

    turns: tuple[tuple[Role, str], ...]
    system: str = ""
    answer_tokens: int = 0
    text: str = ""
    model: str = ""
    tokens: int = 0
    usd: float | None = None


@dataclass(frozen=True, slots=True)
class McpQuestion:
    """What a server asks the person: a form, to visit a page where `url` is set, or to ask a model.

    Attributes:
        sign_in: whether it is this program that asks to visit the page, to sign in to the server.
        id, workspace: given by whoever shows it.
    """

    server: str
    message: str
    fields: tuple[AskedField, ...] = ()
    url: str = ""
    sign_in: bool = False
    id: str = ""
    workspace: str = ""
    sampling: Sampling | None = None

    @property
    def secret(self) -> bool:
        """Whether it seems to ask for a password or a key."""
        return any(one.secret for one in self.fields)

    @property
    def host(self) -> str:
        """The host of the page."""
        found = _PAGE.fullmatch(self.url)
        return "" if found is None else found["host"]


@dataclass(frozen=True, slots=True)
class McpAnswer:
    """What the person says to a question; where it was accepted, the content of a form or a model's answer."""

    action: Action = "decline"
    content: Mapping[str, Value] = field(default_factory=dict, repr=False)


# Reading what a server sent, which is foreign text.


def read_form(server: str, message: str, schema: Any) -> McpQuestion:
    """A question with a form; `InvalidInput` where its schema isn't one of forms."""
    asked = schema.get("properties", {}) if isinstance(schema, Mapping) else None
    if not isinstance(asked, Mapping) or len(asked) > _MOST_FIELDS:
        raise InvalidInput(
            "requestedSchema",
            tr("it must be a form of at most {most_fields} fields", most_fields=_MOST_FIELDS),
        )
    needed = schema.get("required")
    required = {one for one in needed if isinstance(one, str)} if isinstance(needed, list) else set()
    said = _line(message, _LONGEST_MESSAGE, lines=True)
    fields = tuple(_field(name, one, name in required) for name, one in asked.items())
    if _SECRET.search(said) and not any(one.secret for one in fields):
        # What is asked for in the message is typed into some text.
        fields = tuple(_as_secret(one) for one in fields)
    return McpQuestion(server, said, fields)


def read_page(server: str, message: str, url: str, sign_in: bool = False) -> McpQuestion:
    """A question to visit a page; `InvalidInput` for an address that is not plainly one of a page."""
    found = _PAGE.fullmatch(url) if len(url) <= _LONGEST_URL else None
    host = "" if found is None else found["host"].lower()
    if found is None or not host.strip("."):
        raise InvalidInput("url", tr("it must be a plain address that begins with https://"))
    here = host in ("localhost", "[::1]") or re.fullmatch(r"127(\.\d{1,3}){3}", host) is not None
    if found["scheme"].lower() == "http" and not here:
        raise InvalidInput("url", tr("http:// can be read on the way; it must begin with https://"))
    return McpQuestion(server, _line(message, _LONGEST_MESSAGE, lines=True), url=url, sign_in=sign_in)


def read_sampling(
    server: str, turns: tuple[tuple[Role, str | None], ...], system: str, tokens: int, most_chars: int, most_tokens: int
) -> McpQuestion:  # fmt: skip
    """A question to ask a model; `InvalidInput` for what is no text (None), has no question, or is too much."""
    size = len(system) + sum(len(text or "") for _, text in turns)
    if size > most_chars or len(turns) > _MOST_TURNS:
        words = N_("at most {most_chars:,} characters in {most_turns} messages are sent to a model")
        raise InvalidInput("messages", tr(words, most_chars=most_chars, most_turns=_MOST_TURNS))
    said = tuple((role, harmless(text)) for role, text in turns if text is not None)
    if len(said) < len(turns) or not said or said[-1][0] != "user" or not said[-1][1].strip():
        raise InvalidInput("messages", tr("they must be text, and end with what the user asks"))
    if tokens < 1:
        raise InvalidInput("maxTokens", tr("it must be at least 1"))
    return McpQuestion(server, "", sampling=Sampling(said, harmless(system), min(tokens, most_tokens)))


def _field(name: Any, said: Any, required: bool) -> AskedField:
    if not isinstance(name, str) or not isinstance(said, Mapping) or not _is_name(name):
        raise InvalidInput("requestedSchema", tr("a field has no usable name, or is not described"))
    title = _line(said.get("title"), _LONGEST_TITLE) or name
    about = _line(said.get("description"), _LONGEST_ABOUT)
    kind, choices = _kind(name, said)
    ends = {"text": ("minLength", "maxLength"), "several": ("minItems", "maxItems")}
    low, high = ends.get(kind, ("minimum", "maximum"))
    words = " ".join((_ONE_WORD.sub(" ", name), title, about))
    made = AskedField(
        name,
        title,
        kind,
        about,
        required,
        None,
        choices,
        _number(said.get(low)),
        _number(said.get(high)),
        said["format"] if said.get("format") in _FORMATS else "",
        kind == "text" and (said.get("format") == "password" or _SECRET.search(words) is not None),
    )
    return _with_default(made, said.get("default"))


def _kind(name: str, said: Mapping[str, Any]) -> tuple[FieldKind, tuple[tuple[str, str], ...]]:
    kind = said.get("type")
    if kind == "array" and isinstance(items := said.get("items"), Mapping):
        return "several", _choices(name, items)
    if "enum" in said or "oneOf" in said:
        return "one", _choices(name, said)
    kinds: dict[Any, FieldKind] = {
        "string": "text", "integer": "integer", "number": "number", "boolean": "boolean",
    }  # fmt: skip
    if not isinstance(kind, str) or kind not in kinds:
        raise InvalidInput(
            "requestedSchema", tr("{name} is neither text, number, yes or no, nor a choice", name=name)
        )
    return kinds[kind], ()


def _choices(name: str, said: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    listed = said.get("enum", said.get("oneOf", said.get("anyOf")))
    names = said.get("enumNames")
    labels = names if isinstance(names, list) else []
    found: dict[str, str] = {}
    for number, one in enumerate(listed if isinstance(listed, list) else ()):
        value, shown = (one.get("const"), one.get("title")) if isinstance(one, Mapping) else (one, None)
        shown = labels[number] if shown is None and number < len(labels) else shown
        if isinstance(value, str):
            found.setdefault(value, _line(shown, _LONGEST_TITLE) or _line(value, _LONGEST_TITLE))
    if not found or len(found) > _MOST_CHOICES:
        raise InvalidInput(
            "requestedSchema",
            tr("{name} must have 1 to {most_choices} choices", name=name, most_choices=_MOST_CHOICES),
        )
    return tuple(found.items())


def _with_default(asked: AskedField, default: Any) -> AskedField:
    """The field with its default, if that could be an answer; a secret has none, so that it is not sent unseen."""
    if default is None or asked.secret:
        return asked
    try:
        value = _checked(asked, default)
    except InvalidInput:
        return asked
    return replace(asked, default=value)


def _as_secret(asked: AskedField) -> AskedField:
    return replace(asked, secret=True, default=None) if asked.kind == "text" else asked


def _number(said: Any) -> float | None:
    usable = isinstance(said, int | float) and not isinstance(said, bool) and abs(said) < 1e15
    return float(said) if usable else None


def _line(text: Any, longest: int, *, lines: bool = False) -> str:
    said = harmless(text[: longest * 2]) if isinstance(text, str) else ""
    said = "\n".join(" ".join(one.split()) for one in said.splitlines()).strip() if lines else said
    said = said if lines else " ".join(said.split())
    return said if len(said) <= longest else f"{said[: longest - 1]}…"


def _is_name(text: str) -> bool:
    return 0 < len(text) <= _LONGEST_NAME and harmless(text) == text and text.isprintable()


# Checking what the person answers, by the form or in a file.


def check_answer(question: McpQuestion, values: Mapping[str, Any]) -> dict[str, Value]:
    """The content to send, of the form's own fields only; `InvalidInput` names the field that is wrong."""
    content: dict[str, Value] = {}
    for one in question.fields:
        value = values.get(one.name)
        if value is None or (value == "" and not one.required):
            if one.required:
                raise InvalidInput(one.name, tr("it must be filled in"))
            continue
        content[one.name] = _checked(one, value)
    return content


def _checked(asked: AskedField, value: Any) -> Value:
    match asked.kind:
        case "text":
            return _checked_text(asked, value)
        case "boolean":
            if isinstance(value, bool):
                return value
            raise InvalidInput(asked.name, tr("it must be yes or no"))
        case "integer" | "number":
            return _checked_number(asked, value)
        case "one":
            if isinstance(value, str) and value in dict(asked.choices):
                return value
            raise InvalidInput(asked.name, tr("it must be one of the choices"))
        case _:
            known = dict(asked.choices)
            if not isinstance(value, list) or any(
                not isinstance(one, str) or one not in known for one in value
            ):
                raise InvalidInput(asked.name, tr("it must be a list of some of the choices"))
            _check_bounds(asked, len(value), tr("as many choices as it allows"))
            return list(value)


def _checked_text(asked: AskedField, value: Any) -> str:
    if not isinstance(value, str):
        raise InvalidInput(asked.name, tr("it must be text"))
    if asked.required and not value:
        raise InvalidInput(asked.name, tr("it must be filled in"))
    _check_bounds(asked, len(value), tr("as many characters as it allows"))
    shapes = {"email": r"[^@\s]+@[^@\s]+", "uri": r"[A-Za-z][A-Za-z0-9+.-]*:\S+"}
    shape = shapes.get(asked.format)
    try:
        fits = shape is None or re.fullmatch(shape, value) is not None
        if asked.format == "date":
            date.fromisoformat(value)
        elif asked.format == "date-time":
            datetime.fromisoformat(value)
    except ValueError:
        fits = False
    if not fits:
        looks = {"email": "name@example.com", "uri": "https://example.com", "date": "2026-07-28"}
        raise InvalidInput(
            asked.name, tr("write it as {get}", get=looks.get(asked.format, "2026-07-28T12:00:00Z"))
        )
    return value


def _checked_number(asked: AskedField, value: Any) -> int | float:
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not whole and (asked.kind == "integer" or not isinstance(value, float) or not isfinite(value)):
        raise InvalidInput(
            asked.name,
            tr("it must be a whole number") if asked.kind == "integer" else tr("it must be a number"),
        )
    _check_bounds(asked, value, tr("this number"))
    return value if isinstance(value, int) else float(value)


def _check_bounds(asked: AskedField, size: float, what: str) -> None:
    if asked.least is not None and size < asked.least:
        raise InvalidInput(
            asked.name, tr("{what} is too few or too small: at least {least:g}", what=what, least=asked.least)
        )
    if asked.most is not None and size > asked.most:
        raise InvalidInput(
            asked.name, tr("{what} is too many or too large: at most {most:g}", what=what, most=asked.most)
        )


# Answers given beforehand, for a program without a person: by server, then by field.


def read_answers(text: str) -> Mapping[str, Any]:
    """Answers from a JSON file; `InvalidInput` where it isn't an object of servers."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidInput("--answer", tr("the file is not JSON")) from None
    if not isinstance(found, dict) or any(
        not isinstance(one, dict) and one not in ("accept", "decline", "cancel") for one in found.values()
    ):
        raise InvalidInput(
            "--answer",
            tr('write it as {"SERVER": {"FIELD": VALUE}}; "accept", "decline" or "cancel" are answers, too'),
        )
    return found


def prepared_answer(question: McpQuestion, answers: Mapping[str, Any]) -> McpAnswer:
    """The answer prepared for a server's question: declined where there is none, or none that fits its form."""
    given = answers.get(question.server)
    if question.sign_in or given is None:
        return McpAnswer("decline")
    if given in ("decline", "cancel"):
        return McpAnswer(given)
    if question.url or question.sampling is not None:
        return McpAnswer("accept" if given == "accept" else "decline")
    return McpAnswer("accept", check_answer(question, given if isinstance(given, dict) else {}))
