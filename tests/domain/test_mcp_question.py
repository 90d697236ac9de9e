"""Questions of servers: what is read of their schemas, which fields sound secret, and what may be answered."""

from __future__ import annotations

import json
from typing import Any

import pytest

from workbench.domain.errors import InvalidInput
from workbench.domain.mcp_question import (
    AskedField,
    McpAnswer,
    check_answer,
    prepared_answer,
    read_answers,
    read_form,
    read_page,
)


def form(message: str = "Hello", required: tuple[str, ...] = (), **fields: Any):
    return read_form("s", message, {"type": "object", "properties": fields, "required": list(required)})


def test_every_kind_of_field_is_read():
    asked = form(
        required=("name",),
        name={"type": "string", "title": "Your name", "minLength": 1, "maxLength": 9},
        mail={"type": "string", "format": "email", "description": "Where to"},
        people={"type": "integer", "minimum": 1, "maximum": 12, "default": 2},
        price={"type": "number"},
        yes={"type": "boolean", "default": True},
        size={"type": "string", "enum": ["s", "l"], "enumNames": ["Small", "Large"], "default": "l"},
        colour={"type": "string", "oneOf": [{"const": "r", "title": "Red"}, {"const": "b"}]},
        tags={"type": "array", "items": {"anyOf": [{"const": "a", "title": "A"}]}, "maxItems": 1},
    )
    assert [(one.name, one.kind) for one in asked.fields] == [
        ("name", "text"),
        ("mail", "text"),
        ("people", "integer"),
        ("price", "number"),
        ("yes", "boolean"),
        ("size", "one"),
        ("colour", "one"),
        ("tags", "several"),
    ]
    name, mail, people, _, yes, size, colour, tags = asked.fields
    assert name == AskedField("name", "Your name", "text", "", True, least=1, most=9)
    assert (mail.about, mail.format) == ("Where to", "email")
    assert (people.default, yes.default, size.default) == (2, True, "l")
    assert size.choices == (("s", "Small"), ("l", "Large"))
    assert colour.choices == (("r", "Red"), ("b", "b"))
    assert (tags.choices, tags.most) == ((("a", "A"),), 1)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("password", {}),
        ("apiKey", {}),
        ("API_TOKEN", {}),
        ("value", {"description": "Your GitHub token"}),
        ("value", {"title": "Private key"}),
        ("value", {"format": "password"}),
        ("pin", {}),
        ("licenseKey", {}),
    ],
)
def test_a_field_that_sounds_like_a_secret_is_marked_and_has_no_default(name: str, said: dict[str, str]):
    schema = {"properties": {name: {"type": "string", "default": "hunter2", **said}}}
    asked = read_form("s", "Hello", schema)
    assert asked.secret
    assert asked.fields[0].default is None


def test_a_message_that_asks_for_a_secret_marks_its_text_fields():
    asked = form("Type your password below.", answer={"type": "string"}, yes={"type": "boolean"})
    assert [one.secret for one in asked.fields] == [True, False]
    assert not form("Which keyboard?", monkey={"type": "string"}).secret


def test_foreign_text_is_made_harmless_and_short():
    asked = form("a\u202eb\x1b[2J" + "x" * 9000, name={"type": "string", "title": "T\nT" + "y" * 900})
    assert "\u202e" not in asked.message
    assert "\x1b" not in asked.message
    assert len(asked.message) <= 2000
    assert len(asked.fields[0].title) <= 120
    assert "\n" not in asked.fields[0].title


@pytest.mark.parametrize(
    "schema",
    [
        None,
        [],
        {"properties": []},
        {"properties": {"a": {"type": "object"}}},
        {"properties": {"a": {"type": []}}},
        {"properties": {"a": {"type": "string", "enum": []}}},
        {"properties": {"a": {"type": "array", "items": {"type": "object"}}}},
        {"properties": {"a\u202e": {"type": "string"}}},
        {"properties": {"": {"type": "string"}}},
        {"properties": {f"f{n}": {"type": "string"} for n in range(31)}},
    ],
)
def test_what_is_no_form_is_refused(schema: Any):
    with pytest.raises(InvalidInput):
        read_form("s", "m", schema)


def test_answers_are_checked_field_by_field():
    asked = form(
        required=("name",),
        name={"type": "string", "maxLength": 3},
        n={"type": "integer", "minimum": 1},
        mail={"type": "string", "format": "email"},
        day={"type": "string", "format": "date"},
        size={"type": "string", "enum": ["s"]},
        tags={"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 2},
        yes={"type": "boolean"},
    )
    whole = {
        "name": "Ada",
        "n": 2,
        "mail": "a@b",
        "day": "2026-07-28",
        "size": "s",
        "tags": ["a", "b"],
        "yes": False,
    }
    assert check_answer(asked, {**whole, "other": 1}) == whole
    assert check_answer(asked, {"name": "Ada", "mail": ""}) == {"name": "Ada"}
    wrong: list[tuple[str, Any]] = [
        ("name", ""), ("name", "Adam"), ("name", None), ("n", 0), ("n", True), ("n", 1.5), ("mail", "here"),
        ("n", float("nan")), ("day", "28.7."), ("size", "x"), ("size", []), ("tags", ["a"]),
        ("tags", "ab"), ("tags", ["a", "z"]), ("yes", "no"),
    ]  # fmt: skip
    for name, value in wrong:
        with pytest.raises(InvalidInput) as problem:
            check_answer(asked, {**whole, name: value})
        assert problem.value.path == name


def test_only_plain_addresses_of_pages_are_shown():
    assert read_page("s", "m", "https://pay.example.com:8443/a?b=c#d").host == "pay.example.com"
    assert read_page("s", "m", "http://127.0.0.1:80/a").host == "127.0.0.1"
    for url in (
        "file:///etc/passwd",
        "javascript:alert(1)",
        "http://example.com/",
        "https://me:pw@example.com/",
        "https://example.com\\@evil.com/",
        "https://exämple.com/",
        "https://",
        "https://a/" + "x" * 2000,
        "smb://a/b",
        "https://a/\u202eb",
        "http://127.0.0.1.example.com/",
    ):
        with pytest.raises(InvalidInput):
            read_page("s", "m", url)


def test_prepared_answers_are_by_server_and_field():
    asked = form(required=("name",), name={"type": "string"})
    given = read_answers(json.dumps({"s": {"name": "Ada", "other": 1}}))
    assert prepared_answer(asked, given) == McpAnswer("accept", {"name": "Ada"})
    assert prepared_answer(asked, {}).action == "decline"
    assert prepared_answer(asked, {"s": "cancel"}).action == "cancel"
    with pytest.raises(InvalidInput):
        prepared_answer(asked, {"s": {}})
    page = read_page("s", "m", "https://example.com/")
    assert prepared_answer(page, {"s": "accept"}).action == "accept"
    assert prepared_answer(page, given).action == "decline"
    # The page of a sign-in is no question of the server: no file answers it.
    assert (
        prepared_answer(read_page("s", "m", "https://example.com/", True), {"s": "accept"}).action
        == "decline"
    )
    for text in ("", "[]", '{"s": 1}', '{"s": "maybe"}', '{"s": []}', "[" * 9000):
        with pytest.raises(InvalidInput):
            read_answers(text)
