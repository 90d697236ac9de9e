"""The program in a desktop's menu: what is written, what an undo leaves, and where nothing can be written."""

from __future__ import annotations

import configparser
import os
import re
import sys
from pathlib import Path

import pytest

from workbench.sources.desktop import (
    ENTRY,
    NotIntegrated,
    integrate,
    program_command,
    remove_integration,
    with_command,
)
from workbench.sources.resources import resource_path

PROGRAM = ("/opt/some place/workbench",)


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def silent(command: list[str]) -> None:
    pass


def entry(text: str) -> configparser.SectionProxy:
    read = configparser.RawConfigParser(interpolation=None)
    read.optionxform = str  # type: ignore[assignment,method-assign]
    read.read_string(text)
    return read["Desktop Entry"]


def test_menu_entry_icons_and_kinds_of_files_are_put_in_their_places(tmp_path: Path):
    done = integrate(tmp_path, PROGRAM, silent)
    assert {path.relative_to(tmp_path).parts[0] for path in map(Path, done.written)} == {
        *("applications", "icons", "mime")
    }
    shown = entry((tmp_path / ENTRY).read_text(encoding="utf-8"))
    assert shown["Exec"] == '"/opt/some place/workbench" %F'
    assert shown["TryExec"] == PROGRAM[0]
    assert (tmp_path / ENTRY).stat().st_mode & 0o777 == 0o644


def test_a_second_time_changes_nothing_and_another_program_is_written_over(tmp_path: Path):
    integrate(tmp_path, PROGRAM, silent)
    assert integrate(tmp_path, PROGRAM, silent).written == ()
    assert integrate(tmp_path, ("/usr/bin/workbench",), silent).written == (str(tmp_path / ENTRY),)


def test_an_undo_leaves_what_was_there_before(tmp_path: Path):
    other = tmp_path / "applications" / "other.desktop"
    other.parent.mkdir()
    other.touch()
    before = files(tmp_path)
    done = integrate(tmp_path, PROGRAM, silent)
    assert set(remove_integration(tmp_path, silent).removed) == set(done.written)
    assert files(tmp_path) == before


def test_what_the_desktops_tools_made_of_it_goes_too(tmp_path: Path):
    """They leave their caches behind, and a description of every kind of file."""

    def made(command: list[str]) -> None:
        for name in ("mime.cache", "application/vnd.context-workbench.chats+json.xml", "globs2"):
            path = tmp_path / "mime" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()

    integrate(tmp_path, PROGRAM, made)
    made([])
    remove_integration(tmp_path, silent)
    assert files(tmp_path) == set()


def test_kinds_of_files_of_others_are_kept(tmp_path: Path):
    (tmp_path / "mime" / "packages").mkdir(parents=True)
    for name in ("packages/other.xml", "mime.cache"):
        (tmp_path / "mime" / name).touch()
    integrate(tmp_path, PROGRAM, silent)
    remove_integration(tmp_path, silent)
    assert files(tmp_path) == {"mime", "mime/packages", "mime/packages/other.xml", "mime/mime.cache"}


def test_an_undo_with_nothing_there_is_no_trouble(tmp_path: Path):
    assert remove_integration(tmp_path / "nowhere", silent).removed == ()


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="a folder that cannot be written is needed")
def test_a_folder_that_cannot_be_written_is_said_and_nothing_is_left(tmp_path: Path):
    (tmp_path / "mime").touch()  # a file where a folder must be: refused to everybody, root too
    with pytest.raises(NotIntegrated, match=r"cannot be changed .*Nothing new was left there.*--into DIR"):
        integrate(tmp_path, PROGRAM, silent)
    assert files(tmp_path) == {"mime"}


@pytest.mark.parametrize(
    "word",
    ["/bin/workbench", "/my programs/w", "/it's/w", '/a"b/w', "/100%/w", "/$HOME/`x`/w", "/back\\slash/w"],
)
def test_any_path_is_started_as_it_is(word: str):
    """Unquoted as a desktop does it: first the value, then the words of the command, then its own codes."""
    shown = entry(with_command("[Desktop Entry]\nExec=workbench %F\n", (word, "-m", "workbench")))
    value = shown["Exec"].replace("\\\\", "\\")
    found = re.findall(r'"((?:[^"\\]|\\.)*)"|(\S+)', value)
    words = [re.sub(r"\\(.)", r"\1", quoted).replace("%%", "%") or bare for quoted, bare in found]
    assert words == [word, "-m", "workbench", "%F"]


def test_a_menu_starts_this_program_by_its_full_path():
    (program, *rest) = program_command()
    assert Path(program).is_absolute()
    assert rest in ([], ["-m", "workbench"])
    assert Path(program).parent == Path(sys.executable).parent


def test_the_files_are_those_that_are_shipped(tmp_path: Path):
    integrate(tmp_path, PROGRAM, silent)
    icon = "icons/hicolor/scalable/apps/context-workbench.svg"
    assert (tmp_path / icon).read_bytes() == (resource_path("desktop") / icon).read_bytes()
