"""The tool mv."""

from __future__ import annotations

from pathlib import Path

from tests.fakes.workspaces import Called, fill, tree_of


def test_a_file_and_a_folder_are_moved(tmp_path: Path):
    tools = Called(fill(tmp_path, {"a": "1", "d/b": "2"}))
    before = tree_of(tmp_path)
    preview = tools.preview("mv", source="a", target="x/y")
    assert (preview.summary, preview.diff) == ("Move a to x/y", "rename from a\nrename to x/y")
    first, second = tools.run("mv", source="a", target="x/y"), tools.run("mv", source="d", target="x/d")
    assert (first.text, sorted(tree_of(tmp_path))) == ("Moved a to x/y.", ["x", "x/d", "x/d/b", "x/y"])
    assert not tools.undo(second).failed
    assert not tools.undo(first).failed
    assert tree_of(tmp_path) == before


def test_nothing_is_overwritten_and_nothing_leaves(tmp_path: Path):
    fill(tmp_path, {"root/a": "1", "root/b": "2", "root/d/c": "3", "root/e/": ""})
    tools = Called(tmp_path / "root")
    (tmp_path / "root/link").symlink_to(tmp_path)
    for target in ("b", "d", "e"):
        assert f"{target} is there already" in tools.refusal("mv", source="a", target=target)
    assert "lies in it" in tools.refusal("mv", source="d", target="d/inner")
    assert "lies in it" in tools.refusal("mv", source="d", target="d")
    assert "link" in tools.refusal("mv", source="link", target="x")
    assert "links are not followed" in tools.refusal("mv", source="a", target="link/a")
    assert "no file x" in tools.refusal("mv", source="x", target="y")
    assert ".." in tools.refusal("mv", source="a", target="../a")


def test_a_large_file_can_be_moved_and_moved_back(tmp_path: Path):
    tools = Called(tmp_path)
    with open(tmp_path / "big", "wb") as file:
        file.truncate(9_000_000)
    outcome = tools.run("mv", source="big", target="bigger")
    assert not tools.undo(outcome).failed
    assert (tmp_path / "big").stat().st_size == 9_000_000
