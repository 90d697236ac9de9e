"""A watch from its start to its end, in this process."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.history_access import MemoryAccess, history_parts
from tests.fakes.loop import in_loop
from tests.fakes.parts import parts_with
from tests.fakes.passing import STARTED, understanding
from tests.fakes.preferences import MemoryPreferences
from tests.fakes.raw_server import RawServer, Reader, Writer, serving
from workbench.cli.services import Services, WatchParts
from workbench.cli.watch.running import watch
from workbench.domain.errors import InvalidInput
from workbench.domain.watch.routes import Routes
from workbench.net.connections import Connections
from workbench.net.watch.proxy import WatchProxy

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are another thing there")
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
ASKS = """
import os, sys, urllib.request as u
for path in ("/v1/messages", "/v1/messages/count_tokens"):
    print(u.urlopen(u.Request(os.environ["ANTHROPIC_BASE_URL"] + path, b"{}")).read().decode())
sys.exit(3)
"""


def asked(**given: Any) -> argparse.Namespace:
    usual = {"to": "", "port": 0, "json": False, "out": None, "no_keep": True, "program": (), "rule": []}
    return argparse.Namespace(**{**usual, **given})


def services(routes: Routes) -> Services:
    def parts(_to: str) -> WatchParts:
        def proxy(heard: Any) -> WatchProxy:
            return WatchProxy(Connections(), routes, heard, lambda: 0.0)

        return WatchParts(routes, proxy, {"PATH": os.defpath}, lambda _: None)

    return parts_with(watch=parts)


@pytest.mark.slow
@in_loop
async def test_a_command_is_led_to_the_watch(tmp_path: Path, capfd: pytest.CaptureFixture[str]):
    act, seen = serving(OK)
    async with RawServer(act) as server:
        routes = Routes({"anthropic": f"{server.url}/own"})
        out = tmp_path / "lines"
        code = await watch(
            asked(json=True, out=str(out), program=(sys.executable, "-c", ASKS)), services(routes)
        )
    lines = [json.loads(one) for one in out.read_text().splitlines()]
    shown = capfd.readouterr()
    assert code == 3
    assert [head.split(b" ")[1] for head, _ in seen] == [
        b"/own/v1/messages",
        b"/own/v1/messages/count_tokens",
    ]
    assert [(one["n"], one["format"]) for one in lines] == [(1, "anthropic"), (2, None)]
    assert shown.out == "{}\n{}\n"  # the command's own, and nothing of ours


@in_loop
async def test_ctrl_c_ends_it_cleanly(capsys: pytest.CaptureFixture[str]):
    act, _ = serving(OK)
    async with RawServer(act) as server, asyncio.TaskGroup() as group:
        running = group.create_task(watch(asked(json=True), services(Routes(to=server.url))))
        port = await _port(capsys)
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(
            f"POST /v1/messages HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: 2\r\n\r\n{{}}".encode()
        )
        assert await reader.readexactly(len(OK)) == OK
        os.kill(os.getpid(), signal.SIGINT)
        assert await running == 0
        writer.close()
    shown = capsys.readouterr()
    assert json.loads(shown.out)["status"] == 200
    assert shown.err == "Passed on unread: 1 request: its body is not what its API takes\n"


@in_loop
async def test_a_port_that_is_taken(capsys: pytest.CaptureFixture[str]):
    async with RawServer(lambda *_: asyncio.sleep(0)) as server:
        assert await watch(asked(port=server.port), services(Routes())) == 1
        assert f"port {server.port} is in use" in capsys.readouterr().err


@in_loop
async def test_a_watch_that_would_ask_itself():
    async with RawServer(lambda *_: asyncio.sleep(0)) as server:
        port = server.port
    with pytest.raises(InvalidInput, match="circle"):
        await watch(asked(port=port), services(Routes(to=f"http://127.0.0.1:{port}")))


@in_loop
async def test_a_file_that_cannot_be_written(tmp_path: Path):
    with pytest.raises(InvalidInput, match="cannot be written"):
        await watch(asked(out=str(tmp_path / "no" / "file")), services(Routes()))


@in_loop
async def test_a_request_is_kept_while_it_is_answered(capsys: pytest.CaptureFixture[str]):
    """So a window beside it shows what is being asked now."""
    answer = asyncio.Event()

    async def act(reader: Reader, writer: Writer) -> None:
        await reader.readuntil(b"}]}")
        await answer.wait()
        writer.write(OK)
        await reader.read()

    access, known = MemoryAccess(), understanding()
    async with RawServer(act) as server, asyncio.TaskGroup() as group:
        routes = Routes(to=server.url)

        def parts(_to: str) -> WatchParts:
            def proxy(heard: Any) -> WatchProxy:
                return WatchProxy(Connections(), routes, heard, lambda: STARTED)

            return WatchParts(routes, proxy, {}, known.take, known.begin, known.remember)

        given = replace(history_parts(access), watch=parts, preferences=MemoryPreferences)
        running = group.create_task(watch(asked(json=True, no_keep=False), given))
        port = await _port(capsys)
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        body = b'{"model":"m","messages":[{"role":"user","content":"What is it?"}]}'
        head = f"POST /v1/messages HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        states: list[str] = []
        while states != ["running"]:
            await asyncio.sleep(0.005)
            chats = await access.store.chats()
            states = [one.state for chat in chats for one in await access.store.turns(chat.id)]
        answer.set()
        os.kill(os.getpid(), signal.SIGINT)
        assert await running == 0
        writer.close()
    (chat,) = await access.store.chats()
    assert [one.state for one in await access.store.turns(chat.id)] != ["running"]


async def _port(capsys: pytest.CaptureFixture[str]) -> int:
    address = ""
    while not address:
        await asyncio.sleep(0.005)
        address = capsys.readouterr().err.partition("Watching on ")[2].partition(",")[0]
    return int(address.rpartition(":")[2])
