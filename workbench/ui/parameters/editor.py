"""The parameters of one chat: a chip for each that is set, a list of the rest, and a value changed in place."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QMenu, QWidget

from workbench.domain.errors import InvalidInput
from workbench.domain.parameters import PARAMETER_NAMES, TAKES_ALL, ParameterRules, Parameters
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.parameters.value_field import ValueField, parameter_words, shown_value
from workbench.ui.translation import translator
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.chip import Chip
from workbench.ui.widgets.flow import FlowLayout
from workbench.ui.widgets.labels import label, set_text
from workbench.ui.widgets.menu import add_action, menu, popup_below
from workbench.ui.widgets.plain import tip

_tr = translator("ParametersEditor")


class ParametersEditor(QWidget):
    """Shows what is set; whoever holds it does what is wanted with what was changed.

    Signals:
        changed: other parameters. resized: it needs another height.
    """

    changed = Signal(object)
    resized = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._given, self._rules = Parameters(), TAKES_ALL
        self._shown: tuple[object, ...] = ()
        self.chips: dict[str, Chip] = {}
        self.field: ValueField | None = None
        column = rows(self, spacing=8)
        self._holder = QWidget()
        self._flow = FlowLayout(self._holder)
        self.nothing = label(
            _tr("Nothing is set: the model goes by its own defaults."), "small", "t3", wrap=True
        )
        self.unsent = label("", "small", "warn", wrap=True)
        self.more = on_click(button(_tr("Set more"), size="small", icon="plus"), self._open_menu)
        fill(column, self._holder, self.nothing, self.unsent)
        column.addWidget(self.more, 0, Qt.AlignmentFlag.AlignLeft)
        self._edit = QWidget()
        self._edit.hide()
        self._fill_edit()
        column.addWidget(self._edit)

    def _fill_edit(self) -> None:
        column = rows(self._edit, (0, 4, 0, 0), 6)
        self.heading, self.line = label("", "ui_label"), label("", "small", "t3", wrap=True)
        self.problem = label("", "small", "err", wrap=True)
        self._place = rows(None)
        self.set = on_click(button(_tr("Set"), "primary", size="small"), self._take)
        cancel = on_click(button(_tr("Cancel"), size="small"), self.end_edit)
        fill(column, self.heading, self.line, self._place, self.problem)
        fill(columns(column, spacing=8), STRETCH, cancel, self.set)

    def show_parameters(self, given: Parameters, rules: ParameterRules) -> None:
        """Show what is set for a model with these rules; a value that is being edited stays as it is."""
        if (given, rules) == self._shown:
            return
        self._given, self._rules, self._shown = given, rules, (given, rules)
        focused = next((name for name, chip in self.chips.items() if chip.hasFocus()), "")
        while self._flow.count():
            item = self._flow.takeAt(0)
            if item is not None:
                item.widget().hide()
                item.widget().deleteLater()
        reasons = {one.name: one.reason for one in rules.unsent(given)}
        self.chips = {name: self._chip(name, value, reasons) for name, value in given.given.items()}
        self._holder.setVisible(bool(self.chips))
        self.nothing.setVisible(not self.chips)
        said = (_tr("{name} is not sent: {why}.").format(name=name, why=why) for name, why in reasons.items())
        set_text(self.unsent, "\n".join(said))
        self.unsent.setVisible(bool(reasons))
        self.more.setVisible(len(self.chips) < len(PARAMETER_NAMES))
        if focused:
            (self.chips.get(focused) or self.more).setFocus(Qt.FocusReason.OtherFocusReason)
        self.resized.emit()

    def _chip(self, name: str, value: Any, reasons: dict[str, str]) -> Chip:
        made = Chip("sliders")
        figure = shown_value(name, value)
        made.show(
            name, figure if len(figure) <= 32 else f"{figure[:31]}…", "unseen" if name in reasons else "plain"
        )
        made.add_tip(reasons.get(name) or parameter_words(name))
        made.opened.connect(lambda: self.edit(name))
        made.removed.connect(lambda: self._remove(name))
        self._flow.addWidget(made)
        made.show()
        return made

    def menu_of_rest(self) -> QMenu:
        """What is not set: those that the model takes, and greyed the others with why not."""
        made = menu(self)
        for name in PARAMETER_NAMES:
            if name not in self.chips:
                why = self._rules.refusal(name)
                action = add_action(made, f"{name}  ({why})" if why else name, partial(self.edit, name))
                action.setEnabled(not why)
                action.setToolTip(tip(why or parameter_words(name)))
        return made

    def edit(self, name: str) -> None:
        self.end_edit()
        self.field = ValueField(name, self._rules)
        self.field.entered.connect(self._take)
        self.field.resized.connect(self.resized)
        value = self._given.given.get(name)
        if value is not None:
            self.field.show_value(value)
        self.heading.setText(name)
        set_text(self.line, parameter_words(name))
        set_text(self.problem, "")
        self.problem.hide()
        self._place.addWidget(self.field)
        self._edit.show()
        self.resized.emit()
        self.field.focus()

    def end_edit(self) -> None:
        if self.field is not None:
            self._place.removeWidget(self.field)
            self.field.hide()
            self.field.deleteLater()
            self.field = None
            self._edit.hide()
            self.more.setFocus(Qt.FocusReason.OtherFocusReason)
            self.resized.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.field is not None:
            self.end_edit()
            return
        super().keyPressEvent(event)

    def _take(self) -> None:
        if self.field is None:
            return
        try:
            wanted = self.field.taken(self._given)
        except InvalidInput as problem:
            set_text(self.problem, _tr("Not set: {why}.").format(why=problem.reason))
            self.problem.show()
            self.resized.emit()
            self.field.focus()
            return
        self.end_edit()
        self._change(wanted)

    def _remove(self, name: str) -> None:
        self.end_edit()
        without: dict[str, Any] = {name: None}
        self._change(replace(self._given, **without))

    def _change(self, wanted: Parameters) -> None:
        if wanted != self._given:
            self.changed.emit(wanted)

    def _open_menu(self) -> None:
        popup_below(self.menu_of_rest(), self.more)
