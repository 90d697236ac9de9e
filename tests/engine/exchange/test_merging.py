"""A chat beside the same one from a newer export: only what is new is added, where it belongs."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.archives import plain_archive
from tests.fakes.turns import assistant, user
from workbench.domain.message import Image, Thought
from workbench.domain.record import ChatArchive, Record
from workbench.engine.program.adopting import merge, same_words

WHEN = "2026-01-01T12:00:00Z"
KEPT = plain_archive(user("q", "Hi"), assistant("a", "Ho"))
NEWER = plain_archive(user("q", "Hi"), assistant("a", "Ho"), user("q2", "More"), assistant("a2", "Yes"))


def with_record(archive: ChatArchive, record: Record) -> ChatArchive:
    return replace(archive, chat=replace(archive.chat, leaf=record.id), records=(*archive.records, record))


def test_the_same_adds_nothing():
    merged = merge(KEPT, KEPT)
    assert merged is not None
    assert (merged.added, merged.leaf, merged.branched) == ((), "a", False)


def test_what_came_after_is_the_continuation():
    merged = merge(KEPT, NEWER)
    assert merged is not None
    assert [(record.id, record.parent) for record in merged.added] == [("q2", "a"), ("a2", "q2")]
    assert (merged.leaf, merged.branched) == ("a2", False)


def test_beside_what_was_written_here_it_is_a_branch_and_the_view_stays():
    here = with_record(KEPT, Record("talk", user("mine", "My own"), WHEN, "a"))
    merged = merge(here, NEWER)
    assert merged is not None
    assert [record.parent for record in merged.added] == ["a", "q2"]
    assert (merged.leaf, merged.branched) == ("mine", True)


def test_a_message_that_says_something_else_now_is_another_version():
    edited = plain_archive(user("q", "Hi"), assistant("a", "Ho, edited"), user("q2", "More"))
    merged = merge(KEPT, edited)
    assert merged is not None
    version, after = merged.added
    assert (version.parent, version.id[:2], after.parent) == ("q", "a:", version.id)
    both = replace(KEPT, records=(*KEPT.records, *merged.added))
    again = merge(both, edited)
    assert again is not None
    assert again.added == ()


def test_two_chats_of_one_id_have_nothing_in_common():
    assert merge(KEPT, plain_archive(user("x", "Something else"))) is None
    assert merge(KEPT, plain_archive(user("q", "Something else"))) is None
    empty = merge(KEPT, plain_archive())
    assert empty is not None
    assert empty.added == ()


def test_what_was_deleted_here_stays_so_unless_an_import_was_taken_back():
    gone = replace(KEPT, records=(KEPT.records[0], replace(KEPT.records[1], deleted_utc=WHEN)))
    merged, back = merge(gone, KEPT), merge(gone, KEPT, {"a"})
    assert merged is not None
    assert back is not None
    assert (merged.added, [record.id for record in back.added]) == ((), ["a"])
    assert back.added[0].deleted_utc is None


def test_pictures_and_thoughts_do_not_make_another_message():
    """An older program kept neither; its chats must not be doubled."""
    richer = replace(assistant("a", "Ho"), thinking=(Thought("hm"),), images=(Image("d"),), texts=("Ho", ""))
    assert same_words(assistant("a", "Ho"), richer)
    merged = merge(KEPT, plain_archive(user("q", "Hi"), richer))
    assert merged is not None
    assert (merged.added, merged.richer) == ((), 1)
    assert not same_words(assistant("a", "Ho"), user("a", "Ho"))
