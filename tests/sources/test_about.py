"""Version, commit and parts as they are found on the disk."""

from __future__ import annotations

from pathlib import Path

import pytest

import workbench
from tests.architecture.source_tree import ROOT
from workbench.sources.about import about, checkout_commit, program_facts, qt_version

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def repository(folder: Path, head: str) -> Path:
    git = folder / ".git"
    git.mkdir(parents=True)
    (git / "HEAD").write_text(head)
    return git


def test_a_detached_head_is_the_commit(tmp_path: Path):
    assert checkout_commit(repository(tmp_path, f"{COMMIT}\n")) == COMMIT


def test_a_branch_is_followed_to_its_commit(tmp_path: Path):
    git = repository(tmp_path, "ref: refs/heads/work\n")
    (git / "refs" / "heads").mkdir(parents=True)
    (git / "refs" / "heads" / "work").write_text(f"{COMMIT}\n")
    assert checkout_commit(git) == COMMIT


def test_a_branch_may_be_packed(tmp_path: Path):
    git = repository(tmp_path, "ref: refs/heads/work\n")
    (git / "packed-refs").write_text(
        f"# pack-refs\n{'f' * 40} refs/heads/other-work\n{COMMIT} refs/heads/work\n"
    )
    assert checkout_commit(git) == COMMIT


def test_a_second_work_tree_has_its_own_head(tmp_path: Path):
    git = repository(tmp_path / "main", "ref: refs/heads/main\n")
    own = git / "worktrees" / "second"
    own.mkdir(parents=True)
    (own / "HEAD").write_text("ref: refs/heads/second\n")
    (own / "commondir").write_text("../..\n")
    (git / "refs" / "heads").mkdir(parents=True)
    (git / "refs" / "heads" / "second").write_text(f"{COMMIT}\n")
    second = tmp_path / "second"
    second.mkdir()
    (second / ".git").write_text(f"gitdir: {own}\n")
    assert checkout_commit(second / ".git") == COMMIT


@pytest.mark.parametrize("head", ["ref: refs/heads/none\n", ""])
def test_no_commit_is_no_trouble(tmp_path: Path, head: str):
    assert checkout_commit(repository(tmp_path, head)) == ""
    assert checkout_commit(tmp_path / "nowhere") == ""


def test_qt_is_known_by_the_folder_of_its_package(tmp_path: Path):
    (tmp_path / "PySide6_Essentials-6.8.0.2.dist-info").mkdir()
    assert qt_version(["/nowhere", str(tmp_path)]) == "6.8.0"
    assert qt_version(["/nowhere"]) == ""


def test_this_program_knows_itself():
    facts = program_facts()
    assert facts.version == workbench.__version__
    assert facts.commit == checkout_commit(ROOT / ".git")
    assert facts.qt.startswith("6.")


def test_the_parts_come_with_the_program():
    parts = {part.name: part for part in about().parts}
    assert parts["Qt"].within == "pyside6-essentials"
    assert (parts["mcp"].optional, parts["httpx"].optional) == (True, False)
    assert parts["Inter"].licence == "OFL-1.1"
