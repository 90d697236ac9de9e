"""The tool rm."""

from __future__ import annotations

from pathlib import Path

from tests.fakes.workspaces import Called, fill, tree_of


def test_a_file_is_removed_and_brought_back(tmp_path: Path):
    tools = Called(fill(tmp_path, {"a": "one\n", "b": "2"}))
    before = tree_of(tmp_path)
    preview = tools.preview("rm", path="a")
    assert (preview.summary, preview.diff.splitlines()[-1]) == ("Remove a (4 bytes)", "-one")
    outcome = tools.run("rm", path="a")
    assert (outcome.text, sorted(tree_of(tmp_path))) == ("Removed a.", ["b"])
    assert not tools.undo(outcome).failed
    assert tree_of(tmp_path) == before


def test_a_folder_goes_with_everything_in_it_on_request(tmp_path: Path):
    tools = Called(fill(tmp_path, {"d/a": "1", "d/e/b": b"\xff", "d/f/": "", "empty/": ""}))
    (tmp_path / "d/e").chmod(0o700)
    before = tree_of(tmp_path)
    assert (
        tools.refusal("rm", path="d") == "d is a folder that is not empty; set recursive to remove all of it."
    )
    preview = tools.preview("rm", path="d", recursive=True)
    assert preview.summary == "Remove the folder d and 4 things in it"
    assert preview.diff.splitlines() == ["- d", "- d/a", "- d/e", "- d/e/b", "- d/f"]
    first, second = tools.run("rm", path="d", recursive=True), tools.run("rm", path="empty")
    assert (first.text, second.text) == ("Removed d and 4 things in it.", "Removed empty.")
    assert tree_of(tmp_path) == {}
    assert not tools.undo(second).failed
    assert not tools.undo(first).failed
    assert tree_of(tmp_path) == before


def test_what_could_not_be_brought_back_is_not_removed(tmp_path: Path):
    fill(tmp_path, {f"many/{number}": "" for number in range(250)})
    fill(tmp_path, {f"large/{number}": b"x" * 3_000_000 for number in range(3)})
    fill(tmp_path, {"linked/a": "1", ".git/config": "1", "sub/.git/config": "1"})
    (tmp_path / "linked/link").symlink_to("/etc/passwd")
    tools = Called(tmp_path)
    assert "more than could be brought back" in tools.refusal("rm", path="many", recursive=True)
    assert "more than could be brought back" in tools.refusal("rm", path="large", recursive=True)
    assert "linked/link is a link" in tools.refusal("rm", path="linked", recursive=True)
    assert "git" in tools.refusal("rm", path=".git", recursive=True)
    assert "git" in tools.refusal("rm", path="sub", recursive=True)
    assert "the workspace itself" in tools.refusal("rm", path=".", recursive=True)
    assert "no file x" in tools.refusal("rm", path="x")


def test_a_long_list_is_cut(tmp_path: Path):
    tools = Called(fill(tmp_path, {f"d/{number:02}": "" for number in range(30)}))
    assert tools.preview("rm", path="d", recursive=True).diff.splitlines()[-1] == "… 11 more"
