"""What is half written, as it will be read: pure text in, text out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.ui.chat.text.streaming import LONGEST_RUN, OpenCode, closed, completed, split_open_code


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("**bo", "**bo**"),
        ("a **", "a"),
        ("a **b*", "a **b**"),
        ("**b** and *", "**b** and"),
        ("***x", "***x***"),
        ("**a *b", "**a *b***"),
        ("~~gone", "~~gone~~"),
        ("a ~", "a"),
        ("x `co", "x `co`"),
        ("x `", "x"),
        ("``a`", "``a``"),
        ("__c", "__c__"),
        ("end\\", "end"),
        ("**words ", "**words**"),
        ("a * b", "a * b"),
        ("snake_case", "snake_case"),
        ("2*3 = 6", "2*3 = 6"),
        ("`**` is", "`**` is"),
        ("\\*a", "\\*a"),
        ("$a*b$ is", "$a*b$ is"),
    ],
)
def test_emphasis_and_code_are_closed_and_a_sign_that_may_open_them_waits(text: str, shown: str):
    assert completed(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[doc", "doc"),
        ("[doc]", "doc"),
        ("[doc](http", "doc"),
        ('[doc](http://x "ti', "doc"),
        ("see ![alt](ht", "see alt"),
        ("[**a**](x", "**a**"),
        ("[doc](http://x)", "[doc](http://x)"),
        ("[1] and", "[1] and"),
        ("a[0] = 1", "a[0] = 1"),
    ],
)
def test_a_link_is_its_label_until_it_is_one(text: str, shown: str):
    assert completed(text) == shown


def test_a_bracket_or_a_star_that_stays_open_for_long_stands_for_itself():
    long = "word " * 100
    assert completed(f"[0, 1) and {long}") == f"[0, 1) and {long}".rstrip()
    assert closed("*" + "x" * (LONGEST_RUN + 1)).count("*") == 1


@pytest.mark.parametrize("line", ["-", "--", "---", "=", "#", "## ", "|", "> ", "1.", "``", "* ", "+"])
def test_a_line_of_nothing_but_signs_waits(line: str):
    assert completed(f"Words.\n{line}") == "Words."
    assert completed(line) == ""


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("| a", "| a |\n| --- |"),
        ("| a | b", "| a | b |\n| --- | --- |"),
        ("| a | b |\n|", "| a | b |\n| --- | --- |"),
        ("| a | b |\n|:--|-", "| a | b |\n| --- | --- |"),
        ("| a | b |\n|:--|--:|", "| a | b |\n|:--|--:|"),
        ("| a | b |\n|---|---|\n|", "| a | b |\n|---|---|"),
        ("| a | b |\n|---|---|\n| 1 | **x", "| a | b |\n|---|---|\n| 1 | **x** |"),
        ("Words:\n| a |\n|---|\n| 1 |", "Words:\n| a |\n|---|\n| 1 |"),
        ("| a\n| b **c", "| a\n| b **c**"),
    ],
)
def test_a_table_is_one_from_its_head_on(text: str, shown: str):
    assert completed(text) == shown


def test_code_that_is_open_is_told_from_what_stands_before_it():
    assert split_open_code("Here:\n```py\nx = 1\n``") == ("Here:", OpenCode("py", "x = 1"))
    assert split_open_code("```p") == ("", OpenCode("", ""))
    assert split_open_code("```\nx\n```\nmore") == ("```\nx\n```\nmore", None)
    assert split_open_code("- a\n  - b\n    ~~~js\n    let x\n      y") == (
        "- a\n  - b",
        OpenCode("js", "let x\n  y", 2),
    )
    assert split_open_code("~~~\n```") == ("", OpenCode("", "```"))


@given(st.text(st.sampled_from("ab *_~`[]()!|-#>\\$\n1.:"), max_size=60))
def test_anything_can_be_completed(text: str):
    """Nothing here may fail or go on for ever, whatever a model writes."""
    before, code = split_open_code(text)
    assert isinstance(completed(before), str)
    assert code is None or code.text in text.replace("\t", " ") or code.depth or "\n" in code.text
