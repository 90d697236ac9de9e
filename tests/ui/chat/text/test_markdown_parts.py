"""Parts: lines know their place in lists and quotes, and whether they follow closely."""

from __future__ import annotations

from workbench.ui.chat.text.blocks import Code, Formula, Line, Span, Table
from workbench.ui.chat.text.markdown import piece_parts
from workbench.ui.chat.text.markdown_parts import MOST_FORMULAS


def lines(source: str) -> list[Line]:
    return [part for part in piece_parts(source) if isinstance(part, Line)]


def test_items_have_the_numbers_that_were_written():
    """A number that is counted anew would differ between an answer that grows and the finished one."""
    assert [line.marker for line in lines("3. a\n3. b\n7. c\n")] == ["3.", "3.", "7."]


def test_signs_of_lists_go_by_their_depth():
    found = lines("- a\n  - b\n    - c\n")
    assert [(line.marker, line.indent) for line in found] == [("•", 1), ("◦", 2), ("▪", 3)]


def test_tasks_have_boxes():
    found = lines("- [ ] open\n- [x] done\n- [y] other\n")
    assert [(line.marker, line.spans[0].text) for line in found] == [
        ("☐", "open"),
        ("☑", "done"),
        ("•", "[y] other"),
    ]


def test_an_item_that_begins_with_code_still_shows_its_sign():
    marker, code = piece_parts("- ```\n  x\n  ```\n")
    assert isinstance(marker, Line)
    assert marker.marker == "•"
    assert code == Code("x", "", 1)


def test_close_is_what_follows_without_an_empty_line():
    assert [line.close for line in lines("- a\n- b\n\n- c\n")] == [False, True, False]
    assert [line.close for line in lines("> a\n>\n> b\n")] == [False, False]
    assert piece_parts("a", after_blank=False) == (Line((Span("a"),), close=True),)


def test_headings_and_rules():
    heading, rule = lines("## a\n\n---\n")
    assert (heading.kind, heading.level) == ("heading", 2)
    assert rule.kind == "rule"


def test_a_table_knows_how_its_columns_are_aligned():
    (table,) = piece_parts("| a | b | c |\n|:--|:-:|--:|\n| 1 | **2** | 3 |\n")
    assert isinstance(table, Table)
    assert table.aligns == ("left", "center", "right")
    assert table.rows[1][1] == (Span("2", bold=True),)


def test_formulas_beyond_the_limit_are_source():
    parts = piece_parts("\n\n".join(f"$$x_{{{number}}}$$" for number in range(MOST_FORMULAS + 2)))
    assert sum(isinstance(part, Formula) for part in parts) == MOST_FORMULAS
    inline = " ".join(f"$x_{{{number}}}$" for number in range(MOST_FORMULAS + 2))
    assert not any(span.math for span in lines(inline)[0].spans)
