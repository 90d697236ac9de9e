"""One real model server for all tests that ask one: its start is the slow part."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest

from tests.fakes.builtin_stage import builtin
from workbench.providers.builtin.model import BuiltinModel

Run = Callable[[Coroutine[Any, Any, Any]], Any]


@pytest.fixture(scope="session")
def run() -> Iterator[Run]:
    """One loop for all tests of the session, because the server belongs to one."""
    with asyncio.Runner() as runner:
        yield runner.run


@pytest.fixture(scope="session")
def model(run: Run) -> Iterator[BuiltinModel]:
    """The built-in model with a server that lives as long as the session."""
    made = builtin()
    yield made
    run(made.close())
