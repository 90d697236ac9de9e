"""What the operating system must bring: finding out what is missing, and saying how to get it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

import system_parts
from system_parts import SystemPart

VENV = SystemPart("module", "venv", "python{python}-venv", "makes .venv")
PIP = SystemPart("module", "ensurepip", "python{python}-venv", "puts pip into it")
EGL = SystemPart("library", "libEGL.so.1", "libegl1", "draws the window")
PYTHON = "{}.{}".format(*sys.version_info[:2])


def test_only_what_is_not_there_is_missing():
    assert system_parts.missing_parts([VENV, PIP, EGL], lambda part: part is VENV) == [PIP, EGL]


@pytest.mark.skipif(os.name == "nt", reason="a shell script is no program there")
def test_the_newest_python_that_starts_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Version managers leave stubs on the PATH that do not start."""
    for name, code in (("python3.13", 1), ("python3.12", 0), ("python3.11", 0)):
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\nexit {code}\n", encoding="utf-8")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert system_parts.find_python((3, 11), (3, 13)) == str(tmp_path / "python3.12")
    assert system_parts.find_python((3, 8), (3, 9)) is None


def test_a_module_is_probed_by_name():
    assert system_parts.is_present(SystemPart("module", "json", "-", "-"))
    assert not system_parts.is_present(SystemPart("module", "no_such_module", "-", "-"))


def test_a_library_is_probed_by_loading_it():
    assert not system_parts.is_present(SystemPart("library", "libno-such-library.so.9", "-", "-"))


def test_a_package_that_brings_two_parts_is_named_once():
    assert system_parts.debian_packages([VENV, PIP, EGL]) == ["libegl1", f"python{PYTHON}-venv"]


def test_on_debian_the_message_names_the_command():
    text = system_parts.describe_missing([EGL], on_debian=True)
    assert text == (
        "This machine lacks:\n  libEGL.so.1 (draws the window)\nInstall it with:  sudo apt-get install libegl1"
    )


def test_elsewhere_the_message_names_the_part():
    text = system_parts.describe_missing([EGL], on_debian=False)
    assert "libEGL.so.1" in text
    assert "apt-get" not in text


def test_a_program_is_probed_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not system_parts.is_present(SystemPart("program", "Xvfb", "xvfb", "-"))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere the system brings what Qt needs")
def test_the_tests_need_the_windows_parts_and_running_does_not():
    needed = [part.package for part in system_parts.parts_for("dev")]
    assert {"libegl1", "libxcb-cursor0", "xvfb"} <= set(needed)
    assert system_parts.parts_for("run") == system_parts.SYSTEM_PARTS


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere there is always a display")
def test_a_display_is_known_by_its_variables(monkeypatch: pytest.MonkeyPatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    assert not system_parts.has_display()
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    assert system_parts.has_display()


def test_a_machine_that_has_everything_is_no_obstacle():
    assert system_parts.obstacle([SystemPart("module", "json", "-", "-")]) is None


FAKE_APT = """#!/bin/sh
echo "$@" >> "$0.log"
case "$1" in update) touch "$0.lists" ;; install) test -e "$0.lists" && touch "$0.done" ;; esac
"""


@pytest.fixture
def apt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An apt-get that installs only after an update, first on the PATH, for root."""
    program = tmp_path / "apt-get"
    program.write_text(FAKE_APT, encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr(os, "geteuid", lambda: 0, raising=False)
    return program


@pytest.mark.skipif(os.name == "nt", reason="there is no apt-get on Windows")
def test_root_on_debian_gets_what_is_missing(apt: Path):
    """A fresh container has no package lists: the first attempt fails, the one after the update does not."""
    system_parts.install_debian_packages(["libegl1"])
    install = "install -y -qq --no-install-recommends libegl1"
    assert apt.with_name("apt-get.log").read_text().splitlines() == [install, "update -qq", install]
    assert apt.with_name("apt-get.done").exists()


@pytest.mark.skipif(os.name == "nt", reason="there is no apt-get on Windows")
def test_what_is_still_missing_after_the_attempt_is_said(apt: Path):
    missing = SystemPart("module", "no_such_module", "no-such-package", "is not there")
    assert system_parts.obstacle([missing]) == system_parts.describe_missing([missing], on_debian=True)


@pytest.mark.skipif(os.name == "nt", reason="there is no apt-get on Windows")
def test_nobody_but_root_runs_the_package_manager(apt: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert system_parts.obstacle([SystemPart("module", "no_such_module", "x", "y")]) is not None
    assert not apt.with_name("apt-get.log").exists()
