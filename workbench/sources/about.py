"""Reads what the program is: its version and commit, what it runs on, and the list of parts that comes with it."""

from __future__ import annotations

import json
import os
import platform
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import workbench
from workbench.domain.about import About, Part, ProgramFacts
from workbench.domain.errors import WorkbenchError
from workbench.sources.resources import PACKAGE, resource_path

BUILD, PARTS = "build.json", "parts.cdx.json"
_QT = re.compile(r"pyside6_essentials-(\d+\.\d+\.\d+)[\d.]*\.dist-info", re.IGNORECASE)


def about() -> About:
    """Everything the program says about itself."""
    return About(program_facts(), shipped_parts())


def program_facts() -> ProgramFacts:
    """What `--version` tells, without loading Qt."""
    return ProgramFacts(workbench.__version__, _commit(), platform.python_version(), qt_version(sys.path))


def qt_version(folders: Sequence[str]) -> str:
    """Qt's version, by the name of the folder that its package left; its own modules take long to load."""
    for folder in folders:
        try:
            names = os.listdir(folder or ".")
        except OSError:
            continue
        for name in names:
            if found := _QT.fullmatch(name):
                return found[1]
    return ""


def shipped_parts() -> tuple[Part, ...]:
    """The parts, by name."""
    return read_parts(json.loads(resource_path(PARTS).read_text(encoding="utf-8")))


def read_parts(document: dict[str, Any]) -> tuple[Part, ...]:
    """The parts that a CycloneDX document lists."""
    return tuple(_part(component) for component in document["components"])


def _part(component: dict[str, Any]) -> Part:
    within = next((each["value"] for each in component.get("properties", ()) if each["name"] == "within"), "")
    licence = component["licenses"][0]["expression"]
    optional = component.get("scope") == "optional"
    return Part(component["name"], component["version"], licence, within, optional)


def _commit() -> str:
    """The commit it was built from, or that the checkout is at; empty where neither is known."""
    try:
        return str(json.loads(resource_path(BUILD).read_text(encoding="utf-8"))["commit"])
    except WorkbenchError:
        return checked_out(PACKAGE.parent / ".git")


def checked_out(git: Path) -> str:
    """The commit that a checkout is at, read from git's own files; empty where there is none."""
    try:
        if git.is_file():  # a second work tree of one repository
            git = git.parent / git.read_text(encoding="utf-8").removeprefix("gitdir:").strip()
        head = (git / "HEAD").read_text(encoding="utf-8").strip()
        return head if not head.startswith("ref: ") else _commit_of(git, head.removeprefix("ref: "))
    except OSError:
        return ""


def _commit_of(git: Path, branch: str) -> str:
    shared = git / "commondir"
    folder = git / shared.read_text(encoding="utf-8").strip() if shared.is_file() else git
    if (folder / branch).is_file():
        return (folder / branch).read_text(encoding="utf-8").strip()
    packed = (folder / "packed-refs").read_text(encoding="utf-8").splitlines()
    return next((line.split()[0] for line in packed if line.endswith(f" {branch}")), "")
