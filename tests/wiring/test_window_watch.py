"""A window's watch: its proxy runs in a loop of its own, tells of requests in ours, and is gone when it is closed."""

from __future__ import annotations

import asyncio
import json
import threading
import urllib.error
import urllib.request
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes.engine import TickingUtc, fake_bench
from tests.fakes.history import MemoryHistory
from tests.fakes.loop import in_loop, until
from tests.fakes.raw_server import RawServer, Reader, Writer, length_of, serving
from tests.fakes.workspace_store import MemoryWorkspaces
from workbench.domain.errors import WorkbenchError
from workbench.domain.watch.rules import REFUSED, ProgramRules, parse_rule
from workbench.domain.workspace import with_rules
from workbench.engine.intents import OpenChat
from workbench.engine.known_workspaces import Workspaces
from workbench.engine.program_intents import AnswerHeld, HoldRequests, WatchPrograms
from workbench.engine.workbench import Workbench
from workbench.engine.workspace_intents import ReviseWorkspace
from workbench.ports.watching import CopiedRequest, Ears
from workbench.wiring.folder import ProgramFolder
from workbench.wiring.watch import WindowWatch, without_own_watch

KEY = "sk-ant-0123456789"
ANSWER = {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "Four."}]}
BODY = {
    "model": "claude-sonnet-4-5",
    "max_tokens": 9,
    "messages": [{"role": "user", "content": "Two and two?"}],
}


def reply() -> bytes:
    body = json.dumps(ANSWER).encode()
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (
        len(body),
        body,
    )


def ask(address: str) -> bytes:
    heads = {"content-type": "application/json", "x-api-key": KEY, "anthropic-version": "2023-06-01"}
    request = urllib.request.Request(f"{address}/v1/messages", json.dumps(BODY).encode(), heads)
    with urllib.request.urlopen(request) as answer:
        return bytes(answer.read())


@in_loop
async def test_a_request_passes_is_understood_and_holds_no_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    act, seen = serving(reply())
    async with RawServer(act) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        watch = WindowWatch(ProgramFolder(Namespace(data_dir=str(tmp_path))))
        heard: list[CopiedRequest] = []
        told: list[tuple[str, bool]] = []
        here = threading.get_ident()

        def note(what: str) -> None:
            told.append((what, threading.get_ident() == here))

        listening = await watch.start(
            Ears(lambda: note("began"), lambda _: note("asked"), lambda _: note("grew"), heard.append)
        )
        assert listening.address.startswith("http://127.0.0.1:")
        assert "ANTHROPIC_BASE_URL" in dict(listening.lines)
        assert json.loads(await asyncio.to_thread(ask, listening.address)) == ANSWER
        await until(lambda: bool(heard))
        exchange = heard[0].exchange()
        turn = watch.understand(exchange)
        assert turn is not None
        assert [one.text for one in turn.answer.pieces] == ["Four."]
        assert told == [("began", True), ("asked", True), ("grew", True)]
        assert KEY not in repr(exchange)
        assert KEY.encode() in seen[0][0]
        await watch.close()
        assert not any(thread.name == "watch" for thread in threading.enumerate())
    await watch.close()


def test_variables_that_lead_to_the_window_itself_are_passed_over():
    """Whoever set the line for good, and starts the window from that shell, must not send requests in a circle."""
    found = without_own_watch(
        {"ANTHROPIC_BASE_URL": "http://127.0.0.1:4040/anthropic", "OLLAMA_HOST": "b:1", "X": "y"}
    )
    assert found == {"OLLAMA_HOST": "b:1", "X": "y"}


@in_loop
async def test_requests_go_to_a_server_of_ones_own_where_one_is_named(tmp_path: Path):
    act, seen = serving(reply())
    async with RawServer(act) as server:
        watch = WindowWatch(ProgramFolder(Namespace(data_dir=str(tmp_path))))
        heard: list[CopiedRequest] = []
        ears = Ears(lambda: None, lambda _: None, lambda _: None, heard.append)
        with pytest.raises(WorkbenchError, match=r"^nonsense: "):
            await watch.start(ears, "nonsense")
        listening = await watch.start(ears, f"{server.url}/v1")
        assert json.loads(await asyncio.to_thread(ask, listening.address)) == ANSWER
        assert seen
        await watch.close()


