"""The tools that make packages: their pins, and what is said of one that fails."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import package_tools
from failure import Failure


def test_a_program_that_fails_is_a_failure_with_its_words(tmp_path: Path):
    with pytest.raises(Failure, match=r"broken\n+.* failed \(exit 4\)"):
        package_tools.run_program(
            [sys.executable, "-c", "print('broken'); raise SystemExit(4)"], cwd=tmp_path
        )


def test_a_program_that_ends_well_is_heard(tmp_path: Path):
    assert package_tools.run_program([sys.executable, "-c", "print('fine')"], cwd=tmp_path) == "fine\n"


def test_the_environment_is_made_once_for_its_pins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A second package would otherwise wait for the same installation again."""
    pins = tmp_path / "pins.txt"
    pins.write_text("a==1\n", encoding="utf-8")
    made: list[Path] = []
    (tmp_path / "venv").mkdir()
    monkeypatch.setattr(package_tools, "VENV", tmp_path / "venv")
    monkeypatch.setattr(package_tools, "PINS", pins)
    monkeypatch.setattr(package_tools, "make_venv", made.append)
    monkeypatch.setattr(package_tools, "pip_install", lambda venv, *arguments: None)
    package_tools.tools()
    package_tools.tools()
    assert len(made) == 1
    pins.write_text("a==2\n", encoding="utf-8")
    package_tools.tools()
    assert len(made) == 2
