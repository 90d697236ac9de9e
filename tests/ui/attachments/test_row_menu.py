"""The menus of attachments."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QMenu, QWidget
from pytestqt.qtbot import QtBot

from tests.fakes.sample_state import sample_attachments
from workbench.ui.attachments.pane import RowActions, priority_menu, row_menu

SPEC, API, AUTH, LOG = sample_attachments()


class Heard:
    """Notes what a menu asked for."""

    def __init__(self) -> None:
        self.said: list[tuple[object, ...]] = []
        self.actions = RowActions(
            *(self._ear(name) for name in ("preview", "pin", "priority", "refresh", "freeze", "detach"))  # type: ignore[arg-type]
        )

    def _ear(self, name: str) -> object:
        def hear(rows: object, *rest: object) -> None:
            keys = [row.key for row in rows] if isinstance(rows, tuple) else [rows.key]  # type: ignore[attr-defined]
            self.said.append((name, *keys, *rest))

        return hear


def trigger(made: QMenu, word: str) -> None:
    next(action for action in made.actions() if action.text().startswith(word)).trigger()


def enabled(made: QMenu) -> dict[str, bool]:
    return {
        action.text().partition("\t")[0]: action.isEnabled() for action in made.actions() if action.text()
    }


def test_everything_a_row_offers_is_in_its_menu(qtbot: QtBot):
    parent = QWidget()
    qtbot.addWidget(parent)
    heard = Heard()
    made = row_menu(parent, (API,), heard.actions)
    for word in ("Show", "Pin", "Refresh", "Freeze", "Detach"):
        trigger(made, word)
    assert [said[0] for said in heard.said] == ["preview", "pin", "refresh", "freeze", "detach"]


def test_what_cannot_be_done_is_off(qtbot: QtBot):
    parent = QWidget()
    qtbot.addWidget(parent)
    heard = Heard()
    offered = enabled(row_menu(parent, (SPEC,), heard.actions))
    assert offered["Freeze the copy"] is False
    assert offered["Refresh from disk"] is True
    assert "Show as sent" not in enabled(row_menu(parent, (SPEC, API), heard.actions))


def test_only_the_changed_ones_are_frozen(qtbot: QtBot):
    parent = QWidget()
    qtbot.addWidget(parent)
    heard = Heard()
    trigger(row_menu(parent, (SPEC, API, LOG), heard.actions), "Freeze")
    assert heard.said == [("freeze", "docs/api.md")]


def test_of_a_file_that_was_read_anew_the_earlier_copy_can_be_kept(qtbot: QtBot):
    parent = QWidget()
    qtbot.addWidget(parent)
    heard = Heard()
    renewed = replace(API, disk="renewed", state="sent")
    trigger(row_menu(parent, (SPEC, renewed), heard.actions), "Keep the earlier copy")
    assert heard.said == [("freeze", "docs/api.md")]


def test_the_priority_in_force_is_checked(qtbot: QtBot):
    parent = QWidget()
    qtbot.addWidget(parent)
    heard = Heard()
    made = priority_menu(parent, (API, AUTH), heard.actions)
    assert [action.isChecked() for action in made.actions()] == [False, False, True, False]
    made.actions()[3].trigger()
    assert heard.said == [("priority", "docs/api.md", "src/auth.py", 10)]


def test_a_length_can_be_chosen_and_given_up(qtbot: QtBot):
    parent = QWidget()
    qtbot.addWidget(parent)
    said: list[tuple[object, ...]] = []
    actions = replace(
        Heard().actions,
        shorten=lambda rows, tokens: said.append((*(row.key for row in rows), tokens)),
        choose_length=lambda rows: said.append((*(row.key for row in rows), "?")),
    )
    long = replace(AUTH, content="x" * 20_000, can_shorten=True)
    made = row_menu(parent, (long, SPEC), actions)
    assert "Send it whole again" not in enabled(made)
    lengths = submenu(made, "Shorten to")
    assert [action.text() for action in lengths.actions()] == [
        "4,000 tokens", "2,000 tokens", "1,000 tokens", "500 tokens", "Another number…",
    ]  # fmt: skip
    trigger(lengths, "2,000")
    trigger(lengths, "Another")
    shorter = row_menu(parent, (replace(long, most_tokens=300),), actions)
    assert [a.text() for a in submenu(shorter, "Shorten to").actions() if a.isChecked()] == ["300 tokens"]
    trigger(shorter, "Send it whole")
    assert said == [("src/auth.py", 2_000), ("src/auth.py", "?"), ("src/auth.py", 0)]


def test_what_cannot_be_shortened_says_so(qtbot: QtBot):
    parent = QWidget()
    qtbot.addWidget(parent)
    assert enabled(row_menu(parent, (SPEC,), Heard().actions))["Shorten to"] is False


def submenu(made: QMenu, word: str) -> QMenu:
    menus = (one for one in made.children() if isinstance(one, QMenu))
    return next(one for one in menus if one.title() == word)
