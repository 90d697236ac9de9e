"""The schemas of what programs read, and what in a document does not fit them."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from referencing import Registry, Resource

FOLDER = Path(__file__).parents[2] / "resources" / "schemas"
NAMES = ("ask", "influence", "inspect", "replay", "spend", "tools")
Json = dict[str, Any]


@cache
def schema(name: str) -> Json:
    """The schema of that name."""
    found: Json = json.loads((FOLDER / f"{name}.schema.json").read_text(encoding="utf-8"))
    return found


@cache
def _validator(name: str, part: str) -> Draft202012Validator:
    known = [(schema(one)["$id"], Resource.from_contents(schema(one))) for one in NAMES]
    whole = {"$ref": f"{schema(name)['$id']}#/$defs/{part}"} if part else schema(name)
    return Draft202012Validator(whole, registry=Registry().with_resources(known))


def problems(name: str, document: object, part: str = "") -> list[str]:
    """What does not fit a schema, or a part of it, after a way through JSON, as a program reads it."""
    read = json.loads(json.dumps(document))
    return [
        f"{error.json_path}: {error.message[-200:]}" for error in _validator(name, part).iter_errors(read)
    ]
