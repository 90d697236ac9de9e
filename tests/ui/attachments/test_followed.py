"""Folders that are followed: what is new is offered, and everything can be ended."""

from __future__ import annotations

import pytest

from workbench.domain.shown.folder_view import FollowedRow
from workbench.engine.folder_intents import SettleNewFiles, StopFollowing
from workbench.ui.attachments.followed import FollowedList, news_words
from workbench.ui.look.theme import Theme
from workbench.ui.wishes import AddFolder, Wishes

SRC = FollowedRow("/p/src", ("a.py", "b.py", "c.py"))


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (FollowedRow("/p"), ""),
        (FollowedRow("/p", ("a",)), "1 new file"),
        (SRC, "3 new files"),
        (FollowedRow("/p", ("a", "b"), 1), "2 new files, 1 gone"),
        (FollowedRow("/p", (), 2), "2 gone"),
        (FollowedRow("/p", there=False), "cannot be read now"),
    ],
)
def test_what_changed_in_a_few_words(qapp, row: FollowedRow, words: str):
    assert news_words(row) == words


def test_new_files_are_offered_and_nothing_happens_by_itself(qapp, theme: Theme):
    wishes = Wishes()
    sent: list[object] = []
    wishes.intent.connect(sent.append)
    wishes.wish.connect(sent.append)
    listed = FollowedList(wishes)
    listed.show_folders("talk", (FollowedRow("/p/src"),))
    listed.resize(252, listed.room())
    (card,) = listed.cards
    assert (card.name.text(), card.badge.word()) == ("src", "followed")
    assert not card.add.isVisibleTo(listed)
    small = listed.room()
    listed.show_folders("talk", (SRC,))
    assert listed.cards == [card]
    assert listed.room() > small
    assert card.add.isVisibleTo(listed)
    listed.grab()
    assert sent == []
    for act in (card.add, card.look, card.ignore, card.stop):
        act.click()
    assert sent == [
        SettleNewFiles("talk", "/p/src", attach=True),
        AddFolder("/p/src", SRC.new),
        SettleNewFiles("talk", "/p/src"),
        StopFollowing("talk", "/p/src"),
    ]
    assert card.add.accessibleName() == "Add, src: 3 new files"
    listed.show_folders("talk", ())
    assert (listed.cards, listed.room(), listed.isHidden()) == ([], 0, True)
