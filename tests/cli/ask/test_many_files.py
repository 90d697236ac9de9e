"""`ask --attach DIR`: text files of a folder come, and more than a hundred are asked about once."""

from __future__ import annotations

import io

import pytest

from tests.cli.ask.test_command import Capture, Setup

MANY = {f"docs/{number}.md": "some words" for number in range(101)}


class Typed(io.StringIO):
    """A terminal at which somebody types."""

    def isatty(self) -> bool:
        return True


def sent(setup: Setup) -> int:
    return len(setup.model.requests)


def test_a_folder_is_attached_and_what_it_leaves_out_is_only_said(capsys: Capture):
    setup = Setup(**{"docs/a.md": "Alpha.", "docs/b.md": "Beta."})
    assert setup.ask("Well?", "--attach", "docs") == 0
    assert "Alpha." in str(setup.model.requests[0])
    assert "Beta." in str(setup.model.requests[0])


def test_very_many_files_are_refused_where_nobody_can_be_asked(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    setup = Setup(**MANY)
    assert setup.ask("Well?", "--attach", "docs") == 1
    said = capsys.readouterr().err
    assert "That would attach 101 files with about " in said
    assert "Nothing was sent. Use --yes, or attach fewer." in said
    assert sent(setup) == 0


@pytest.mark.parametrize(("typed", "code"), [("y\n", 0), ("\n", 1), ("no\n", 1), ("", 1)])
def test_at_a_terminal_it_is_one_question(
    typed: str, code: int, capsys: Capture, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("sys.stdin", Typed(typed))
    setup = Setup(**MANY)
    assert setup.ask("Well?", "--attach", "docs", "--allow-drop") == code
    assert capsys.readouterr().err.count("Attach 101 files with about ") == 1
    assert sent(setup) == (code == 0)


def test_yes_was_said_already(capsys: Capture, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    setup = Setup(**MANY)
    assert setup.ask("Well?", "--attach", "docs", "--yes", "--allow-drop") == 0
    assert sent(setup) == 1
