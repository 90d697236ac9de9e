"""The real built-in model on a stage: what it says is its own, how it says it must keep the contract."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.fakes.chat_script import Played, Script
from workbench.domain.answer import AnswerPart
from workbench.domain.request import ModelRequest, WireBody
from workbench.providers.builtin.files import ModelFiles, load_builtin_file
from workbench.providers.builtin.model import BuiltinModel, BuiltinSource
from workbench.providers.builtin.server import LlamaSetup
from workbench.sources.resources import resource_path


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


class BriefModel:
    """The built-in model, kept short: left alone, so small a model may repeat itself until its window is full."""

    def __init__(self) -> None:
        self._model = builtin()
        self.card, self.meter, self.ready, self.close = (
            self._model.card, self._model.meter, self._model.ready, self._model.close,
        )  # fmt: skip

    def stream(self, request: ModelRequest) -> AsyncGenerator[AnswerPart, None]:
        """At most a few words."""
        return self._model.stream(replace(request, max_output_tokens=16))

    def wire(self, request: ModelRequest) -> WireBody:
        """The same few words."""
        return self._model.wire(replace(request, max_output_tokens=16))


class BuiltinStage:
    """llama.cpp's server in a child process, with a model that says what it likes."""

    name = "builtin"
    obeys = False

    @asynccontextmanager
    async def play(self, script: Script) -> AsyncGenerator[Played, None]:
        model = BriefModel()
        yield Played(model, asyncio.Event())
        await model.close()
