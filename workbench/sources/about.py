"""Reads what the program says about itself: version, commit, Python, Qt, and the list of shipped parts."""

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
    """Returns the version facts and the list of parts."""
    return About(program_facts(), shipped_parts())


def program_facts() -> ProgramFacts:
    """Returns what `--version` prints, without loading Qt."""
    return ProgramFacts(workbench.__version__, _commit(), platform.python_version(), qt_version(sys.path))


def qt_version(folders: Sequence[str]) -> str:
    """Returns Qt's version from the name of its installed package folder; Qt's own modules are slow to import."""
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
    """Returns the parts that are shipped with the program, with their licences."""
    return read_parts(json.loads(resource_path(PARTS).read_text(encoding="utf-8")))


def read_parts(document: dict[str, Any]) -> tuple[Part, ...]:
    """Returns the parts that a CycloneDX document lists."""
    return tuple(_part(component) for component in document["components"])


def _part(component: dict[str, Any]) -> Part:
    within = next((each["value"] for each in component.get("properties", ()) if each["name"] == "within"), "")
    licence = component["licenses"][0]["expression"]
    optional = component.get("scope") == "optional"
    return Part(component["name"], component["version"], licence, within, optional)


def _commit() -> str:
    """Returns the commit the program was built from, or that the checkout is at; empty where neither is known."""
    try:
        return str(json.loads(resource_path(BUILD).read_text(encoding="utf-8"))["commit"])
    except WorkbenchError:
        return checkout_commit(PACKAGE.parent / ".git")


def checkout_commit(git: Path) -> str:
    """Returns the commit that a git checkout is at, read from git's files; empty where there is none."""
    try:
        if git.is_file():  # a second work tree of one repository
            git = git.parent / git.read_text(encoding="utf-8").removeprefix("gitdir:").strip()
        head = (git / "HEAD").read_text(encoding="utf-8").strip()
        return head if not head.startswith("ref: ") else _branch_commit(git, head.removeprefix("ref: "))
    except OSError:
        return ""


def _branch_commit(git: Path, branch: str) -> str:
    shared = git / "commondir"
    folder = git / shared.read_text(encoding="utf-8").strip() if shared.is_file() else git
    if (folder / branch).is_file():
        return (folder / branch).read_text(encoding="utf-8").strip()
    packed = (folder / "packed-refs").read_text(encoding="utf-8").splitlines()
    return next((line.split()[0] for line in packed if line.endswith(f" {branch}")), "")
