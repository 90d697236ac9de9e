"""Markdown for people: each message as it was written, and none that runs into the next or passes for one."""

from __future__ import annotations

from dataclasses import replace

import pytest
from markdown_it import MarkdownIt

from tests.fakes.archives import WHEN, full_archive, plain_archive
from tests.fakes.turns import artifact, assistant, user
from workbench.domain.record import Snapshot
from workbench.engine.exchange.markdown_format import export_markdown


def test_it_reads_like_a_conversation():
    archive = plain_archive(
        user("q", "What is it?"), assistant("a", "A ``` fence"), title="Two\nlines", attached=("a.md",)
    )
    lines = export_markdown(archive).decode().split("\n")
    mark = f"<!-- {lines[0].split('mark=')[1][1:9]} -->"
    assert lines[5:] == [
        f"## User · {WHEN}", "", "[Context: Files: a.md]", "", mark, "", "What is it?", "", mark, "",
        f"## Assistant · {WHEN}", "", "[Context: Files: a.md]", "", mark, "", "A ``` fence", "", mark, "",
    ]  # fmt: skip


LEAKING = [
    "```python\nnever closed",
    "~~~~\nclosed by less\n~~~",
    "1. a list\n   ```\n   of it\n```",
    "<!-- a comment",
    "<script>\nno end",
    "## User · 2026-01-01T12:00:00Z\n\nInvented.",
    "# assistant",
    "```` three inside\n```\n",
]
TIDY = [
    "# A heading\n\n- a list\n  ```python\n  print()\n  ```\n\n<https://x.example>",
    "~~~\n```\n~~~",
    "``` in `` words",
    "````markdown\n```\ninner\n```\n````",
    "```\n<!-- shown -->\n## User · now\n```",
]


@pytest.mark.parametrize("text", [*LEAKING, *TIDY])
def test_every_message_is_its_own_whatever_it_holds(text: str):
    """An open fence or comment of one answer would swallow all messages after it, a heading in one make two of it."""
    written = export_markdown(plain_archive(user("q", text), assistant("a", "Last *words*."))).decode()
    read = MarkdownIt("commonmark").parse(written)
    titles = [
        read[i + 1].content for i, one in enumerate(read) if one.type == "heading_open" and one.tag == "h2"
    ]
    assert titles == [f"User · {WHEN}", f"Assistant · {WHEN}"]
    assert any(one.type == "inline" and one.content == "Last *words*." for one in read)


@pytest.mark.parametrize("text", TIDY)
def test_a_message_is_not_put_into_a_fence(text: str):
    assert f" -->\n\n{text}\n\n<!-- " in export_markdown(plain_archive(user("q", text))).decode()


def test_files_are_named_as_in_the_chat_and_paths_only_where_asked_for():
    archive = plain_archive(user("q"), attached=("/home/ann/work/plan.md", "/srv/secret/b.md", "docs/c.md"))
    taken = artifact("/home/ann/work/plan.md", "words", name="work/plan.md")
    archive = replace(archive, snapshots=(Snapshot("talk", taken, WHEN),))
    assert "[Context: Files: work/plan.md, b.md, docs/c.md]" in export_markdown(archive).decode()
    shown = export_markdown(archive, paths=True).decode()
    assert "[Context: Files: /home/ann/work/plan.md, /srv/secret/b.md, docs/c.md]" in shown


def test_it_begins_with_what_it_is_and_what_it_leaves_out():
    lines = export_markdown(plain_archive(user("q"), chat="a-->b", title="Two\nlines")).decode().split("\n")
    mark = lines[0][-13:-5]
    assert lines[0] == f'<!-- workbench-markdown/2 chat="a--\\u003eb" created="{WHEN}" mark="{mark}" -->'
    assert lines[1] == "# Two lines"
    assert lines[3].startswith("Left out of this file: other branches")


def test_kinds_come_from_what_was_attached():
    shown = export_markdown(full_archive()).decode()
    assert "[Context: Notes: notes/a.md]" in shown
    assert "[Context: Notes: notes/a.md | Selections: selection]" in shown
    assert '```tool-call\n{"id": "c1", "name": "read", "arguments": "{}"}\n```' in shown
    assert '[Answers call: "c1"]' in shown
