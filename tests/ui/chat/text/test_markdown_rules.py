"""Our rules of the Markdown reader: work is limited, and formulas may stand in brackets."""

from __future__ import annotations

from markdown_it import MarkdownIt

from workbench.ui.chat.text.markdown import MOST_STEPS, STEPS, add_rules


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
