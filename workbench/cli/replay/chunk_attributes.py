"""Reads attributes of typed chunks, as JSON values or as text: in XML tags "true" and "3" are text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeVar

from workbench.domain.chunk import Marks
from workbench.domain.reading.node import Fields, Node

A = TypeVar("A", bound=str)
T = TypeVar("T")


def read_action(fields: Fields, options: Sequence[A], likely: T) -> A | T:
    """The action a chunk names, or the likely one where it names none."""
    node = fields.given("action")
    return likely if node is None else node.choice(options)


def read_call_action(fields: Fields, tool: A, skill: A) -> A:
    """Whether a tool or a skill is meant: what the action says, else which of the two is named."""
    return read_action(fields, (tool, skill), skill if fields.given("skill") else tool)


def read_callee(fields: Fields, attribute: Literal["tool", "skill"]) -> str | None:
    """The name of the tool or skill; the other of the two may not be there."""
    other = fields.given("skill" if attribute == "tool" else "tool")
    if other is not None:
        raise other.error(f'this chunk is about a {attribute}; name it with "{attribute}"')
    return read_attribute(fields, attribute)


def read_attribute(fields: Fields, name: str) -> str | None:
    """An attribute that is text."""
    node = fields.given(name)
    return None if node is None else node.text()


def read_success(fields: Fields) -> bool | None:
    """Whether it worked; attributes of tags are text, so "true" is as good as true."""
    node = fields.given("success")
    if node is None:
        return None
    return node.value == "true" if node.value in ("true", "false") else node.flag()


def read_error(fields: Fields) -> str | None:
    """The error attribute: "true", or a text that says more."""
    node = fields.given("error")
    if node is None or node.value is False or node.value == "false":
        return None
    return "true" if node.value is True else node.text()


def read_compacted_at(node: Node) -> str | None:
    """The moment as it was written, number or text."""
    if node.value is None or isinstance(node.value, str):
        return None if node.value is None else node.text()
    if isinstance(node.value, bool) or not isinstance(node.value, int | float):
        raise node.expected("a number or a string")
    return node.json()


def read_body(node: Node) -> str:
    """The chunk's content; what is not text is written as JSON, spaced as `json.dumps` does."""
    if node.value is None:
        return ""
    return node.text() if isinstance(node.value, str) else node.json((", ", ": "))


def read_marks(node: Node) -> Marks:
    """The free marks of a chunk, in the order they are written in."""
    if not isinstance(node.value, dict):
        raise node.expected("an object")
    return tuple((Node(name).text(), _mark(node.at(name, value))) for name, value in node.value.items())


def _mark(node: Node) -> str:
    return node.text() if isinstance(node.value, str) else node.json()
