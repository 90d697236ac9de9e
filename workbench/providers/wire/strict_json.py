"""Parses JSON strictly: no NaN, no invalid UTF-8, and no nesting that exhausts the stack."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from workbench.domain.translation import tr
from workbench.providers.wire.faults import Garbled


def parse_json(encoded: bytes) -> Any:
    """Parses a value; `Garbled` where it is invalid."""
    try:
        return _DECODER.decode(encoded.decode("utf-8"))
    except UnicodeDecodeError:
        fault = Garbled(tr("text that is not UTF-8"))
    except (ValueError, RecursionError):
        fault = Garbled(tr("something that is not JSON"))
    raise fault


def parse_object(encoded: bytes) -> dict[str, Any]:
    """Parses an object; `Garbled` where it is another value."""
    value = parse_json(encoded)
    if not isinstance(value, dict):
        raise Garbled(tr("JSON that is not an object"))
    return value


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


# Made once: a stream is parsed hundreds of times a second.
_DECODER = json.JSONDecoder(parse_constant=_refuse)
