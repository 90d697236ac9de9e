"""Tab goes through parts as they lie."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from workbench.ui.window.tab_order import AS_MADE, AS_THEY_LIE, step, tab_stops


def test_groups_come_in_their_order_and_what_came_later_stands_where_it_lies(qtbot):
    window = QWidget()
    across = QHBoxLayout(window)
    right, left = QWidget(window), QWidget(window)
    for part in (left, right):
        across.addWidget(part)
        QVBoxLayout(part)
    made = {name: QPushButton(name) for name in ("r1", "l2", "l1", "off", "unseen")}
    for name, part in (("r1", right), ("l2", left), ("off", left), ("unseen", left)):
        part.layout().addWidget(made[name])
    left.layout().insertWidget(0, made["l1"])  # type: ignore[attr-defined]
    made["off"].setEnabled(False)
    made["unseen"].hide()
    qtbot.addWidget(window)
    window.show()
    as_made = tab_stops(window, ((left, AS_MADE), (right, AS_MADE)))
    assert [one.text() for one in as_made] == ["l2", "l1", "r1"]  # type: ignore[attr-defined]
    stops = tab_stops(window, ((left, AS_THEY_LIE), (right, AS_MADE)))
    assert [one.text() for one in stops] == ["l1", "l2", "r1"]  # type: ignore[attr-defined]
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    for forward, after in ((True, "l1"), (False, "r1")):
        assert step(stops, stops[-1] if forward else stops[0], forward)
        assert QApplication.focusWidget() is made[after]
    assert not step(stops, None, True)
