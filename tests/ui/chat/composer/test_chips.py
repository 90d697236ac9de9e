"""The chips of the composer."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from tests.fakes.recalled_chat import CHAT as TALK
from tests.fakes.recalled_chat import recalled_state
from tests.fakes.sample_state import sample_attachments
from workbench.domain.files.document import ReadAs
from workbench.domain.parameters import Unsent
from workbench.domain.shown.attachment_view import FileFacts
from workbench.domain.shown.envelope_view import RowKey
from workbench.ui.chat.composer.frame import ChipsRow, ComposerFrame, by_file, chip_words
from workbench.ui.look.theme import Theme
from workbench.ui.widgets.chip import Chip

ROWS = tuple(
    replace(row, state="reference") if row.state == "compacted" else row for row in sample_attachments()
)


def chips_of(qtbot: QtBot, width: int = 538) -> ChipsRow:
    chips = ChipsRow()
    qtbot.addWidget(chips)
    chips.resize(width, 24)
    chips.show_rows(ROWS)
    chips.show()
    return chips


def chip(chips: ChipsRow, key: str) -> Chip:
    return chips._chips[key]


def menu_in(chips: ChipsRow) -> QMenu:
    return next(child for child in chips.children() if isinstance(child, QMenu))


def test_all_chips_are_in_one_row_where_they_fit(qtbot: QtBot):
    chips = chips_of(qtbot)
    assert chips.shown_keys() == ("src/auth.py", "logs/big.log", "docs/api.md")
    assert not chips._more.isVisible()
    places = [chip(chips, key).geometry() for key in chips.shown_keys()]
    assert all(one.right() < other.left() for one, other in pairwise(places))


def test_the_rest_is_counted_in_its_strongest_look(qtbot: QtBot):
    chips = chips_of(qtbot, 404)
    assert chips.shown_keys() == ("src/auth.py", "logs/big.log")
    assert chips._more.text() == "1 more"
    assert chips._more.look() == "stale"
    chips.resize(200, 24)
    assert chips._more.look() == "out"
    assert chips._more.geometry().right() < 200


def test_the_rest_is_in_a_menu(qtbot: QtBot):
    chips = chips_of(qtbot, 404)
    QTest.mouseClick(chips._more, Qt.MouseButton.LeftButton)
    made = menu_in(chips)
    with qtbot.waitSignal(chips.opened) as opened:
        made.actions()[0].trigger()
    assert opened.args == ["docs/api.md"]
    made.close()


def test_a_chip_is_removed_pinned_and_opened_by_key(qtbot: QtBot):
    chips = chips_of(qtbot)
    auth = chip(chips, "src/auth.py")
    for signal, key in (
        (chips.removed, Qt.Key.Key_Delete),
        (chips.pinned, Qt.Key.Key_Space),
        (chips.opened, Qt.Key.Key_Return),
    ):
        with qtbot.waitSignal(signal) as said:
            QTest.keyClick(auth, key)
        assert said.args == ["src/auth.py"]


def test_a_chip_stays_the_same_widget_while_its_file_changes(qtbot: QtBot):
    """A new widget would take the focus from who is just about to press it."""
    chips = chips_of(qtbot)
    before = chip(chips, "src/auth.py")
    chips.show_rows(tuple(replace(row, pinned=True) for row in ROWS))
    assert chip(chips, "src/auth.py") is before
    assert before.look() == "pinned"


def test_without_news_the_row_is_gone(qtbot: QtBot):
    chips = chips_of(qtbot)
    chips.show_rows((ROWS[0],))
    assert chips.isHidden()
    assert chips.shown_keys() == ()


def test_the_parts_of_a_file_are_one_chip():
    first = replace(sample_attachments()[2], kind="pdf", state="sent", disk="same", pinned=False, secrets=())
    anchors = ("3.3-Lifetime-and-skew", "4.2-Clock-skew", "p28")
    rows = [replace(first, key=f"spec.pdf#{one}", name=f"spec.pdf#{one}", tokens=100) for one in anchors]
    facts = {row.key: FileFacts(ReadAs("pdf"), anchor=one) for row, one in zip(rows, anchors, strict=True)}
    (chip,) = by_file(rows, facts)
    assert (chip.key, chip.name, chip.tokens) == ("spec.pdf", "spec.pdf 3.3, 4.2, p. 28", 300)
    fallen = replace(rows[1], state="dropped")
    assert by_file([rows[0], fallen], facts)[0].state == "dropped"


def test_what_comes_back_is_a_chip_behind_what_is_attached_and_leads_to_its_group(qtbot: QtBot):
    view = recalled_state().open[TALK].view
    assert view is not None
    row = ChipsRow()
    qtbot.addWidget(row)
    row.resize(500, 24)
    assert row.show_recalled(view)
    assert row.recalled.count() == len(view.quotes)
    assert str(sum(one.tokens for one in view.quotes)) in row.recalled.accessibleName()
    with qtbot.waitSignal(row.recalled_wished) as told:
        row.recalled.click()
    assert told.args == [RowKey("L3_TURN", "recalled:")]
    assert not row.show_recalled(view), "nothing came or went"
    assert row.show_recalled(None)
    assert row.isHidden()


def test_a_text_that_goes_out_shortened_says_of_how_much(qapp: object):
    row = replace(sample_attachments()[0], state="compacted", disk="unknown", tokens=420, full_tokens=20_545)
    assert chip_words(replace(row, secrets=()))[1:] == ("420 of 20,545", "")


def frame_of(qtbot: QtBot) -> ComposerFrame:
    frame = ComposerFrame()
    qtbot.addWidget(frame)
    frame.resize(566, frame.sizeHint().height())
    return frame


def test_without_focus_the_border_is_quiet(qtbot: QtBot, theme: Theme):
    frame = frame_of(qtbot)
    image = frame.grab().toImage()
    assert image.pixelColor(image.width() // 2, 0) == QColor(theme.edge)
    assert image.pixelColor(image.width() // 2, 6) == QColor(theme.raised)
    assert image.pixelColor(4, image.height() - 20) == QColor(theme.chrome)


def test_too_much_is_a_red_border_and_a_band(qtbot: QtBot, theme: Theme):
    frame = frame_of(qtbot)
    frame.over.show_over(100, ())
    frame.resize(566, frame.sizeHint().height())
    image = frame.grab().toImage()
    assert image.pixelColor(image.width() // 2, 1) == QColor(theme.errline)
    assert image.pixelColor(image.width() // 2, 4) == QColor(theme.err_tint)


def test_the_corners_are_round_over_every_part(qtbot: QtBot):
    """A part that paints its own ground would stick out of the corners."""
    frame = frame_of(qtbot)
    frame.setStyleSheet("")
    ground = frame.palette().window().color()
    frame.over.show_over(100, ())
    frame.resize(566, frame.sizeHint().height())
    image = frame.grab().toImage()
    corners = [(0, 0), (image.width() - 1, 0), (0, image.height() - 1)]
    assert [image.pixelColor(x, y) for x, y in corners] == [ground] * 3


def test_chips_take_room_only_where_there_are_some(qtbot: QtBot):
    frame = frame_of(qtbot)
    frame.show()
    without = frame.sizeHint().height()
    frame.chips.show_rows(sample_attachments())
    frame.close_up()
    qtbot.waitUntil(lambda: frame.sizeHint().height() == without + 24 + 4)


def test_a_parameter_that_stays_out_is_said_as_long_as_it_does(qtbot: QtBot):
    frame = frame_of(qtbot)
    assert frame.unsent.isHidden()
    frame.unsent.show_unsent((Unsent("temperature", "it takes none"), Unsent("seed", "it has none")))
    assert not frame.unsent.isHidden()
    assert frame.unsent.words.text() == "Not sent: temperature (it takes none); seed (it has none)"
    frame.unsent.show_unsent(())
    assert frame.unsent.isHidden()
