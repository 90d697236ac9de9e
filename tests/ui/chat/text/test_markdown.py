"""Markdown: what people and models write is understood, what is hostile is only text, and nothing takes for ever."""

from __future__ import annotations

from time import process_time

import pytest
from markdown_it import MarkdownIt

from workbench.ui.chat.text.blocks import Code, Formula, Line, Prose, Span, Table, blocks_text
from workbench.ui.chat.text.markdown import (
    MOST_FORMULAS,
    MOST_STEPS,
    PAGE_STEPS,
    STEPS,
    PageReader,
    add_rules,
    blocks_of,
    guide_parts,
    piece_parts,
)

BOMB = 100_000


def repeat(text: str) -> str:
    return (text * (BOMB // len(text) + 1))[:BOMB]


def prose(source: str) -> tuple[Line, ...]:
    (block,) = blocks_of(source)
    assert isinstance(block, Prose)
    return block.lines


def test_a_paragraph_keeps_its_styles():
    (line,) = prose("plain **bold** *it* ~~gone~~ `code` [link](https://a.example/)")
    assert line.spans == (
        Span("plain "),
        Span("bold", bold=True),
        Span(" "),
        Span("it", italic=True),
        Span(" "),
        Span("gone", struck=True),
        Span(" "),
        Span("code", code=True),
        Span(" "),
        Span("link", link="https://a.example/"),
    )


def test_code_is_a_block_of_its_own_with_its_language():
    assert blocks_of("```python title=x\na = 1\n\nb\n```") == (Code("a = 1\n\nb", "python"),)
    assert blocks_of("```\nopen") == (Code("open", ""),)


def test_raw_html_is_text():
    (line,) = prose("<b>bold</b> <img src=x onerror=y>")
    assert line.spans == (Span("<b>bold</b> <img src=x onerror=y>"),)


def test_a_picture_is_a_label_with_its_address():
    (line,) = prose("![a cat](https://a.example/cat.png)")
    assert line.spans == (Span("a cat (https://a.example/cat.png)", link="https://a.example/cat.png"),)


def test_only_the_programs_own_pages_link_to_one_another():
    source = "[budget](budget.md) [up](../x.md) [file](file:///x.md)"
    (line,) = guide_parts(source)
    assert isinstance(line, Line)
    assert [span.link for span in line.spans] == ["budget.md", ""]
    assert prose(source)[0].spans == (Span(source),)


def test_a_reference_is_not_followed():
    """A definition far below must not change, or load, what stands above it (EchoLeak CVE-2025-32711)."""
    lines = prose("![x][ref]\n\n[ref]: https://a.example/leak")
    assert not any(span.link for line in lines for span in line.spans)


def test_formulas_are_found_in_all_their_brackets():
    assert blocks_of("$$\nx^2\n$$") == (Formula("x^2"),)
    assert blocks_of("\\[\nx^2\n\\]") == (Formula("x^2"),)
    assert blocks_of("$$x^2$$") == (Formula("x^2"),)
    (line,) = prose("so $a+b$ and \\(c\\) hold")
    assert [span.text for span in line.spans if span.math] == ["a+b", "c"]


def test_prices_are_no_formulas():
    (line,) = prose("It costs $5, then $10, between $5-$10.")
    assert not any(span.math for span in line.spans)


def test_a_question_stays_as_it_was_typed():
    (block, code) = blocks_of("# not a heading\n  *not italic* `code`\n```\nx\n```", verbatim=True)
    assert block == Prose(
        (Line((Span("# not a heading\n  *not italic* "), Span("code", code=True))),),
    )
    assert code == Code("x")


def test_line_ends_of_all_systems_are_line_ends():
    assert blocks_of("a\r\n\r\nb\rc\u2028d") == blocks_of("a\n\nb\nc\nd")


@pytest.mark.parametrize("sign", [">", "- ", "1. ", "> - ", "* > "])
def test_deep_nesting_loses_no_word(sign: str):
    """The reader itself leaves out what is nested too deep; what was said must not be invisible."""
    source = sign * 500 + "the end"
    assert blocks_text(blocks_of(source)).endswith("the end")


def test_a_giant_table_becomes_text():
    rows = "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 201
    (block,) = piece_parts(rows)
    assert isinstance(block, Code)
    assert block.text.count("\n") == 201
    wide = "|".join("x" * 40)
    (block,) = piece_parts(f"{wide}\n{'|'.join('-' * 40)}\n{wide}\n")
    assert isinstance(block, Code)
    (small,) = piece_parts("| a |\n|---|\n| 1 |\n")
    assert isinstance(small, Table)


def test_a_page_ends_and_the_next_one_goes_on():
    source = "\n\n".join(f"paragraph {number} " + "x" * 400 for number in range(500))
    first = PageReader(source)
    while not first.done:
        first.read()
    assert 0 < first.end < len(source)
    second = PageReader(source, first.end)
    (line, *_rest) = second.read()
    assert isinstance(line, Line)
    assert line.spans[0].text.startswith("paragraph ")


BOMBS = {
    "word": "a" * BOMB,
    "newlines": "\n" * 200_000,
    "stars": repeat("*a* "),
    "open stars": repeat("**a *b "),
    "brackets": repeat("["),
    "pictures": repeat("!["),
    "links": repeat("[a](http://b.example) "),
    "autolinks": repeat("<http://a.example> "),
    "backticks": "".join("`" * (number % 300 + 1) + "a" for number in range(660)),
    "quotes": repeat(">"),
    "list": repeat("- a\n"),
    "nested list": "".join("  " * number + "- a\n" for number in range(400)),
    "headings": repeat("# a\n"),
    "table": "|a" * 50 + "|\n" + "|-" * 50 + "|\n" + repeat("|a" * 50 + "|\n"),
    "dollars": repeat("$a "),
    "formulas": repeat("$a$ "),
    "fences": repeat("```\na\n"),
    "hidden fence": "    ```\n" + repeat("["),
    "entities": repeat("&amp;"),
    "escapes": repeat("\\("),
    "underlines": repeat("a\n---\n"),
    "zalgo": repeat("a" + "\u0301" * 40),
    "overrides": repeat("\u202ea "),
}


@pytest.mark.parametrize("name", BOMBS)
def test_no_bomb_takes_long(name: str):
    """Without limits some of these took minutes; the exact figures are in the benchmark."""
    started = process_time()
    blocks_of(BOMBS[name])
    assert process_time() - started < 5


def test_a_bomb_ends_its_page_early():
    reader = PageReader(BOMBS["brackets"])
    while not reader.done:
        reader.read()
    assert reader.end < BOMB
    assert PAGE_STEPS < BOMB


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


def spans(source: str) -> tuple[Span, ...]:
    (line,) = piece_parts(source)
    assert isinstance(line, Line)
    return line.spans


def test_neighbours_in_one_style_are_one():
    assert spans("a &amp; b \\* c\nd") == (Span("a & b * c d"),)


def test_a_hard_break_stays_a_break():
    assert spans("a\\\nb  \nc") == (Span("a\nb\nc"),)


def test_styles_add_up():
    assert spans("**a *b***") == (Span("a ", bold=True), Span("b", bold=True, italic=True))


def test_a_picture_in_a_link_leads_where_the_link_does():
    (span,) = spans("[![x](http://a.example/)](http://b.example/)")
    assert (span.text, span.link) == ("x (http://a.example/)", "http://b.example/")


def test_a_picture_without_a_name_is_its_address():
    assert spans("![](http://a.example/x.png)") == (
        Span("http://a.example/x.png", link="http://a.example/x.png"),
    )


def test_a_link_that_may_not_be_opened_is_shown_as_it_was_written():
    assert spans("[click](javascript:alert(1))") == (Span("[click](javascript:alert(1))"),)


def test_an_address_in_other_letters_is_encoded_so_that_it_can_be_seen():
    (span,) = spans("[x](https://еxample.org/é)")
    assert span.link == "https://xn--xample-2of.org/%C3%A9"


def reader() -> MarkdownIt:
    made = MarkdownIt("commonmark")
    add_rules(made)
    return made


def kinds(source: str) -> list[tuple[str, str]]:
    tokens = reader().parse(source, {})
    inline = [child for token in tokens for child in token.children or []]
    return [(token.type, token.content) for token in (*tokens, *inline) if "math" in token.type]


def test_steps_are_counted_and_links_count_more():
    env: dict[str, int] = {}
    reader().parse("some *words*", env)
    few = env[STEPS]
    env = {}
    reader().parse("[some](words)", env)
    assert env[STEPS] > few > 0


def test_after_the_last_step_the_rest_is_text():
    env: dict[str, int] = {}
    tokens = reader().parse("*a* " * MOST_STEPS, env)
    text = "".join(child.content for child in tokens[1].children or [] if child.type == "text")
    assert text.endswith("*a*")
    assert env[STEPS] <= MOST_STEPS + 10


def test_formulas_in_brackets():
    assert kinds("\\(x\\)") == [("math_inline", "x")]
    assert kinds("a \\[x\\] b") == [("math_inline_double", "x")]
    assert kinds("\\[\nx\ny\n\\]") == [("math_block", "\nx\ny\n")]


def test_brackets_that_are_not_closed_are_text():
    assert kinds("\\(x") == []
    assert kinds("\\[\nx") == []
    assert kinds("\\( \\)") == []


def test_a_formula_ends_with_its_list_item():
    assert kinds("- \\[\n\nout") == []
