"""The tool read."""

from __future__ import annotations

from pathlib import Path

from tests.fakes.workspaces import Called, fill


def test_a_file_comes_as_it_is(tmp_path: Path):
    tools = Called(fill(tmp_path, {"a.py": "\ufeffdef f():\r\n    pass\r\n", "empty": ""}))
    assert tools.text("read", path="a.py") == "def f():\n    pass"
    assert tools.text("read", path="empty") == "empty is empty."


def test_a_long_file_comes_in_parts_that_join(tmp_path: Path):
    lines = [f"line {number}" for number in range(1, 1001)]
    tools = Called(fill(tmp_path, {"a": "\n".join(lines)}))
    first = tools.text("read", path="a").split("\n")
    assert first[-1] == "… 600 more lines; call read with offset 401"
    second = tools.text("read", path="a", offset=401, limit=9999).split("\n")
    third = tools.text("read", path="a", offset=801).split("\n")
    assert first[:-1] + second[:-1] + third == lines
    assert tools.text("read", path="a", offset=1000) == "line 1000"
    assert (
        tools.text("read", path="a", offset=2, limit=1) == "line 2\n… 998 more lines; call read with offset 3"
    )
    assert tools.refusal("read", path="a", offset=1001) == "a has only 1,000 lines."
    assert tools.preview("read", path="a", offset=401).summary == "Read a from line 401"


def test_wide_lines_end_a_part_early(tmp_path: Path):
    tools = Called(
        fill(tmp_path, {"a": "\n".join("x" * 10_000 for _ in range(5)), "one": "y" * 30_000 + "\nz"})
    )
    assert tools.text("read", path="a").endswith("\n… 3 more lines; call read with offset 3")
    one = tools.text("read", path="one")
    assert one.startswith("y" * 24_000 + "\n… 6,000 more characters in this line\n")
    assert one.endswith("… 1 more lines; call read with offset 2")


def test_what_is_not_text_is_refused(tmp_path: Path):
    tools = Called(fill(tmp_path, {"a.png": b"\x89PNG\r\n\x1a\n\0\0"}))
    assert tools.refusal("read", path="a.png") == "a.png is not text, so it cannot be read here."
    assert tools.refusal("read", path="b") == "There is no file b. Use ls to see what there is."
    assert tools.refusal("read") == "read needs path; it takes: path, offset (optional), limit (optional)."
