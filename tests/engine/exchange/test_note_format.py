"""Chats that others keep as notes: those with a bold name a message, and those with a heading a speaker."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.archives import fresh
from workbench.engine.exchange.imported import Wanted
from workbench.engine.exchange.note_format import import_note, is_note

SAVED = """---
epoch: 1727010062000
modelKey: "some-model|openai"
topic: "The project"
tags:
  - conversation
---

**user**: Summarize this
and that
[Context: Notes: project-spec.md, docs/api.md | URLs: https://x.example/a]
[Timestamp: 2024/09/22 13:01:02]

**ai**: Here is ## a summary:
```
code
```
[Timestamp: 2024/09/22 13:01:09]
"""


def test_a_saved_chat_of_seed_001s_project_is_read():
    back = import_note(SAVED, fresh())
    archive = back.archives[0]
    assert (archive.chat.title, archive.chat.created_utc) == ("The project", "2024-09-22T13:01:02Z")
    question, answer = archive.records
    assert question.entry.texts == ("Summarize this\nand that",)  # type: ignore[union-attr]
    assert question.attached == ("project-spec.md", "docs/api.md", "https://x.example/a")
    assert answer.entry.texts == ("Here is ## a summary:\n```\ncode\n```",)  # type: ignore[union-attr]
    assert answer.created_utc == "2024-09-22T13:01:09Z"
    assert [(wanted.key, wanted.kind) for wanted in back.wanted] == [
        ("project-spec.md", "note"), ("docs/api.md", "note"), ("https://x.example/a", "url"),
    ]  # fmt: skip
    assert back.wanted[0] == Wanted("id1", question.id, "project-spec.md", "note", None)
    assert back.problems == (
        "The note's properties were left out: modelKey, tags.",
        "Times without a zone were taken as UTC.",
    )


def test_a_heading_a_speaker_is_read_and_fences_are_respected():
    text = "# On fences\nintro\n## User · 2026-01-01T00:00:00Z\n\n```\n## Assistant\n```\n\n### Assistant:\nYes\n"
    back = import_note(text, fresh())
    archive = back.archives[0]
    assert archive.chat.title == "On fences"
    assert [record.entry.role for record in archive.records] == ["user", "assistant"]  # type: ignore[union-attr]
    assert archive.records[0].entry.texts == ("```\n## Assistant\n```",)  # type: ignore[union-attr]
    assert back.problems == ("1 line before the first message was left out.",)


def test_a_text_without_speakers_is_no_chat():
    assert is_note(SAVED)
    assert is_note("### Human\nhi")
    assert not is_note("# Users of the world\n\nuser: hi\n**bold**: hi\n## Userland")


LINES = ["**user**: a", "**ai**:", "## User", "```", "~~~~", "---", "[Context: x]", "[Timestamp: ]", ""]


@given(st.lists(st.sampled_from(LINES) | st.text(max_size=9)).map("\n".join))
def test_no_note_ends_in_a_traceback(text: str):
    import_note(text, fresh())
