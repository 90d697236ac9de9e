"""`workbench about`, for people and machines."""

from __future__ import annotations

import json

import pytest

from tests.fakes.parts import parts_with
from workbench.cli.main import run
from workbench.domain.about import About, Part, ProgramFacts

ABOUT = About(
    ProgramFacts("1.2.3", "0" * 40, "3.11.4", "6.8.0"),
    (Part("h11", "0.16.0", "MIT"), Part("Qt", "6.8.0", "LGPL-3.0-only", "pyside6-essentials")),
)


def shown(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str]:
    code = run(["about", *argv], lambda arguments: parts_with(about=lambda: ABOUT))
    return code, capsys.readouterr().out


def test_everything_is_listed_with_its_licence(capsys: pytest.CaptureFixture[str]):
    code, words = shown(capsys)
    assert code == 0
    head, *rows = words.splitlines()
    assert head == ABOUT.facts.line
    assert [row.split() for row in rows] == [
        ["h11", "0.16.0", "MIT"],
        ["Qt", "6.8.0", "in", "pyside6-essentials", "LGPL-3.0-only"],
    ]


def test_a_search_lists_what_has_all_words_and_fails_where_nothing_has(capsys: pytest.CaptureFixture[str]):
    assert [part["name"] for part in json.loads(shown(capsys, "--search", "lgpl", "--json")[1])["parts"]] == [
        "Qt"
    ]
    assert shown(capsys, "--search", "agpl")[0] == 1


def test_machines_get_all_of_it(capsys: pytest.CaptureFixture[str]):
    assert json.loads(shown(capsys, "--json")[1]) == {
        **ABOUT.facts._asdict(),
        "parts": [part._asdict() for part in ABOUT.parts],
    }
