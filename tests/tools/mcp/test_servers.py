"""Servers that misbehave cost nothing but their tools; what was started is ended; what was allowed is what is used."""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes.loop import in_loop, until
from tests.fakes.mcp_runs import SAMPLE, Bench, hostile, sample_over_http
from workbench.domain.errors import InvalidInput
from workbench.domain.mcp_server import McpServer, McpTool, approve, secret_place, tool_state
from workbench.domain.secrets import Secret
from workbench.net.connections import Connections
from workbench.net.rules import Rules
from workbench.ports.tools import ToolServerFailed
from workbench.tools.mcp.limits import McpLimits
from workbench.tools.mcp.servers import McpServers, ServerTool
from workbench.tools.mcp.session import Session

QUICK = McpLimits(start_s=60, stop_s=0.3)


def alive(pid: int) -> bool:
    """Whether a process runs; one that is dead and not yet buried by whoever adopted it does not."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


@in_loop
async def test_one_that_does_not_begin_is_given_up_and_then_left_alone():
    """Else every call of a turn would wait as long again."""
    server = approve(hostile("slow"), [])
    async with Bench(server, limits=replace(QUICK, start_s=0.5)) as bench:
        listing = await bench.servers.start("slow")
        assert listing.state == "failed"
        assert "not ready within 0.5 seconds" in listing.problem
        started = len([one for one in bench.told if one.state == "starting"])
        with pytest.raises(ToolServerFailed, match="cannot be used now"):
            await bench.servers.read("slow", "a://b")
        assert len([one for one in bench.told if one.state == "starting"]) == started == 1


@in_loop
async def test_one_that_is_still_starting_does_not_keep_the_program_from_closing():
    async with Bench(hostile("slow"), limits=replace(QUICK, start_s=600)) as bench:
        starting = asyncio.ensure_future(bench.servers.start("slow"))  # noqa: TID251
        await until(lambda: bool(bench.told))
        await bench.servers.close()
        assert (await starting).state == "off"


@in_loop
async def test_one_that_never_answers_a_call_is_not_waited_for():
    async with Bench(hostile("silent"), limits=replace(QUICK, call_s=0.5)) as bench:
        await bench.approved("silent")
        outcome = await bench.call("silent__act")
        assert outcome.failed
        assert "did not answer within 0.5 seconds; it may or may not" in outcome.text


@in_loop
async def test_stop_ends_a_call_at_once_and_the_server_goes_on():
    async with Bench(hostile("silent"), limits=QUICK) as bench:
        await bench.approved("silent")
        calling = asyncio.ensure_future(bench.call("silent__act"))  # noqa: TID251
        await asyncio.sleep(0.1)
        calling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await calling
        assert bench.servers.listing("silent").state == "connected"


@in_loop
async def test_one_that_dies_in_a_call_says_so_and_is_started_again():
    """Its last words are shown, and not the secret that it put into them."""
    server = replace(hostile("dying"), env={"API_TOKEN": secret_place("dying.API_TOKEN")})
    secrets = {"dying.API_TOKEN": Secret.of_text("hunter2hunter2")}
    async with Bench(limits=QUICK) as bench:
        bench.servers.configure([server], secrets)
        listing = await bench.servers.start("dying")
        bench.servers.configure([approve(server, listing.tools)], secrets)
        bench.known = {"dying": server}
        outcome = await bench.call("dying__act")
        assert outcome.failed
        assert "dying ended before it answered" in outcome.text
        await until(lambda: bench.servers.listing("dying").state == "failed")
        problem = bench.servers.listing("dying").problem
        assert "with code 7" in problem
        assert "it was too much, with …" in problem
        assert (await bench.servers.start("dying")).state == "connected"


@in_loop
async def test_a_huge_listing_is_cut_and_that_is_said():
    async with Bench(hostile("huge-listing"), limits=QUICK) as bench:
        listing = await bench.approved("huge-listing")
        assert len(listing.tools) == QUICK.tools
        assert all(len(tool.description) <= QUICK.description_chars for tool in listing.tools)
        said = "\n".join(listing.left_out)
        for left in ("deep: ", "long: ", "bad<U+202E>name: ", "t0000: there are two", "172 more tools"):
            assert left in said, left
        assert listing.tools[0].description == "twin", "the first of a name is used"


@in_loop
async def test_a_huge_result_is_cut_and_that_is_said():
    async with Bench(hostile("huge-result"), limits=QUICK) as bench:
        await bench.approved("huge-result")
        outcome = await bench.call("huge-result__act")
        assert len(outcome.text) < QUICK.result_chars + 100
        assert outcome.text.endswith("[2,600,000 more characters were left out]")


@in_loop
async def test_a_message_without_end_ends_the_server():
    async with Bench(hostile("endless-line"), limits=replace(QUICK, message_bytes=3_000_000)) as bench:
        await bench.approved("endless-line")
        outcome = await bench.call("endless-line__act")
        assert outcome.failed
        assert "It sent a message of more than 3,000,000 bytes." in outcome.text
        await until(lambda: bench.servers.listing("endless-line").state == "failed")
        assert "more than 3,000,000 bytes" in bench.servers.listing("endless-line").problem


@in_loop
async def test_descriptions_are_foreign_text_in_which_nothing_acts_unseen():
    async with Bench(hostile("injecting"), limits=QUICK) as bench:
        (tool,) = (await bench.approved("injecting")).tools
        assert "<U+202E><U+001B>[2J<U+E0041>" in tool.description
        assert tool.schema_json == (
            '{"properties":{"a":{"description":"<U+202E><U+001B>[2J<U+E0041>"}},"type":"object"}'
        )
        (made,) = bench.servers.tools("injecting")
        shown = await made.preview({"text": "a\u202eb" + "c" * 5000})
        assert shown.summary.startswith("Use add (server injecting), with:")
        assert "<U+202E>" in shown.summary
        assert shown.summary.endswith("more characters]")


@in_loop
async def test_a_call_that_names_a_path_outside_says_so():
    tool = ServerTool(McpServer("files"), McpTool("read", "files__read"), McpServers({}, "/home/ada/app"))
    assert (await tool.preview({"path": "/etc/passwd"})).outside == ("/etc/passwd",)
    assert (await tool.preview({"path": "docs/a.md"})).outside == ()


@in_loop
async def test_a_tool_that_changes_after_it_was_looked_at_is_off_until_it_is_looked_at_again():
    async with Bench(hostile("changing"), limits=QUICK) as bench:
        await bench.approved("changing")
        (before,) = bench.servers.tools("changing")
        assert (await bench.call("changing__act")).text == "done"
        await until(lambda: len(bench.told) == 3)
        (now,) = bench.servers.listing("changing").tools
        assert now.description == "Does it. Then sends me the keys."
        assert tool_state(bench.known["changing"], now) == "changed"
        assert bench.servers.tools("changing") == ()
        refused = await before.run({})
        assert refused.failed
        assert "is not the one that was allowed any more" in refused.text
        await bench.approved("changing")
        assert (await bench.call("changing__act")).text == "done"


@pytest.mark.parametrize("mode", ["same-cursor", "new-cursors"])
def test_a_list_that_does_not_end_is_ended(mode: str):
    @in_loop
    async def run() -> None:
        async with Bench(hostile(mode), limits=QUICK) as bench:
            listing = await bench.approved(mode)
            assert listing.state == "connected"
            assert any("does not end" in note for note in listing.left_out)
            assert len(listing.tools) <= QUICK.pages

    run()


@pytest.mark.parametrize("mode", ["babbling", "flooding", "regular"])
def test_noise_does_no_harm(mode: str):
    """Also a schema for results with a pattern that would take for ever: nobody looks at it."""

    @in_loop
    async def run() -> None:
        async with Bench(hostile(mode), limits=QUICK) as bench:
            await bench.approved(mode)
            outcome = await bench.call(f"{mode}__act")
            assert (outcome.text[:4], outcome.failed) == ('{"a"' if mode == "regular" else "done", False)

    run()


@in_loop
async def test_what_is_no_result_is_said_to_be_none():
    async with Bench(hostile("wrong"), limits=QUICK) as bench:
        await bench.approved("wrong")
        outcome = await bench.call("wrong__act")
        assert outcome.failed
        assert "gave something that is no answer" in outcome.text


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks at processes as Linux shows them")
@in_loop
async def test_nothing_that_was_started_is_left_behind():
    """Not even of one that does not listen, and starts others."""
    async with Bench(hostile("stubborn"), limits=QUICK) as bench:
        await bench.approved("stubborn")
        assert isinstance(bench.servers, McpServers)
        session = bench.servers._sessions["stubborn"]
        await until(lambda: bool(_words(session)))
        pids = [int(pid) for pid in _words(session).split()]
        assert [alive(pid) for pid in pids] == [True, True]
        await bench.servers.close()
        assert [alive(pid) for pid in pids] == [False, False]
        assert "tool-servers" not in [thread.name for thread in threading.enumerate()]


def _words(session: Session) -> str:
    return "" if session._child is None else session._child.last_lines()


@in_loop
async def test_a_server_knows_only_what_it_is_told(tmp_path: Path):
    server = replace(
        SAMPLE,
        env={"MODE": "${workspaceFolder}/x", "TOKEN": secret_place("sample.TOKEN")},
        cwd="${workspaceFolder}",
    )
    secrets = {"sample.TOKEN": Secret.of_text("s3cret")}
    async with Bench(folder=str(tmp_path)) as bench:
        bench.servers.configure([server], {})
        missing = await bench.servers.start("sample")
        assert missing.problem == "sample.TOKEN: this secret is not kept here yet; enter it."
        bench.servers.configure([server], secrets)
        listing = await bench.servers.start("sample")
        bench.servers.configure([approve(server, listing.tools)], secrets)
        bench.known = {"sample": server}
        folder, *lines = (await bench.call("sample__surroundings")).text.splitlines()
        known = dict(line.split("=", 1) for line in lines if "=" in line)
        assert os.path.samefile(folder, tmp_path)  # noqa: ASYNC240
        assert (known["TOKEN"], known["MODE"]) == ("s3cret", f"{tmp_path}/x")
        assert "OPENAI_API_KEY" not in known
        assert not {name for name in known if name.startswith(("PYTEST", "QT_", "WORKBENCH"))}


@in_loop
async def test_what_is_set_about_a_server_ends_it_only_where_it_must():
    async with Bench(hostile("silent"), limits=QUICK) as bench:
        await bench.approved("silent")
        bench.servers.configure([replace(bench.known["silent"], tools_off=frozenset({"act"}))], {})
        assert bench.servers.listing("silent").state == "connected"
        assert bench.servers.tools("silent") == ()
        bench.servers.configure([replace(bench.known["silent"], env={"A": "b"})], {})
        await until(lambda: bench.told[-1].state == "off")
        bench.servers.configure([replace(bench.known["silent"], enabled=False)], {})
        assert (await bench.servers.start("silent")).state == "off"
        bench.servers.configure([], {})
        assert bench.servers.tools("silent") == ()
        with pytest.raises(ToolServerFailed, match="switched off, or not here"):
            await bench.servers.read("silent", "a://b")


@in_loop
async def test_one_that_nobody_needs_is_ended():
    async with Bench(hostile("silent"), limits=replace(QUICK, idle_s=0.1)) as bench:
        await bench.approved("silent")
        await until(lambda: bench.told[-1].state == "off")
        assert len(bench.servers.tools("silent")) == 1, "its tools are known all the same"


@in_loop
async def test_a_command_that_begins_nowhere_begins_in_the_servers_folder(tmp_path: Path):
    script = tmp_path / "serve.sh"
    sample = hostile("silent")
    script.write_text(f"#!/bin/sh\nexec {shlex.join((sample.command, *sample.args))}\n")
    script.chmod(0o755)
    async with Bench(replace(sample, command="./serve.sh", args=(), cwd=str(tmp_path))) as bench:
        listing = await bench.servers.start("silent")
        assert (listing.state, listing.problem) == ("connected", "")


@in_loop
async def test_what_cannot_be_started_says_what_to_do(monkeypatch: pytest.MonkeyPatch):
    async with Bench(
        McpServer("none", "no-such-program"),
        replace(hostile("silent"), cwd="/no/such/folder"),
        McpServer("ended", sys.executable, ("-c", "import sys; sys.exit('no key')")),
        McpServer("web", url="http://127.0.0.1:9/mcp"),
    ) as bench:
        listings = {name: await bench.servers.start(name) for name in bench.known}
        assert {one.state for one in listings.values()} == {"failed"}
        assert listings["none"].problem.startswith("There is no program 'no-such-program' here. Install it")
        assert "Check its command and its folder" in listings["silent"].problem
        assert listings["ended"].problem == "It ended on its own, with code 1.\nIts last words:\nno key"
        assert listings["web"].problem.startswith("It could not be reached")
    monkeypatch.setitem(sys.modules, "mcp", None)
    async with Bench(hostile("silent")) as bench:
        problem = (await bench.servers.start("silent")).problem
        assert 'pip install "context-workbench[mcp]"' in problem


def test_a_server_that_could_not_be_used_is_refused():
    with pytest.raises(InvalidInput, match="read on the way"):
        McpServers({}).configure([McpServer("a", url="http://example.com/")], {})


@in_loop
async def test_offline_no_program_starts_and_a_running_one_is_ended():
    """Whether it reaches out by itself cannot be seen, and offline says that nothing leaves this computer."""
    net = Connections(Rules(offline=True))
    async with Bench(SAMPLE, net=net, limits=QUICK) as bench:
        listing = await bench.servers.start("sample")
        assert (listing.state, "was not started" in listing.problem) == ("off", True)
        assert bench.told == []
        net.rules = Rules()
        await bench.approved("sample")
        assert not (await bench.call("sample__add", {"a": 1, "b": 2})).failed
        net.rules = Rules(offline=True)
        await until(lambda: bench.servers.listing("sample").state == "off")
        outcome = await bench.call("sample__add", {"a": 1, "b": 2})
        assert (outcome.failed, "cannot be seen" in outcome.text) == (True, True)


@in_loop
async def test_offline_a_server_on_this_computer_is_asked_as_any_other():
    async with sample_over_http() as server, Bench(server, net=Connections(Rules(offline=True))) as bench:
        assert (await bench.approved("sample")).state == "connected"
