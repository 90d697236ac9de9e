"""`workbench watch compare`: two watched conversations side by side, and the exit code a pipeline goes by."""

from __future__ import annotations

import argparse
import asyncio
import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.fakes.catalogue import FakeCatalogue
from tests.fakes.history_access import MemoryAccess, history_parts
from tests.fakes.stores import chat
from tests.fakes.watched import CALL, QUESTION, TOOLS, watched
from workbench.cli.main import run
from workbench.cli.watch.comparing import add_compare_arguments
from workbench.domain.watch.update import CHANGE_KINDS, LIMITED
from workbench.engine.watch.stored_requests import Keeper


@pytest.fixture
def access() -> MemoryAccess:
    """The same task twice: B has a tool more. C is as A, and D is a chat of one's own."""
    made = MemoryAccess()

    async def keep() -> None:
        keeper = Keeper(made.store, FakeCatalogue(), "http://127.0.0.1:4040")
        for name, tools in (("aaa", TOOLS), ("bbb", (*TOOLS, "Cron")), ("ccc", TOOLS)):
            turn, exchange = watched(1, [("user", (QUESTION,))], CALL, tools=tools)
            await keeper.keep(replace(turn, conversation=name), exchange)
        await made.store.create_chat(chat("ddd"))

    asyncio.run(keep())
    return made


def compare(access: MemoryAccess, *argv: str) -> int:
    return run(["watch", "compare", *argv], lambda _: history_parts(access))


def test_figures_and_changes_are_told(access: MemoryAccess, capsys: pytest.CaptureFixture[str]):
    assert compare(access, "aaa", "bbb") == 0
    shown = capsys.readouterr().out

    assert "The tool Cron was added." in shown
    assert "+90 tokens" in shown
    assert ["tools", "270", "360", "+90"] in [line.split() for line in shown.splitlines()]


def test_two_equal_runs_have_no_finding(access: MemoryAccess, capsys: pytest.CaptureFixture[str]):
    assert compare(access, "aaa", "ccc", "--check") == 0
    shown = capsys.readouterr()

    assert "No difference but ids, dates and session headers." in shown.out
    assert shown.err == "1 of 1 check passed\n"


def test_as_json_with_what_failed(access: MemoryAccess, capsys: pytest.CaptureFixture[str]):
    assert compare(access, "aaa", "bbb", "--check", "--json") == 1
    document = json.loads(capsys.readouterr().out)

    assert document["before"]["tools"] == 270
    assert document["after"]["tools"] == 360
    assert [(one["kind"], one["tokens"]) for one in document["changes"]] == [("tools", 90)]
    assert document["failed"] == {"no change of tools": ["The tool Cron was added."]}


def test_limits_decide_alone_where_they_are_given(access: MemoryAccess, tmp_path: Path):
    file = tmp_path / "result.xml"

    assert compare(access, "aaa", "bbb", "--check", "--no-new", "breaks", "--at-most", "tokens=20000") == 0
    assert compare(access, "aaa", "bbb", "--check", "--at-most", "tools=300", "--junit", str(file)) == 1

    suite = ElementTree.fromstring(file.read_text())
    assert (suite.get("tests"), suite.get("failures")) == ("1", "1")
    assert suite.find("testcase/failure").get("message") == "360 tools, at most 300 tools allowed"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("argv", "code", "said"),
    [
        (("aaa", "ddd"), 1, "a chat of your own"),
        (("aaa", "bbb", "--at-most", "tokens=5"), 2, "--at-most: needs --check"),
        (("aaa", "bbb", "--junit", "x.xml"), 2, "--junit: needs --check"),
    ],
)
def test_what_is_refused(
    access: MemoryAccess, argv: tuple[str, ...], code: int, said: str, capsys: pytest.CaptureFixture[str]
):
    assert compare(access, *argv) == code
    assert said in capsys.readouterr().err


def test_every_limit_and_kind_is_in_the_help():
    parser = argparse.ArgumentParser()
    add_compare_arguments(parser)
    said = " ".join(parser.format_help().split())

    assert all(name in said for name in (*LIMITED, *CHANGE_KINDS))


@pytest.mark.parametrize("limit", ["tokens", "colour=3", "tokens=-1", "tokens=nan", "tokens=inf", "tokens=x"])
def test_a_limit_that_is_none(access: MemoryAccess, limit: str):
    with pytest.raises(SystemExit) as leaving:
        compare(access, "aaa", "bbb", "--check", "--at-most", limit)
    assert leaving.value.code == 2