async def looked_at(workbench: Workbench, body: str) -> None:
    """A held request is shown like any other while it waits."""
    await until(lambda: bool(workbench.state.chats))
    chat = workbench.state.chats[0].id
    await workbench.dispatch(OpenChat(chat))

    def shown() -> object:
        view = workbench.state.open[chat].shown
        form = None if view is None else view.wire()
        return form and form.body

    await until(lambda: workbench.state.open[chat].turns[-1].state == "running")
    await until(lambda: shown() == json.loads(body))


@in_loop
async def test_rules_and_holding_reach_the_proxy_in_its_own_loop(tmp_path: Path):
    """The engine decides in the window's loop while the proxy waits in another one, with a rule that switches off."""
    bodies: list[bytes] = []

    async def act(reader: Reader, writer: Writer) -> None:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            bodies.append(await reader.readexactly(length_of(head)))
            refused = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 2\r\n\r\n{}"
            writer.write(reply() if b"Cron" in bodies[-1] or b"Bash" not in bodies[-1] else refused)

    store = MemoryHistory()
    bench = fake_bench(store=store, workspaces=Workspaces(MemoryWorkspaces(store), TickingUtc()))
    async with RawServer(act) as server:
        bench.world = replace(
            bench.world, watch=lambda: WindowWatch(ProgramFolder(Namespace(data_dir=str(tmp_path))))
        )
        workbench = Workbench(bench.world)
        try:
            await workbench.dispatch(WatchPrograms(True, f"{server.url}/v1"))
            everywhere = workbench.state.everywhere
            rules = ProgramRules("Python-urllib", (parse_rule("tools.without=Cron"),))
            await workbench.dispatch(
                ReviseWorkspace(everywhere, with_rules(everywhere, rules)), HoldRequests(True)
            )

            async def asked(tools: Sequence[str], send: bool, body: str | None = None) -> bytes:
                said = {**BODY, "tools": [{"name": one, "input_schema": {}} for one in tools]}
                asking = workbench._world.tasks.start(
                    "ask", asyncio.to_thread(post, workbench.state.watch.address, said)
                )
                await until(lambda: bool(workbench.state.watch.held))
                (held,) = workbench.state.watch.held
                await looked_at(workbench, held.body)
                await workbench.dispatch(AnswerHeld(held.n, send, body))
                return await asking

            assert json.loads(await asked(["Cron"], send=True)) == ANSWER
            assert json.loads(bodies[-1])["tools"] == []
            assert b"permission_error" in await asked(["Cron"], send=False)
            edited = {**BODY, "max_tokens": 7}
            assert json.loads(await asked(["Cron"], True, json.dumps(edited))) == ANSWER
            assert json.loads(bodies[-1]) == edited
            # Refused by the server with the rule, taken without it: sent again as it came, and the rule is off.
            assert json.loads(await asked(["Bash", "Cron"], send=True)) == ANSWER
            assert [b"Cron" in body for body in bodies[-2:]] == [False, True]
            await until(
                lambda: any(
                    one.why == REFUSED for kept in workbench.state.everywhere.watched for one in kept.rules
                )
            )
            await workbench.dispatch(WatchPrograms(False))
            assert not workbench.state.watch.holding
        finally:
            await workbench.close()


def post(address: str, body: object) -> bytes:
    heads = {"content-type": "application/json", "anthropic-version": "2023-06-01"}
    request = urllib.request.Request(f"{address}/v1/messages", json.dumps(body).encode(), heads)
    try:
        with urllib.request.urlopen(request) as answer:
            return bytes(answer.read())
    except urllib.error.HTTPError as refused:
        return bytes(refused.read())
