"""Our Markdown comes back as it was; an edited or hostile file gives sentences, never a crash."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.archives import WHEN, fresh, full_archive, plain_archive
from tests.fakes.effort import tries
from tests.fakes.turns import assistant, user
from workbench.domain.message import Message
from workbench.domain.record import ChatArchive
from workbench.domain.text import repair_text
from workbench.engine.exchange.imported import Imported, Wanted
from workbench.engine.exchange.markdown_format import export_markdown
from workbench.engine.exchange.markdown_reading import import_markdown, is_own_markdown

HEADER = '<!-- workbench-markdown/1 chat="c" created="2026-01-01T12:00:00Z" -->\n'
LINES = [
    *(
        "## User",
        f"## Assistant · {WHEN}",
        "```",
        "````markdown",
        "```markdown",
        "[Context: Files: /etc/passwd]",
        "",
    ),
    *("# Title", "<!-- workbench-markdown/1 -->", "---", "**user**: hi", "~~~", "`" * 9),
    *("\r", "\x0b", "\x85", "\u2028"),
]
HOSTILE = st.lists(st.sampled_from(LINES) | st.text(max_size=10), max_size=8).map("\n".join)


def read(archive: ChatArchive) -> Imported:
    text = export_markdown(archive).decode()
    assert is_own_markdown(text)
    return import_markdown(text, fresh())


@given(st.lists(st.lists(HOSTILE, max_size=2), min_size=1, max_size=4), st.text(max_size=20))
@settings(max_examples=tries(150), deadline=None)
def test_hostile_words_survive_a_round_trip(spoken: list[list[str]], title: str):
    """A message that holds "## User" must not become two, nor a fence in it end it early."""
    entries = [
        Message(f"m{i}", "user" if i % 2 else "assistant", tuple(texts)) for i, texts in enumerate(spoken)
    ]
    back = read(plain_archive(*entries, title=title))
    assert back.problems == ()
    assert [record.entry.texts for record in back.archives[0].records] == [  # type: ignore[union-attr]
        tuple(repair_text(text) for text in texts) for texts in spoken
    ]
    assert [record.created_utc for record in back.archives[0].records] == [WHEN] * len(spoken)


def test_the_first_edition_with_a_fence_around_each_message_is_still_read():
    text = (
        HEADER + "# T\n\n## User · -\n\n````markdown\na\n```\nb\n````\n\n## Tool · -\n\n```markdown\nr\n```\n"
    )
    back = import_markdown(text, fresh())
    assert [record.entry.texts for record in back.archives[0].records] == [("a\n```\nb",), ("r",)]  # type: ignore[union-attr]
    assert back.problems == ()


def test_calls_results_states_and_names_come_back():
    back = read(full_archive())
    archive = back.archives[0]
    assert (archive.chat.id, archive.chat.title) == ("talk", "Everything <b>there</b> is")
    original = [record.entry for record in full_archive().records[:12]]
    for entry, record in zip(original, archive.records, strict=True):
        assert isinstance(entry, Message)
        assert record.entry == replace(entry, id=record.id)
    assert archive.records[4].attached == ("notes/a.md", "selection")
    assert back.wanted == (
        Wanted("talk", "id1", "notes/a.md", "note", "talk"),
        Wanted("talk", "id5", "notes/a.md", "note", "talk"),
        Wanted("talk", "id5", "selection", "selection", "talk"),
    )
    assert back.problems == ()


def test_an_answer_that_was_stopped_stays_so():
    archive = read(plain_archive(user("q"), assistant("a"), state="stopped")).archives[0]
    assert {record.state for record in archive.records} == {"stopped"}
    archive = read(plain_archive(user("q"), state="running")).archives[0]
    assert archive.records[0].state == "interrupted"


def test_a_file_edited_by_hand_says_what_it_lost():
    text = (
        HEADER + "# T\nstray\n## User · noon\n\n```markdown\nhi\n```\nadded\n[Context: Smells: roses]\n"
        "```tool-call\n{}\n```\n## Assistant · -\n```markdown\nnever closed\n## User · -\n"
    )
    back = import_markdown(text, fresh())
    assert [record.entry.texts for record in back.archives[0].records] == [  # type: ignore[union-attr]
        ("hi",),
        ("never closed\n## User · -\n",),
    ]
    assert back.problems == (
        "line 4: a time that cannot be read; the one before it was used.",
        "line 10: 'Smells' is not a known kind of attachment; left out.",
        "line 13: a tool call that cannot be read was left out.",
        "line 15: a fence or mark is never closed; all that follows was taken as its text.",
        "2 lines outside of any message were left out (lines 3, 9).",
    )


def test_a_chat_id_that_cannot_be_ours_is_replaced():
    text = HEADER.replace('"c"', '"../../etc"') + "# T\n"
    assert import_markdown(text, fresh()).archives[0].chat.id == "id1"


@given(HOSTILE)
def test_no_file_ends_in_a_traceback(text: str):
    import_markdown(HEADER + text, fresh())
    import_markdown(text, fresh())
