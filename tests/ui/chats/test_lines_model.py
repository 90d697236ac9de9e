"""The lists of the chats pane as an item model."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester

from tests.fakes.effort import tries
from workbench.ui.chats.lines import ChatLine, FoundHead, FoundLine, GroupHead, LinesModel, spoken
from workbench.ui.widgets.items.item_model import ITEM

FATAL = QAbstractItemModelTester.FailureReportingMode.Fatal


def chat(key: str, title: str = "", running: bool = False) -> ChatLine:
    return ChatLine(key, title or key, "14:06", running, title or key)


def model_of(*lines: ChatLine | GroupHead) -> LinesModel:
    model = LinesModel()
    model.show_items(lines)
    return model


def ids(model: LinesModel) -> list[str]:
    return [model.index(row).data(ITEM).id for row in range(model.rowCount())]


@settings(max_examples=tries(40), deadline=None)
@given(st.lists(st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8), max_size=6))
def test_any_lists_one_after_the_other_are_told_as_a_sound_model(qapp: object, lists: list[list[str]]):
    model = LinesModel()
    tester = QAbstractItemModelTester(model, FATAL)
    for keys in lists:
        model.show_items([chat(key) for key in keys])
        assert ids(model) == keys
    assert tester is not None


def test_a_line_that_stays_keeps_its_place_in_the_view(qapp: object):
    """With a reset the list would jump to its top whenever a title changes."""
    model = model_of(chat("a"), chat("b"), chat("c"))
    kept = QPersistentModelIndex(model.index(2))
    model.show_items([chat("new"), chat("a"), chat("b"), chat("c")])
    assert kept.row() == 3


def test_only_the_line_that_changed_is_told(qapp: object):
    model = model_of(chat("a"), chat("b"), chat("c"))
    told: list[int] = []
    model.dataChanged.connect(lambda first, _last: told.append(first.row()))
    model.rowsRemoved.connect(lambda *_: told.append(-1))
    model.rowsInserted.connect(lambda *_: told.append(-2))
    model.show_items([chat("a"), chat("b", "other"), chat("c")])
    assert told == [1]


def test_a_heading_cannot_be_chosen_and_a_chat_can_be_edited(qapp: object):
    model = model_of(GroupHead("group:today", "Today"), chat("a"))
    head, line = (model.flags(model.index(row)) for row in (0, 1))
    assert not head & Qt.ItemFlag.ItemIsSelectable
    assert line & Qt.ItemFlag.ItemIsSelectable
    assert line & Qt.ItemFlag.ItemIsEditable


def test_a_new_title_is_asked_for_and_not_made_up(qapp: object):
    model = model_of(chat("a", "old"))
    asked: list[tuple[str, str]] = []
    model.renamed.connect(lambda key, title: asked.append((key, title)))
    assert model.setData(model.index(0), "  new \n title ")
    assert asked == [("a", "new title")]
    assert model.index(0).data() == "old"


def test_a_title_of_nothing_or_the_same_is_not_asked_for(qapp: object):
    model = model_of(chat("a", "old"))
    asked: list[tuple[str, str]] = []
    model.renamed.connect(lambda key, title: asked.append((key, title)))
    assert not model.setData(model.index(0), "   ")
    model.setData(model.index(0), "old")
    assert asked == []


def test_the_title_is_edited_as_it_was_given(qapp: object):
    model = model_of(ChatLine("a", "shown⟨U+202E⟩", "14:06", False, "shown\u202e"))
    assert model.index(0).data(Qt.ItemDataRole.EditRole) == "shown\u202e"


def test_a_chat_that_answers_says_so_in_words(qapp: object):
    assert spoken(chat("a", running=True)) == "a, 14:06, an answer is arriving"
    assert spoken(chat("a")) == "a, 14:06"
    assert spoken(FoundHead("x", "c", "Title", 3)) == "Title, 3 found"
    assert spoken(FoundLine("x", "c", "", "title", "words", ())) == "in the title: words"


def test_outside_of_the_list_there_is_nothing(qapp: object):
    model = model_of(chat("a"))
    assert model.item(QModelIndex()) is None
    assert model.row_of("b") == -1
