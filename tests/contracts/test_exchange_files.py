"""What everyone does who reads and writes files of exports and imports."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.exchange_files import MemoryExchange
from tests.fakes.loop import in_calm_loop
from workbench.domain.errors import WorkbenchError
from workbench.ports.exchange_files import ExchangeFiles, WritingStopped
from workbench.sources.exchange_files import FolderExchange


@pytest.fixture(params=["files", "memory"])
def exchange(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> ExchangeFiles:
    monkeypatch.chdir(tmp_path)
    return FolderExchange() if request.param == "files" else MemoryExchange()


def never() -> bool:
    return False


@in_calm_loop
async def test_a_single_file_is_named_as_one_likes_and_read_again(exchange: ExchangeFiles):
    written = await exchange.write("out.json", [("chats.json", b"{}")], alone=True, stopped=never)
    assert written == ("out.json",)
    (group,) = (await exchange.read(["out.json"])).groups
    assert [(file.name, file.load(), file.size_bytes) for file in group.files] == [("out.json", b"{}", 2)]


@in_calm_loop
async def test_several_files_go_into_a_folder(exchange: ExchangeFiles):
    files = [("a.md", b"Alpha"), ("b/c.json", b"Gamma")]
    assert await exchange.write("out", files, alone=False, stopped=never) == ("out/a.md", "out/b/c.json")


@in_calm_loop
async def test_nothing_is_overwritten_and_then_nothing_is_written(exchange: ExchangeFiles):
    await exchange.write("out", [("b.md", b"old")], alone=False, stopped=never)
    with pytest.raises(WorkbenchError, match=r"exists already\. Nothing was written"):
        await exchange.write("out", [("a.md", b"new"), ("b.md", b"new")], alone=False, stopped=never)
    assert (await exchange.read(["out/a.md"])).problems == ("out/a.md: No such file or directory; left out",)


@in_calm_loop
async def test_what_is_stopped_is_not_there(exchange: ExchangeFiles):
    with pytest.raises(WritingStopped):
        await exchange.write("out.json", [("a", b"x")], alone=True, stopped=lambda: True)
    assert len((await exchange.read(["out.json"])).problems) == 1
