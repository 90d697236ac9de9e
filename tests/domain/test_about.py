"""What the program says about itself in a line, and how a part is found."""

from __future__ import annotations

from workbench.domain.about import Part, ProgramFacts, find_parts

PARTS = (
    Part("h11", "0.16.0", "MIT"),
    Part("Qt", "6.8.0", "LGPL-3.0-only OR GPL-3.0-only", "pyside6-essentials"),
    Part("mcp", "2.3.0", "MIT", optional=True),
)


def test_what_is_not_known_is_said_so():
    assert ProgramFacts("1", "", "3.11.4", "").line == (
        "workbench 1 (commit unknown, Python 3.11.4, Qt not installed)"
    )


def test_parts_are_found_by_name_licence_and_what_contains_them():
    assert [part.name for part in find_parts(PARTS, "mit")] == ["h11", "mcp"]
    assert [part.name for part in find_parts(PARTS, "lgpl PySide6")] == ["Qt"]
    assert find_parts(PARTS, "") == PARTS
    assert find_parts(PARTS, "nothing of the kind") == ()
