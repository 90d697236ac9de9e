"""`workbench guide`: a page as Markdown, the list of them, and a search."""

from __future__ import annotations

import json

import pytest

from tests.fakes.parts import parts_with
from workbench.cli.main import run
from workbench.domain.guide import guide_pages

Capture = pytest.CaptureFixture[str]
PAGES = guide_pages(
    {"request": "# What a request is\n\nLayers.\n", "budget": "# Budget\n\nA request has a limit.\n"}
)


def guide(*argv: str) -> int:
    return run(["guide", *argv], lambda _: parts_with(guide=lambda: PAGES))


def test_a_page_is_printed_as_it_is(capsys: Capture):
    assert (guide("budget"), guide("budget.md")) == (0, 0)
    assert capsys.readouterr().out == PAGES[1].text * 2


def test_pages_are_listed_and_found_best_first(capsys: Capture):
    assert guide() == 0
    assert capsys.readouterr().out.splitlines() == ["request  What a request is", "budget   Budget"]
    assert guide("--search", "request", "--json") == 0
    assert json.loads(capsys.readouterr().out) == [
        {"name": "request", "title": "What a request is", "line": ""},
        {"name": "budget", "title": "Budget", "line": "A request has a limit."},
    ]


def test_nothing_found_fails_and_an_unknown_page_is_wrong_usage(capsys: Capture):
    assert guide("--search", "zebra") == 1
    assert guide("zebra", "--json") == 2
    shown = capsys.readouterr()
    assert "pages: request, budget" in shown.err
    assert json.loads(shown.out)["error"]["kind"] == "usage"
    assert guide("budget", "--search", "x") == 2
