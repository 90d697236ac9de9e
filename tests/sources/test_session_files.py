"""Files of sessions: found in their order, without following links, and read line by line."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from workbench.domain.errors import InvalidInput
from workbench.sources.session_files import FOLDERS, create_session, find_session, session_files


def test_sessions_stand_before_their_sub_agents(tmp_path: Path):
    for name in ("p/b/subagents/agent-1.jsonl", "p/b.jsonl", "p/a.jsonl", "p/notes.txt"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{name}\nüber\n", encoding="utf-8")

    found = [(name, list(lines)) for name, lines in session_files(str(tmp_path))]

    assert [name for name, _ in found] == ["p/a.jsonl", "p/b.jsonl", "p/b/subagents/agent-1.jsonl"]
    assert found[0][1] == ["p/a.jsonl", "über"]


def test_a_last_line_without_an_end_and_broken_bytes_are_read(tmp_path: Path):
    (tmp_path / "a.jsonl").write_bytes(b"one\n\xfftwo")

    assert [list(lines) for _, lines in session_files(str(tmp_path))] == [["one", "\ufffdtwo"]]


def test_links_are_not_followed(tmp_path: Path):
    """A link in a folder of sessions must not lead anywhere else."""
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    outside.mkdir()
    inside.mkdir()
    (outside / "secret.jsonl").write_text("x")
    (inside / "linked").symlink_to(outside)
    (inside / "linked.jsonl").symlink_to(outside / "secret.jsonl")

    assert list(session_files(str(inside))) == []


def test_a_file_that_is_gone_is_said_by_its_lines(tmp_path: Path):
    (tmp_path / "a.jsonl").write_text("one\n")
    found = session_files(str(tmp_path))
    _, lines = next(found)
    (tmp_path / "a.jsonl").unlink()

    assert list(lines) == ["cannot be read: No such file or directory"]


def test_a_folder_that_is_not_there(tmp_path: Path):
    with pytest.raises(InvalidInput, match="cannot read this folder"):
        list(session_files(str(tmp_path / "nowhere")))


def test_where_programs_keep_them():
    assert {name: str(path) for name, path in FOLDERS.items()} == {
        "claude": ".claude/projects",
        "codex": ".codex/sessions",
    }


def test_a_session_is_found_by_its_id(tmp_path: Path):
    (tmp_path / "2026").mkdir()
    (tmp_path / "2026" / "rollout-1-abc.jsonl").write_text("one\ntwo\n")
    (tmp_path / "abcd.jsonl").write_text("other\n")

    path, lines = find_session(str(tmp_path), "abc")
    assert (Path(path), list(lines)) == (tmp_path / "2026" / "rollout-1-abc.jsonl", ["one", "two"])
    for folder, session in ((tmp_path, "x"), (tmp_path, ""), (tmp_path / "gone", "abc")):
        with pytest.raises(InvalidInput):
            find_session(str(folder), session)


def test_a_session_is_written_as_a_new_private_file_and_over_nothing(tmp_path: Path):
    path = tmp_path / "new.jsonl"
    create_session(str(path), b"{}\n")
    assert path.read_bytes() == b"{}\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600

    with pytest.raises(InvalidInput, match="is there already"):
        create_session(str(path), b"other")
    assert path.read_bytes() == b"{}\n"
    for name in ("state_5.sqlite", "new.json", "gone/x.jsonl"):
        with pytest.raises(InvalidInput):
            create_session(str(tmp_path / name), b"{}")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["new.jsonl"]
