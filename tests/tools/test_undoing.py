"""Taking back: every sequence of changes, undone in reverse, leaves the tree byte for byte as it was."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.effort import tries
from tests.fakes.workspaces import Called, fill, tree_of
from workbench.domain.tool import ToolOutcome
from workbench.tools.toolbox import undo_effect
from workbench.tools.workspace.workspace import Workspace

START: dict[str, str | bytes] = {
    "a.txt": "one\ntwo\nthree\n",
    "src/b.txt": "two\r\ntwo\r\n",
    "src/deep/c.bin": b"\x00\xff",
    "empty/": "",
}
places = st.sampled_from(
    ["a.txt", "src/b.txt", "src/deep/c.bin", "src", "src/deep", "empty", "new/x/y", "new", "z"]
)
words = st.sampled_from(["", "one", "two", "three\n", "ünï"])
calls = st.one_of(
    st.builds(lambda p, c: ("write", {"path": p, "content": c}), places, words),
    st.builds(lambda p, o, n: ("edit", {"path": p, "old": o, "new": n, "all": True}), places, words, words),
    st.builds(lambda p, r: ("rm", {"path": p, "recursive": r}), places, st.booleans()),
    st.builds(lambda s, t: ("mv", {"source": s, "target": t}), places, places),
    st.builds(lambda p: ("touch", {"path": p}), places),
)


@settings(max_examples=tries(150))
@given(st.lists(calls, max_size=8))
def test_any_sequence_of_changes_can_be_undone(sequence: list[tuple[str, dict[str, Any]]]):
    with tempfile.TemporaryDirectory() as folder:
        root = fill(Path(folder), START)
        (root / "src/b.txt").chmod(0o640)
        (root / "src/deep").chmod(0o711)
        before, tools = tree_of(root), Called(root)
        done = [tools.run(name, **arguments) for name, arguments in sequence]
        assert all((outcome.undo is None) == outcome.failed for outcome in done)
        for outcome in reversed([outcome for outcome in done if not outcome.failed]):
            kept = json.loads(json.dumps(outcome.undo))
            taken_back = tools.undo(ToolOutcome("", undo=kept))
            assert not taken_back.failed, taken_back.text
        assert tree_of(root) == before


def test_what_somebody_changed_since_is_left_alone(tmp_path: Path):
    tools = Called(fill(tmp_path, START))
    outcome = tools.run("write", path="a.txt", content="new")
    (tmp_path / "a.txt").write_text("theirs")
    before = tree_of(tmp_path)
    refused = tools.undo(outcome)
    assert (refused.failed, refused.text) == (
        True, "Not taken back: a.txt is not as it was when this was decided; nothing was changed."
    )  # fmt: skip
    assert tree_of(tmp_path) == before


def test_it_says_what_is_as_before(tmp_path: Path):
    tools = Called(fill(tmp_path, START))
    outcome = tools.run("rm", path="a.txt")
    assert tools.undo(outcome) == ToolOutcome("Taken back: a.txt is as it was before.")


@pytest.mark.parametrize(
    "note", [{}, {"kind": "x"}, {"kind": "rewrite"}, {"kind": "move"}, {"kind": "times"}]
)
def test_a_note_that_says_nothing_is_refused(note: dict[str, Any], tmp_path: Path):
    assert undo_effect(Workspace(tmp_path), note).failed


def test_what_the_system_refuses_is_told(tmp_path: Path):
    tools = Called(fill(tmp_path, START))
    outcome = tools.run("mv", source="a.txt", target="b.txt")
    fill(tmp_path, {"a.txt": "in the way"})
    assert tools.undo(outcome).text == "Not taken back: It did not work: file exists. Nothing was changed."
