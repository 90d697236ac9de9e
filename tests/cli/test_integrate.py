"""`workbench integrate`, for people and machines."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.fakes.parts import parts_with
from workbench.cli.main import run
from workbench.domain.about import Integrated
from workbench.wiring.command_line import command_parts


def told(capsys: pytest.CaptureFixture[str], done: Integrated, *argv: str) -> list[str]:
    asked: list[tuple[str | None, bool]] = []

    def act(into: str | None, undo: bool) -> Integrated:
        asked.append((into, undo))
        return done

    assert run(["integrate", *argv], lambda arguments: parts_with(integrate=act)) == 0
    assert asked == [("D" if "--into" in argv else None, "--undo" in argv)]
    return capsys.readouterr().out.splitlines()


DONE = Integrated("/share", ("/bin/workbench",), ("/share/a", "/share/b"))
UNDONE = Integrated("/share", (), removed=("/share/a",))


def test_what_was_written_is_listed_with_its_undo(capsys: pytest.CaptureFixture[str]):
    *paths, words = told(capsys, DONE, "--into", "D")
    assert paths == ["/share/a", "/share/b"]
    assert words.startswith("Added 2 files.")
    assert "`workbench integrate --undo`" in words


def test_a_second_time_and_an_undo_of_nothing_are_said(capsys: pytest.CaptureFixture[str]):
    assert told(capsys, DONE._replace(written=()))[0].startswith("Everything is there already.")
    assert told(capsys, UNDONE, "--undo") == ["/share/a", "Removed 1 file."]
    assert told(capsys, UNDONE._replace(removed=()), "--undo") == ["Nothing to remove."]


def test_machines_get_every_path(capsys: pytest.CaptureFixture[str]):
    (line,) = told(capsys, DONE, "--json")
    assert json.loads(line) == {
        "folder": "/share", "command": ["/bin/workbench"], "written": ["/share/a", "/share/b"], "removed": [],
    }  # fmt: skip


def test_systems_without_such_a_menu_are_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(sys, "platform", "darwin")
    assert run(["integrate"], lambda arguments: parts_with()) == 1
    assert capsys.readouterr().err == (
        "workbench: Only Linux desktops have such a menu. Nothing was changed.\n"
    )


def test_an_empty_folder_is_wrong_usage(capsys: pytest.CaptureFixture[str]):
    """A shell's variable that is not set would otherwise mean the home folder."""
    assert run(["integrate", "--into", ""], lambda arguments: parts_with()) == 2
    assert capsys.readouterr().err == "workbench integrate: --into: names no folder\n"


def test_without_a_home_a_folder_must_be_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def unknown() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", unknown)
    assert run(["integrate"], command_parts) == 1
    assert "knows no home folder for you" in capsys.readouterr().err
    monkeypatch.setenv("PATH", str(tmp_path))  # without the desktop's tools, which take a while
    assert run(["integrate", "--into", str(tmp_path / "share")], command_parts) == 0
    assert (tmp_path / "share" / "applications" / "context-workbench.desktop").is_file()
