"""Markdown for people: readable, and no text in it can pass for a heading or a message of its own."""

from __future__ import annotations

from tests.fakes.archives import WHEN, full_archive, plain_archive
from tests.fakes.turns import assistant, user
from workbench.engine.exchange.markdown_format import export_markdown


def test_it_reads_like_a_conversation():
    archive = plain_archive(
        user("q", "What is it?"), assistant("a", "A ``` fence"), title="Two\nlines", attached=("a.md",)
    )
    assert export_markdown(archive).decode().split("\n")[5:] == [
        f"## User · {WHEN}", "", "[Context: Files: a.md]", "", "```markdown", "What is it?", "```", "",
        f"## Assistant · {WHEN}", "", "[Context: Files: a.md]", "", "````markdown", "A ``` fence", "````", "",
    ]  # fmt: skip


def test_it_begins_with_what_it_is_and_what_it_leaves_out():
    lines = export_markdown(plain_archive(user("q"), chat="a-->b", title="Two\nlines")).decode().split("\n")
    assert lines[0] == f'<!-- workbench-markdown/1 chat="a--\\u003eb" created="{WHEN}" -->'
    assert lines[1] == "# Two lines"
    assert lines[3].startswith("Left out of this file: other branches")


def test_kinds_come_from_what_was_attached():
    shown = export_markdown(full_archive()).decode()
    assert "[Context: Notes: notes/a.md]" in shown
    assert "[Context: Notes: notes/a.md | Selections: selection]" in shown
    assert '```tool-call\n{"id": "c1", "name": "read", "arguments": "{}"}\n```' in shown
    assert '[Answers call: "c1"]' in shown
