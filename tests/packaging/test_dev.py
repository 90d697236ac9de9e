"""packaging/dev.py: when it installs, what it installs, and what it passes on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import dev

SOURCES = (b"[project]", b"tiktoken==1")


def test_the_stamp_is_the_same_for_the_same_things():
    assert dev.stamp_of("dev", SOURCES, "3.11 /here") == dev.stamp_of("dev", SOURCES, "3.11 /here")


@pytest.mark.parametrize(
    ("level", "sources", "identity"),
    [
        ("run", SOURCES, "3.11 /here"),
        ("dev", (b"[project]\n", b"tiktoken==1"), "3.11 /here"),
        ("dev", (b"[project]", b"tiktoken==2"), "3.11 /here"),
        ("dev", (b"[project]tiktoken==1", b""), "3.11 /here"),
        ("dev", SOURCES, "3.12 /here"),
        ("dev", SOURCES, "3.11 /there"),
    ],
)
def test_the_stamp_changes_with_anything_that_matters(level: str, sources: tuple[bytes, ...], identity: str):
    assert dev.stamp_of(level, sources, identity) != dev.stamp_of("dev", SOURCES, "3.11 /here")


def test_the_stamp_of_an_unfinished_installation_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(dev, "VENV", tmp_path)
    assert not dev.is_stamped("dev", SOURCES)
    python = Path(dev.venv_program("python"))
    python.parent.mkdir()
    python.touch()
    dev.stamp_file("dev").write_text("half", encoding="utf-8")
    assert not dev.is_stamped("dev", SOURCES)
    dev.stamp_file("dev").write_text(
        dev.stamp_of("dev", SOURCES, dev.environment_identity()), encoding="utf-8"
    )
    assert dev.is_stamped("dev", SOURCES)
    python.unlink()
    assert not dev.is_stamped("dev", SOURCES)


PYPROJECT = """
[build-system]
requires = ["hatchling"]
[project]
dependencies = ["tiktoken"]
[project.optional-dependencies]
dev = ["hatchling", "pytest"]
"""


def test_a_user_gets_only_what_the_program_needs():
    assert dev.requirements("run", PYPROJECT) == ["hatchling", "tiktoken"]


def test_a_developer_gets_the_tools_too_each_once():
    assert dev.requirements("dev", PYPROJECT) == ["hatchling", "tiktoken", "pytest"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["run"], ("run", [])),
        (["run", "--", "replay", "x.json"], ("run", ["replay", "x.json"])),
        (["run", "replay", "-"], ("run", ["replay", "-"])),
        (["test", "--", "-k", "a", "--", "b"], ("test", ["-k", "a", "--", "b"])),
        ([], ("--help", [])),
    ],
)
def test_arguments_after_the_dashes_are_passed_on(given: list[str], expected: tuple[str, list[str]]):
    assert dev.split_arguments(given) == expected


def test_tests_run_in_several_processes_unless_the_caller_chose():
    assert dev.pytest_arguments(["-x"]) == ["-n", "auto", "--maxprocesses", "4", "-x"]
    assert dev.pytest_arguments(["-n", "0"]) == ["-n", "0"]
    assert dev.pytest_arguments(["--pdb"]) == ["--pdb"]


@pytest.mark.parametrize(
    ("version", "fits"),
    [((3, 10), False), ((3, 11), True), ((3, 13), True), ((3, 14), False), ((4, 0), False)],
)
def test_which_pythons_fit(version: tuple[int, int], fits: bool):
    assert dev.is_supported(version) == fits


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("Collecting tiktoken>=0.13 (from -c constraints)", "  tiktoken"),
        ("Installing collected packages: a, b, c", "  installing 3 packages"),
        ("Looking in links: somewhere", None),
    ],
)
def test_progress_shows_the_package_and_not_where_it_comes_from(line: str, shown: str | None):
    assert dev.progress_line(line) == shown


def run_dev(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, dev.__file__, *arguments], capture_output=True, text=True)


def test_help_lists_the_commands():
    done = run_dev("--help")
    assert (done.returncode, done.stdout, done.stderr) == (0, dev.USAGE, "")


@pytest.mark.parametrize("arguments", [["nonsense"], ["check", "this"], ["setup", "--", "x"]])
def test_wrong_usage_exits_with_two(arguments: list[str]):
    done = run_dev(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("usage: ")
