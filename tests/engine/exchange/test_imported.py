"""What all imports share: ids that are kept or made, times that are given or taken over, titles on one line."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.fakes.archives import fresh
from workbench.engine.exchange.imported import (
    Ids,
    Imported,
    ImportedMessage,
    Losses,
    clean_title,
    is_good_id,
    linear_archive,
    merged,
    started,
    unread,
)
from workbench.ports.exchange_files import FilesFound


def test_a_foreign_id_is_kept_once():
    ids = Ids(fresh().new_id)
    assert [ids.take("msg-1"), ids.take("msg-1"), ids.take(None), ids.take(7)] == [
        "msg-1",
        "id1",
        "id2",
        "id3",
    ]


def test_ids_differ_even_where_the_source_repeats_itself():
    ids = Ids(lambda: "same")
    assert [ids.take(), ids.take(), ids.take()] == ["same", "same-2", "same-3"]


@pytest.mark.parametrize("bad", ["", "a b", "../x", "a/b", "\u202e", "é", "x" * 65, "-x", None, 3, ["a"]])
def test_an_id_that_could_be_anything_else_is_not_kept(bad: object):
    assert not is_good_id(bad)


def test_messages_follow_each_other_and_time_is_taken_over():
    said = [
        ImportedMessage("user", ("Hello\nthere",)),
        ImportedMessage("assistant", ("Hi",), "2026-01-02T00:00:00Z"),
        ImportedMessage("user", ("Bye",)),
    ]
    archive = linear_archive(started("c", "", "2026-01-01T00:00:00Z"), said, Ids(fresh().new_id), "now")
    assert [record.parent for record in archive.records] == [None, "id1", "id2"]
    assert [record.created_utc[:10] for record in archive.records] == [
        "2026-01-01",
        "2026-01-02",
        "2026-01-02",
    ]
    assert (archive.chat.leaf, archive.chat.title) == ("id3", "Hello")


def test_a_chat_without_messages_has_no_leaf():
    archive = linear_archive(started("c", "T", "t"), [], Ids(fresh().new_id), "now")
    assert (archive.chat.leaf, archive.chat.title, archive.records) == (None, "T", ())


def test_a_made_up_title_is_short():
    archive = linear_archive(
        started("c", "", "t"), [ImportedMessage("user", ("word " * 50,))], Ids(fresh().new_id), "now"
    )
    assert len(archive.chat.title) == 60


def test_a_title_is_one_line():
    assert clean_title(" a\n b\ud800 ") == "a b\ufffd"
    assert len(clean_title("x" * 1000)) == 300


def test_imports_add_up():
    one = Imported(said=("a",), refused=1)
    assert merged([one, Imported(said=("b",), refused=2, locked=1)]) == Imported((), ("a", "b"), (), 3, 1)


def test_what_is_left_out_is_counted():
    lost = Losses(Counter({"image": 2}), Counter({"role: kept as the user's": 1}))
    lost.note_fields("message", {"role": "user", "name": "Ann", "refusal": None, "audio": {}}, ("role",))
    assert lost.sentences() == (
        "1 × field “name” of a message: left out",
        "2 × image: left out",
        "1 × role: kept as the user's",
    )


def test_what_was_not_looked_at_is_told_and_is_no_failure():
    found = FilesFound((), ("a: No such file",), ("d: 2 other things in it were not read (.png)",))
    assert unread(found) == Imported(said=(*found.problems, *found.passed_over), refused=1)
