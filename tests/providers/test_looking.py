"""A server is asked once whether it answers, and waited for briefly."""

from __future__ import annotations

import json

from tests.fakes.fault_server import Connection, FaultServer
from tests.fakes.loop import in_loop
from workbench.domain.model import ServerLook
from workbench.providers.named_models import look_at
from workbench.providers.wire.endpoint import Endpoint, endpoint_of


def at(name: str) -> Endpoint:
    return endpoint_of(name, lambda _: None)


async def two(connection: Connection) -> None:
    key = "models" if connection.asked.path.endswith("/tags") else "data"
    listed = [{"id": "a", "model": "a"}, {"id": "b", "model": "b"}]
    await connection.whole(json.dumps({key: listed}).encode(), "application/json")


async def no_list(connection: Connection) -> None:
    await connection.whole(b"{}", "application/json", "404 Not Found")


async def silent(connection: Connection) -> None:
    await connection.gone()


@in_loop
async def test_each_says_whether_it_answers_and_what_to_do():
    async with FaultServer({"two": two, "bare": no_list, "silent": silent}) as server:
        host = f"127.0.0.1:{server.port}"
        ollama = f"ollama:any@{server.url('two', '')}"
        found = [
            await look_at("lab", at(f"server:{server.url('two', '/v1')}#any")),
            await look_at("ollama", at(ollama)),
            await look_at("bare", at(f"server:{server.url('bare', '/v1')}#any")),
            await look_at("slow", at(f"server:{server.url('silent', '/v1')}#any"), wait_s=0.05),
        ]
        asked = len(server.asked)
    advice = "Nothing came within 0.05 s. Start the server, or correct its address in settings.toml."
    assert found == [
        ServerLook("lab", True, f"{host} answers (2 models)"),
        ServerLook("ollama", True, f"{host} answers (2 models)"),
        ServerLook("bare", True, f"{host} answers"),
        ServerLook("slow", False, f"{host} does not answer", advice),
    ]
    assert asked <= 8


@in_loop
async def test_where_nothing_listens_the_advice_says_what_to_start():
    gone = await look_at("ollama", at("ollama:any@http://127.0.0.1:9"))
    assert (gone.usable, gone.found) == (False, "127.0.0.1:9 cannot be used")
    assert "`ollama serve` starts it" in gone.advice
