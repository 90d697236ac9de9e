"""What was not attached, one by one."""

from __future__ import annotations

from dataclasses import replace

from pytestqt.qtbot import QtBot

from workbench.domain.files.attached import LeftOut
from workbench.domain.secrets import Secret
from workbench.ui.dialogs.attaching import MOST_ROWS, AttachPageDialog, NotAttachedDialog


def test_each_has_a_row_with_its_reason_and_what_to_do(qtbot):
    """They stood in one line, which was cut after the first."""
    dialog = NotAttachedDialog(
        (
            LeftOut("a.bin", "not text"),
            LeftOut("https://x.example", "pages are not fetched", "Copy its text."),
        )
    )
    qtbot.addWidget(dialog)
    assert dialog.windowTitle() == "2 items weren’t attached"
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
    assert dialog.windowTitle() == "1 item couldn’t be refreshed"


SCAN = LeftOut("scan.pdf", "its pages are pictures without text", "Attach its pages as pictures.", pages=84)


def test_a_scan_offers_its_pages_as_pictures_at_most_twenty_at_once(qtbot):
    dialog = NotAttachedDialog((SCAN, LeftOut("a.bin", "not text")))
    qtbot.addWidget(dialog)
    dialog.show()
    wanted: list[tuple[object, ...]] = []
    dialog.pages_wanted.connect(lambda *pages: wanted.append(pages))
    (offer,) = dialog.offers
    assert offer.range.text() == "1-20"
    for typed in ("1-21", "80-90", "0-3", "what"):
        offer.range.setText(typed)
        assert not offer.attach.isEnabled(), typed
    offer.range.setText("12-15")
    offer.attach.click()
    assert wanted == [("scan.pdf", 12, 15, None)]
    assert not dialog.isVisible()


def test_where_the_model_cannot_see_the_reason_stands_in_its_place(qtbot):
    dialog = NotAttachedDialog((SCAN,), why_no_pictures="small-model cannot see pictures.")
    qtbot.addWidget(dialog)
    assert not dialog.offers[0].attach.isEnabled()
    assert "cannot see pictures" in dialog.rows[0].line.text()


def test_the_pages_are_of_the_file_where_it_lies(qtbot):
    dialog = NotAttachedDialog((replace(SCAN, place="/papers/scan.pdf"),))
    qtbot.addWidget(dialog)
    wanted: list[tuple[object, ...]] = []
    dialog.pages_wanted.connect(lambda *pages: wanted.append(pages))
    dialog.offers[0].range.setText("2")
    dialog.offers[0].attach.click()
    assert wanted == [("/papers/scan.pdf", 2, 2, None)]


LOCKED = LeftOut("locked.pdf", "it is a PDF with a password", "Give its password.", locked=True)


def test_a_locked_file_takes_its_password_and_the_field_forgets_it(qtbot):
    """There was nothing to do about it but to save the file in another program."""
    dialog = NotAttachedDialog((replace(LOCKED, place="/papers/locked.pdf"), LeftOut("a.bin", "not text")))
    qtbot.addWidget(dialog)
    dialog.show()
    typed: list[tuple[str, Secret]] = []
    dialog.password_typed.connect(lambda *one: typed.append(one))
    (offer,) = dialog.passwords
    assert dialog.leave.text() == "Leave these out"
    assert not offer.unlock.isEnabled()
    offer.field.setText("sesame")
    offer.unlock.click()
    assert [(path, secret.reveal_text()) for path, secret in typed] == [("/papers/locked.pdf", "sesame")]
    assert offer.field.text() == ""
    assert not dialog.isVisible()


def test_a_locked_scan_needs_its_password_for_its_pages(qtbot):
    dialog = NotAttachedDialog((replace(SCAN, locked=True),))
    qtbot.addWidget(dialog)
    wanted: list[tuple[str, int, int, Secret]] = []
    dialog.pages_wanted.connect(lambda *pages: wanted.append(pages))
    dialog.offers[0].password.setText("sesame")
    dialog.offers[0].attach.click()
    assert wanted[0][3].reveal_text() == "sesame"


def test_many_scans_become_pictures_with_one_click(qtbot):
    dialog = NotAttachedDialog((SCAN, replace(SCAN, path="other.pdf", pages=2)))
    qtbot.addWidget(dialog)
    dialog.show()
    wanted: list[tuple[object, ...]] = []
    dialog.pages_wanted.connect(lambda *pages: wanted.append(pages))
    dialog.all_pages.click()
    assert wanted == [("scan.pdf", 1, 20, None), ("other.pdf", 1, 2, None)]
    assert not dialog.isVisible()


def test_it_says_whom_it_asks_and_asks_nobody_without_an_address(qtbot: QtBot):
    dialog = AttachPageDialog()
    qtbot.addWidget(dialog)
    chosen: list[str] = []
    dialog.chosen.connect(chosen.append)
    for typed in ("", "example.org", "file:///etc/passwd", "ftp://example.org/a"):
        dialog.address.setText(typed)
        assert not dialog.go.isEnabled(), typed
        dialog.address.returnPressed.emit()
    assert chosen == []
    dialog.address.setText(" https://example.org/spec ")
    assert dialog.asked.text() == "Only this page is fetched, from example.org and where it redirects."
    dialog.go.click()
    assert chosen == ["https://example.org/spec"]
