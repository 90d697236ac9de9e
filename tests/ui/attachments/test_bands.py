"""Attaching that takes a while is seen, and can be ended."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from workbench.domain.files.attached import AttachProgress
from workbench.domain.folder_index import FolderProgress, IndexedFile
from workbench.domain.shown.attachment_view import FollowedRow
from workbench.domain.shown.envelope_view import RowGroup
from workbench.engine.attaching_intents import PauseIndexing, SettleNewFiles, StopAttaching, StopFollowing
from workbench.ui.attachments.bands import HINT_HEIGHT, AttachingLine, DropHint, FollowedList, news_words
from workbench.ui.look.theme import Theme
from workbench.ui.wishes import AddFolder, Wishes

SRC = FollowedRow("/p/src", ("a.py", "b.py", "c.py"))


def test_it_says_how_far_it_is_and_ends_it(qtbot: QtBot):
    line = AttachingLine()
    qtbot.addWidget(line)
    sent: list[object] = []
    line.wishes.intent.connect(sent.append)
    assert line.show_progress("talk", AttachProgress(12, 40, "spec.pdf"))
    assert line.words.text() == "12 of 40, reading spec.pdf"
    assert not line.show_progress("talk", AttachProgress(13, 40, "other.pdf"))
    line.cancel.click()
    assert sent == [StopAttaching("talk")]
    assert line.show_progress("talk", None)
    assert not line.isVisible()
    assert line.room() == 0


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (FollowedRow("/p"), ""),
        (FollowedRow("/p", ("a",)), "1 new file"),
        (SRC, "3 new files"),
        (FollowedRow("/p", ("a", "b"), 1), "2 new files, 1 gone"),
        (FollowedRow("/p", (), 2), "2 gone"),
        (FollowedRow("/p", there=False), "can’t be read now"),
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


def test_it_says_it_in_words_and_paints_dashes(qtbot: QtBot):
    hint = DropHint()
    qtbot.addWidget(hint)
    hint.resize(228, HINT_HEIGHT)
    image = hint.grab().toImage()
    edge = {image.pixel(x, 0) for x in range(20, 200)}
    assert "Ctrl+O" in hint.accessibleName()
    assert len(edge) > 1


def test_a_searched_folder_says_how_far_its_index_is_and_can_be_paused(qapp, theme: Theme):
    wishes = Wishes()
    sent: list[object] = []
    wishes.intent.connect(sent.append)
    listed = FollowedList(wishes)
    busy = FolderProgress("/p/docs", "indexing", 40, 900, (), 50, 200)
    listed.show_folders("talk", (FollowedRow("/p/docs", searched=True, progress=busy),))
    (card,) = listed.cards
    assert (card.badge.word(), card.figures.text()) == ("indexing 25 %", "40 files · 900 sections")
    card.pause.click()
    unread = (IndexedFile("a.pdf", reason="locked"),)
    paused = FolderProgress("/p/docs", "paused", 40, 900, unread, over=7)
    listed.show_folders("talk", (FollowedRow("/p/docs", searched=True, progress=paused),))
    assert card.badge.word() == "paused"
    assert card.figures.text() == "40 files · 900 sections · 7 files beyond the limit"
    assert (card.share.text(), "a.pdf: locked" in card.share.toolTip()) == ("1 not searched", True)
    card.pause.click()
    assert sent == [PauseIndexing("talk", "/p/docs"), PauseIndexing("talk", "/p/docs", False)]
    listed.show_quoted([RowGroup("quoted", 6, 3_650, 3_840, server="/p/docs")])
    assert card.quoted.text() == "3,650 of 3,840"
    listed.grab()
