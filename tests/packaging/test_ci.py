""".ci/run: the README's commands in turn, the checks beside the first of them; the first that fails ends it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.source_tree import ROOT

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a shell script")
ORDER = ["setup", "run", "test --quick -- tests/domain/reading", "test"]
TOUR = """
if [ "$1" = run ]; then
    echo L2_PREVIOUS; echo project-spec.md; echo "It is sent now. You: Which endpoint"
    echo "A picture of the window: $0"
fi
"""
"""What the program shows where no window can open; the picture is any file that is not empty."""


def ci_run(folder: Path, python3: str, shown: str = TOUR) -> tuple[int, list[str]]:
    """Run the script in a folder of its own, with this in place of Python; its exit code and what was asked for."""
    place = folder / "checkout" / ".ci"
    place.mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / ".ci" / "run", place)
    tools = folder / "tools"
    tools.mkdir()
    stub = tools / "python3"
    asked = folder / "asked"
    stub.write_text(f'#!/bin/sh\nshift\necho "$*" >> {asked}\n{shown}\n{python3}\n', encoding="utf-8")
    stub.chmod(0o755)
    environment = {"PATH": f"{tools}{os.pathsep}{os.defpath}", "DISPLAY": ":7", "HOME": str(folder)}
    done = subprocess.run([str(place / "run")], env=environment, capture_output=True, cwd=folder)
    return done.returncode, asked.read_text(encoding="utf-8").splitlines()


def in_turn(asked: list[str]) -> list[str]:
    """What was asked for in turn, without the checks, which are made beside it."""
    return [one for one in asked if one != "check"]


def test_both_commands_of_the_readme_are_run_in_turn_and_the_checks_beside_them(tmp_path: Path):
    code, asked = ci_run(tmp_path, "exit 0")
    assert (code, in_turn(asked), asked.count("check")) == (0, ORDER, 1)


@pytest.mark.parametrize("number", range(len(ORDER)))
def test_the_first_that_fails_ends_it(tmp_path: Path, number: int):
    fails = f'test "$1" = check || test $(grep -vc "^check" {tmp_path / "asked"}) -le {number}'
    code, asked = ci_run(tmp_path, fails)
    assert (code, in_turn(asked)) == (1, ORDER[: number + 1])


def test_without_the_checks_the_tests_do_not_begin(tmp_path: Path):
    code, asked = ci_run(tmp_path, 'test "$1" != check')
    assert (code, in_turn(asked)) == (1, ORDER[:-1])


def test_the_program_runs_without_a_display_and_properties_in_full(tmp_path: Path):
    shown = 'if [ "$1" = run ]; then test -z "$DISPLAY" || exit 3; fi; test -n "$CI" || exit 4'
    code, asked = ci_run(tmp_path, shown)
    assert (code, in_turn(asked)) == (0, ORDER)


@pytest.mark.parametrize("missing", ["L2_PREVIOUS", "It is sent now", "$0"])
def test_a_tour_that_does_not_show_everything_is_a_failure(tmp_path: Path, missing: str):
    code, asked = ci_run(tmp_path, "exit 0", TOUR.replace(missing, ""))
    assert (code, in_turn(asked)) == (1, ORDER[:2])


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_what_a_run_leaves_in_the_checkout_is_a_failure(tmp_path: Path):
    """It was so with a picture: the tests after it found a file that nobody had written."""
    (tmp_path / "checkout").mkdir()
    git = ["git", "-c", "init.defaultBranch=main", "-C", str(tmp_path / "checkout")]
    subprocess.run([*git, "init", "-q"], check=True, capture_output=True)
    (tmp_path / "checkout" / ".git" / "info" / "exclude").write_text(".ci\n", encoding="utf-8")
    code, asked = ci_run(tmp_path, 'if [ "$1" = run ]; then touch workbench.png; fi')
    assert (code, in_turn(asked)) == (1, ORDER[:2])
