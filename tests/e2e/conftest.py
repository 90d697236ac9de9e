"""One real model server for all tests that ask one: its start is the slow part."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from workbench.providers.builtin_model import BuiltinModel, BuiltinSource
from workbench.providers.llama_server import LlamaSetup
from workbench.providers.model_files import ModelFiles, load_builtin_file
from workbench.sources.resources import resource_path

Run = Callable[[Coroutine[Any, Any, Any]], Any]


def model_file() -> Path:
    """The model that a checkout installs."""
    found = ModelFiles(load_builtin_file(resource_path("builtin-model.toml")), Path("nowhere")).find()
    assert found is not None, "run `python3 packaging/dev.py setup`: it installs the built-in model"
    return found


def builtin(**setup: Any) -> BuiltinModel:
    """The built-in model, its server run a little differently."""

    def tune(given: LlamaSetup) -> LlamaSetup:
        return replace(given, threads=1, **setup)  # tests run beside each other

    return BuiltinModel(BuiltinSource("builtin", model_file, "not there", "server:builtin", tune))


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
