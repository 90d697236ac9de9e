"""What was not attached, one by one."""

from __future__ import annotations

from workbench.domain.attached import LeftOut
from workbench.ui.dialogs.not_attached import MOST_ROWS, NotAttachedDialog


def test_each_has_a_row_with_its_reason_and_what_to_do(qtbot):
    """They stood in one line, which was cut after the first."""
    dialog = NotAttachedDialog(
        (
            LeftOut("a.bin", "not text"),
            LeftOut("https://x.example", "pages are not fetched", "Copy its text."),
        )
    )
    qtbot.addWidget(dialog)
    assert dialog.windowTitle() == "2 were not attached"
    assert [(row.title.text(), row.line.text()) for row in dialog.rows] == [
        ("a.bin", "not text"),
        ("https://x.example", "pages are not fetched. Copy its text."),
    ]


def test_thousands_of_them_do_not_hold_up_the_window_and_can_all_be_copied(qtbot):
    many = tuple(LeftOut(f"{n}.bin", "not text") for n in range(5_000))
    dialog = NotAttachedDialog(many)
    qtbot.addWidget(dialog)
    assert len(dialog.rows) == MOST_ROWS
    assert len(dialog.text().splitlines()) == 5_000


def test_what_was_only_to_be_read_anew_is_not_called_unattached(qtbot):
    dialog = NotAttachedDialog((LeftOut("a.md", "there is no such file", "Check the path.", stays=True),))
    qtbot.addWidget(dialog)
    assert dialog.windowTitle() == "One could not be read anew"
