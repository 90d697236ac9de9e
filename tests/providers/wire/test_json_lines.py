"""Objects out of lines."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from workbench.providers.wire.events import json_objects
from workbench.providers.wire.faults import CutOff, Garbled


async def pieces(*parts: bytes) -> AsyncGenerator[bytes, None]:
    for part in parts:
        yield part


def read(*parts: bytes) -> list[dict[str, Any]]:
    async def all_of_them() -> list[dict[str, Any]]:
        return [one async for one in json_objects(pieces(*parts), 100)]

    return asyncio.run(all_of_them())


def test_every_line_is_an_object():
    assert read(b'{"a": 1}\n\n  \r\n{"b"', b": 2}\n") == [{"a": 1}, {"b": 2}]


def test_the_last_line_needs_no_end():
    assert read(b'{"a": 1}') == [{"a": 1}]


def test_half_a_last_line_is_a_cut():
    with pytest.raises(CutOff) as cut:
        read(b'{"a": 1}\n{"b"')
    assert cut.value.__context__ is None


def test_a_broken_line_is_garbled():
    with pytest.raises(Garbled):
        read(b'{"a"\n{"b": 1}\n')
