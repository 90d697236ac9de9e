"""Arguments of tools: described to the model as a JSON schema, and checked when the model has written them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, assert_never

from workbench.domain.tool import ToolDefinition
from workbench.tools.workspace.paths import Refused, shown

FieldKind = Literal["text", "number", "flag"]
_JSON_TYPES: dict[FieldKind, str] = {"text": "string", "number": "integer", "flag": "boolean"}
_LARGEST_NUMBER = 1_000_000_000
_FLAGS = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class Field:
    """One argument of a tool; numbers start at 1."""

    name: str
    kind: FieldKind
    meaning: str
    required: bool = False


@dataclass(frozen=True, slots=True)
class Form:
    """A tool's name, description and arguments."""

    name: str
    description: str
    fields: tuple[Field, ...]

    @property
    def definition(self) -> ToolDefinition:
        """Returns the definition sent to the model; always the same bytes, since it is part of the cached prefix."""
        schema = {
            "type": "object",
            "properties": {
                one.name: {"type": _JSON_TYPES[one.kind], "description": one.meaning} for one in self.fields
            },
            "required": [one.name for one in self.fields if one.required],
            "additionalProperties": False,
        }
        compact = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
        return ToolDefinition(self.name, self.description, compact)

    def check(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Converts the arguments to their types; refuses unknown, missing or mistyped ones by name."""
        if not isinstance(arguments, Mapping):
            raise Refused(f"The arguments of {self.name} must be an object with: {self._names()}.")
        known = {one.name: one for one in self.fields}
        unknown = [shown(str(name)[:80]) for name in arguments if name not in known]
        if unknown:
            raise Refused(f"{self.name} does not know {', '.join(unknown)}; it takes: {self._names()}.")
        # Models often write null for "not given".
        given = {name: value for name, value in arguments.items() if value is not None}
        missing = [one.name for one in self.fields if one.required and one.name not in given]
        if missing:
            raise Refused(f"{self.name} needs {', '.join(missing)}; it takes: {self._names()}.")
        return {name: _convert(known[name], value) for name, value in given.items()}

    def _names(self) -> str:
        return ", ".join(one.name if one.required else f"{one.name} (optional)" for one in self.fields)


def _convert(field: Field, value: object) -> str | int | bool:
    match field.kind:
        case "text":
            if isinstance(value, str):
                return value
        case "number":
            number = _number(value)
            if number is not None and 1 <= number <= _LARGEST_NUMBER:
                return number
        case "flag":
            flag = _FLAGS.get(value.lower()) if isinstance(value, str) else value
            if isinstance(flag, bool):
                return flag
        case _:
            assert_never(field.kind)
    raise Refused(f"{field.name} must be {_expected(field.kind)}.")


def _number(value: object) -> int | None:
    """Converts to a whole number, also from "3" or 3.0; None where it is none."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 12:
        return int(value)
    return None


def _expected(kind: FieldKind) -> str:
    match kind:
        case "text":
            return "a string"
        case "number":
            return "a whole number from 1"
        case "flag":
            return "true or false"
        case _:
            assert_never(kind)
