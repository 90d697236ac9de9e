"""What tools may do unasked: rules in the order in which they are tried, to be added, changed, moved and removed."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import QAbstractItemView, QListWidget, QListWidgetItem, QWidget

from workbench.domain.approval import ApprovalRule, Decision
from workbench.ui.look.fonts import font, metrics
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import (
    BADGE_HEIGHT,
    after,
    badge_width,
    fill_rounded,
    paint_badge,
    paint_elided,
    placed,
    set_text_style,
)
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.look.tones import Tone
from workbench.ui.translation import translator
from workbench.ui.widgets.buttons import button
from workbench.ui.widgets.choice import Field
from workbench.ui.widgets.floating import Sheet
from workbench.ui.widgets.items.delegate import Index, ItemOption, RowDelegate
from workbench.ui.widgets.labels import label, set_text
from workbench.ui.widgets.plain import shown
from workbench.ui.widgets.segmented import Segmented

_tr = translator("ToolRules")

ROW_HEIGHT, LONGEST_PATTERN = 31, 200
_RULE = Qt.ItemDataRole.UserRole


class RulesList(QListWidget):
    """Rules under each other; Alt+↑↓ or a drag moves one, Enter edits, Delete removes.

    Signals:
        changed: the rules as they are wanted, and what was done, in a few words.
        edit_wished: the place of the rule that is to be edited.
    """

    changed = Signal(object, str)
    edit_wished = Signal(int)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setItemDelegate(_RuleDelegate(self))
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.setDefaultDropAction(Qt.DropAction.MoveAction)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.model().rowsMoved.connect(self._dragged)
        self.itemDoubleClicked.connect(lambda item: self.edit_wished.emit(self.row(item)))
        self._fit()

    def rules(self) -> tuple[ApprovalRule, ...]:
        return tuple(self.item(place).data(_RULE) for place in range(self.count()))

    def show_rules(self, rules: Sequence[ApprovalRule]) -> None:
        if tuple(rules) == self.rules():
            return
        place = self.currentRow()
        self.clear()
        for rule in rules:
            item = QListWidgetItem()
            item.setData(_RULE, rule)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, rule_words(rule))
            self.addItem(item)
        self.setCurrentRow(min(max(0, place), self.count() - 1))
        self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        place, key = self.currentRow(), event.key()
        with_alt = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
        if with_alt and key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.move_rule(place, -1 if key == Qt.Key.Key_Up else 1)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F2) and place >= 0:
            self.edit_wished.emit(place)
        elif key == Qt.Key.Key_Delete and place >= 0:
            self.remove_rule(place)
        else:
            super().keyPressEvent(event)

    def move_rule(self, place: int, by: int) -> None:
        to, found = place + by, list(self.rules())
        if 0 <= place < len(found) and 0 <= to < len(found):
            found.insert(to, found.pop(place))
            self.show_rules(found)
            self.setCurrentRow(to)
            self.changed.emit(tuple(found), _tr("Move a rule"))

    def remove_rule(self, place: int) -> None:
        found = list(self.rules())
        if 0 <= place < len(found):
            del found[place]
            self.show_rules(found)
            self.changed.emit(tuple(found), _tr("Remove a rule"))

    def put_rule(self, place: int, rule: ApprovalRule) -> None:
        """Another rule in a place; behind the others where there is none there."""
        found = list(self.rules())
        known = 0 <= place < len(found)
        found[place : place + 1] = [rule] if known else []
        found += [] if known else [rule]
        self.show_rules(found)
        self.setCurrentRow(place if known else len(found) - 1)
        self.changed.emit(tuple(found), _tr("Change a rule") if known else _tr("Add a rule"))

    def _dragged(self) -> None:
        self.changed.emit(self.rules(), _tr("Move a rule"))

    def _fit(self) -> None:
        self.setFixedHeight(self.count() * ROW_HEIGHT + 4)


class _RuleDelegate(RowDelegate):
    """A rule in a line: a grip, its number, the tools, where, and what is decided."""

    height = ROW_HEIGHT

    def paint_row(self, painter: QPainter, row: ItemOption, index: Index) -> None:
        rule, box, view = index.data(_RULE), row.box, self.view()
        if not isinstance(rule, ApprovalRule):
            return
        theme = theme_of(view)
        if view.selectionModel().isSelected(index) and view.hasFocus():
            fill_rounded(painter, box.adjusted(2, 1, -2, -1), theme.hover, 6)
        tone, icon, word = decision_badge(rule.decision)
        width = badge_width(icon, word)
        paint_icon(painter, placed(box, 8, 16), "grip", "t3", 14)
        set_text_style(painter, font("small"), colour("t3", theme))
        painter.drawText(placed(box, 28, 20), int(Qt.AlignmentFlag.AlignCenter), str(index.row() + 1))
        badge = placed(box, box.width() - width - 10, width)
        badge.adjust(0, (box.height() - BADGE_HEIGHT) / 2, 0, (BADGE_HEIGHT - box.height()) / 2)
        paint_badge(painter, badge, tone, icon, word)
        tools = shown(", ".join(rule.tools), LONGEST_PATTERN)
        room = after(box, 56, width + 20)
        set_text_style(painter, font("code"), colour("t1", theme))
        wide = min(metrics("code").horizontalAdvance(tools) + 2, room.width() * (0.6 if rule.path else 1))
        paint_elided(painter, placed(room, 0, wide), tools)
        set_text_style(painter, font("small"), colour("t3", theme))
        paint_elided(painter, after(room, wide + 10, 0), _where(rule))


class RuleDialog(Sheet):
    """One rule: which tools, where, and what is decided.

    Signals:
        made: the rule.
    """

    made = Signal(object)

    def __init__(self, rule: ApprovalRule | None = None, parent: QWidget | None = None) -> None:
        super().__init__(_tr("A rule for tools"), 540, parent=parent)
        self.tools, self.path = Field(_tr("read, ls, github__*")), Field(_tr("docs/**  (empty: wherever)"))
        self.decision = Segmented((("allow", _tr("Allow")), ("ask", _tr("Ask me")), ("never", _tr("Never"))))
        self.tools.setAccessibleName(_tr("Tools"))
        self.path.setAccessibleName(_tr("Where"))
        lines = (
            (_tr("Tools"), self.tools, _tr("Names separated by commas; * matches any letters.")),
            (
                _tr("Where"),
                self.path,
                _tr("Paths of a call, relative to the folder; ** matches any folders."),
            ),
        )
        for words, field, line in lines:
            place = rows(self.body, spacing=3)
            fill(place, label(words, "ui_label"), field, label(line, "small", "t3", wrap=True))
        fill(columns(self.body, spacing=8), self.decision, STRETCH)
        self.problem = label("", "small", "err", wrap=True)
        fill(self.body, self.problem, STRETCH)
        cancel, self.keep = button(_tr("Cancel")), button(_tr("Keep the rule"), "primary")
        cancel.clicked.connect(self.reject)
        self.keep.clicked.connect(self._take)
        self.keep.setDefault(True)
        fill(self.foot, STRETCH, cancel, self.keep)
        known = rule or ApprovalRule((), decision="ask")
        self.tools.setText(", ".join(known.tools))
        self.path.setText(known.path)
        self.decision.set_current(known.decision)

    def _take(self) -> None:
        names = tuple(dict.fromkeys(filter(None, (one.strip() for one in self.tools.text().split(",")))))
        if not names:
            set_text(
                self.problem, _tr("A rule needs the name of a tool, or * for all. Nothing was saved yet.")
            )
            self.tools.setFocus()
            return
        decided: dict[str, Decision] = {"allow": "allow", "ask": "ask", "never": "never"}
        self.made.emit(ApprovalRule(names, self.path.text().strip(), decided[self.decision.current()]))
        self.accept()


def decision_badge(decision: Decision) -> tuple[Tone, str, str]:
    """What a decision looks like: tint, icon and word."""
    looks: dict[Decision, tuple[Tone, str, str]] = {
        "allow": ("ok", "check", _tr("allow")),
        "ask": ("warn", "shield", _tr("ask")),
        "never": ("err", "x", _tr("never")),
    }
    return looks[decision]


def rule_words(rule: ApprovalRule) -> str:
    """A rule as it is spoken."""
    parts = (decision_badge(rule.decision)[2], shown(", ".join(rule.tools), LONGEST_PATTERN), _where(rule))
    return " ".join(filter(None, parts))


def _where(rule: ApprovalRule) -> str:
    return _tr("in {path}").format(path=shown(rule.path, LONGEST_PATTERN)) if rule.path else ""
