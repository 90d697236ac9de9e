"""A running double of the model server, and requests for it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.fakes.llama_double import DOUBLE
from workbench.domain.message import Role
from workbench.domain.request import ModelRequest, RequestMessage
from workbench.providers.builtin.client import LlamaClient
from workbench.providers.builtin.server import LlamaServer, LlamaSetup

Line = tuple[Role, str]


@asynccontextmanager
async def llama_client(command: tuple[str, ...] = DOUBLE) -> AsyncIterator[LlamaClient]:
    """A client of a double that ends with the test."""
    server = LlamaServer(LlamaSetup(Path("model.gguf"), "builtin", 64, command=command))
    client = LlamaClient(await server.start(lambda what, fraction: None))
    try:
        yield client
    finally:
        await client.close()
        await server.close()


def chat(*lines: Line, **changes: Any) -> ModelRequest:
    """A request with these messages."""
    messages = tuple(RequestMessage(f"m{number}", role, text) for number, (role, text) in enumerate(lines))
    return replace(ModelRequest("builtin", "talk", messages, 64), **changes)
