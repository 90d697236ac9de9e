"""Servers of tools: the same over stdio and over streamable HTTP, and with real servers of other people."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.util import find_spec
from pathlib import Path
from shutil import which

import pytest

from tests.fakes.loop import in_loop, until
from tests.fakes.mcp_runs import SAMPLE, Bench, sample_over_http
from tests.fakes.server_fronts import FakeFront
from tests.fakes.tool_servers import sample_servers
from workbench.domain.mcp_question import McpAnswer, check_answer
from workbench.domain.mcp_server import McpServer
from workbench.ports.tools import ToolServerFailed


@asynccontextmanager
async def sample(kind: str) -> AsyncIterator[Bench]:
    if kind == "fake":
        async with Bench(SAMPLE, of=sample_servers()) as bench:
            yield bench
        return
    if kind == "stdio":
        async with Bench(SAMPLE) as bench:
            yield bench
        return
    async with sample_over_http() as server, Bench(server) as bench:
        yield bench


@pytest.mark.parametrize("kind", ["fake", "stdio", "http"])
def test_everything_a_server_has_can_be_used(kind: str):
    @in_loop
    async def run() -> None:
        async with sample(kind) as bench:
            assert bench.servers.listing("sample").state == "off"
            assert bench.servers.tools("sample") == ()
            listing = await bench.approved("sample")
            assert (listing.state, listing.problem, listing.left_out) == ("connected", "", ())
            assert [tool.called for tool in listing.tools] == [
                "sample__add",
                "sample__fail",
                "sample__surroundings",
            ]
            assert [tool.says_read_only for tool in listing.tools] == [True, False, False]
            assert {one.uri: one.mime for one in listing.resources} == {
                "sample://notes": "text/markdown",
                "sample://picture": "image/png",
            }
            (prompt,) = listing.prompts
            assert [(one.name, one.required) for one in prompt.arguments] == [("subject", True)]

            sum_ = await bench.call("sample__add", {"a": 2, "b": 3})
            assert (sum_.text, sum_.failed) == ("5", False)
            assert (await bench.call("sample__fail")).failed
            assert (await bench.call("sample__add", {"a": "x"})).failed
            (notes,) = await bench.servers.read("sample", "sample://notes")
            assert (notes.text, notes.data, notes.mime) == ("# Notes\nkäse", b"", "text/markdown")
            (picture,) = await bench.servers.read("sample", "sample://picture")
            assert (picture.text, picture.data) == ("", b"\x89PNG\x00")
            with pytest.raises(ToolServerFailed, match="sample refused"):
                await bench.servers.read("sample", "sample://nothing")
            assert await bench.servers.prompt("sample", "review", {"subject": "it"}) == "Review it, please."

            # Whatever it says about its tools, a person is asked.
            assert all(tool.has_side_effects for tool in bench.servers.tools("sample"))
            await bench.servers.stop("sample")
            await until(lambda: bench.told[-1].state == "off")
            assert [one.state for one in bench.told] == ["starting", "connected", "off"]
            assert (await bench.call("sample__add", {"a": 1, "b": 1})).text == "2", "a call starts it again"

    run()


@pytest.mark.skipif(which("git") is None, reason="there is no git here")
def test_the_git_server(tmp_path: Path):
    @in_loop
    async def run() -> None:
        for command in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "First words"]):
            who = ["-c", "user.name=Me", "-c", "user.email=me@example.com"]
            subprocess.run(["git", *who, *command], cwd=tmp_path, check=True)  # noqa: ASYNC221
        arguments = ("-m", "mcp_server_git", "--repository", "${workspaceFolder}")
        server = McpServer("git", sys.executable, arguments, cwd="${workspaceFolder}")
        async with Bench(server, folder=str(tmp_path)) as bench:
            listing = await bench.approved("git")
            assert (listing.state, listing.problem) == ("connected", "")
            assert "First words" in (await bench.call("git__git_log", {"repo_path": str(tmp_path)})).text
            assert (await bench.call("git__git_log", {"repo_path": "/"})).failed

    run()


@pytest.mark.skipif(find_spec("mcp_server_fetch") is None, reason="the fetch server is not installed here")
def test_the_fetch_server():
    @in_loop
    async def run() -> None:
        async with Bench(McpServer("fetch", sys.executable, ("-m", "mcp_server_fetch"))) as bench:
            listing = await bench.approved("fetch")
            assert [tool.called for tool in listing.tools] == ["fetch__fetch"]
            assert (await bench.call("fetch__fetch", {"url": "http://127.0.0.1:9/"})).failed

    run()


@pytest.mark.skipif(
    which("mcp-server-filesystem") is None, reason="the server, which needs node, is not installed here"
)
def test_the_filesystem_server(tmp_path: Path):
    @in_loop
    async def run() -> None:
        (tmp_path / "a.md").write_text("Alpha.")
        server = McpServer("files", "mcp-server-filesystem", ("${workspaceFolder}",))
        async with Bench(server, folder=str(tmp_path)) as bench:
            await bench.approved("files")
            assert (
                await bench.call("files__read_text_file", {"path": str(tmp_path / "a.md")})
            ).text == "Alpha."
            assert (await bench.call("files__read_text_file", {"path": "/etc/passwd"})).failed

    run()


@pytest.mark.skipif(
    which("mcp-server-everything") is None, reason="the server, which needs node, is not installed here"
)
@in_loop
async def test_the_everything_server():
    async with Bench(McpServer("every", "mcp-server-everything", ("stdio",))) as bench:
        listing = await bench.approved("every")
        assert listing.resources
        assert listing.prompts
        assert (await bench.call("every__echo", {"message": "hi"})).text == "Echo: hi"
        assert "[image, image/png" in (await bench.call("every__get-tiny-image")).text
        assert await bench.servers.read("every", listing.resources[0].uri)
        front = FakeFront(lambda question: McpAnswer("accept", check_answer(question, {"name": "Ada"})))
        bench.servers.attend(front)
        assert "Name: Ada" in (await bench.call("every__trigger-elicitation-request")).text
        assert len(front.asked[0].fields) > 10
