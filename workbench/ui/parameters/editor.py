"""The editor of a chat's parameters: a chip for each that is set, a menu of the rest, and a field for one value."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QMenu, QWidget

from workbench.domain.errors import InvalidInput
from workbench.domain.parameters import JSON_WORD, PARAMETER_NAMES, TAKES_ALL, ParameterRules, Parameters
from workbench.domain.reading.form import form_of
from workbench.domain.reading.json_text import json_or_text, parse_json
from workbench.domain.reading.node import Node
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.chip import Chip
from workbench.ui.widgets.choice import Choice, Field, TextField
from workbench.ui.widgets.labels import label, set_text
from workbench.ui.widgets.menu import add_action, menu, popup_below
from workbench.ui.widgets.plain import tip
from workbench.ui.widgets.stack import FlowLayout

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
SCHEMA = "schema"
LINES_HEIGHT = 76
EMPTY_SCHEMA = (
    '{\n  "type": "object",\n  "properties": {},\n  "required": [],\n  "additionalProperties": false\n}'
)


class ParametersEditor(QWidget):
    """Shows the parameters that are set, and emits changes; its owner applies them.

    Signals:
        changed: the new parameters. resized: it needs another height.
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
        self.nothing = label(tr("Nothing set: the model uses its defaults."), "small", "t3", wrap=True)
        self.unsent = label("", "small", "warn", wrap=True)
        self.more = on_click(button(tr("Set more"), size="small", icon="plus"), self._open_menu)
        fill(column, self._holder, self.nothing, self.unsent)
        column.addWidget(self.more, 0, Qt.AlignmentFlag.AlignLeft)
        self._value_form = QWidget()
        self._value_form.hide()
        self._build_value_form()
        column.addWidget(self._value_form)

    def _build_value_form(self) -> None:
        column = rows(self._value_form, (0, 4, 0, 0), 6)
        self.heading, self.line = label("", "ui_label"), label("", "small", "t3", wrap=True)
        self.problem = label("", "small", "err", wrap=True)
        self._field_place = rows(None)
        self.set = on_click(button(tr("Set"), "primary", size="small"), self._set_value)
        cancel = on_click(button(tr("Cancel"), size="small"), self.end_edit)
        fill(column, self.heading, self.line, self._field_place, self.problem)
        fill(columns(column, spacing=8), STRETCH, cancel, self.set)

    def show_parameters(self, given: Parameters, rules: ParameterRules) -> None:
        """Show the parameters set for a model with these rules; a value being edited is left alone."""
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
        said = (tr("{name} isn’t sent: {why}.").format(name=name, why=why) for name, why in reasons.items())
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
        """A menu of the parameters not set; those that the model refuses are disabled, with the reason."""
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
        if name == "probabilities":  # a switch: the chip that comes is all of it
            self._change(replace(self._given, probabilities=True))
            return
        self.field = ValueField(name, self._rules)
        self.field.entered.connect(self._set_value)
        self.field.resized.connect(self.resized)
        value = self._given.given.get(name)
        if value is not None:
            self.field.show_value(value)
        self.heading.setText(name)
        set_text(self.line, parameter_words(name))
        set_text(self.problem, "")
        self.problem.hide()
        self._field_place.addWidget(self.field)
        self._value_form.show()
        self.resized.emit()
        self.field.focus()

    def end_edit(self) -> None:
        if self.field is not None:
            self._field_place.removeWidget(self.field)
            self.field.hide()
            self.field.deleteLater()
            self.field = None
            self._value_form.hide()
            self.more.setFocus(Qt.FocusReason.OtherFocusReason)
            self.resized.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.field is not None:
            self.end_edit()
            return
        super().keyPressEvent(event)

    def _set_value(self) -> None:
        if self.field is None:
            return
        try:
            wanted = self.field.with_value(self._given)
        except InvalidInput as problem:
            set_text(self.problem, tr("Not set: {why}.").format(why=problem.reason))
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


def parameter_words(name: str) -> str:
    """What a parameter does, in a sentence."""
    words = {
        "temperature": tr("Randomness: 0 picks the likeliest word, 2 is very random."),
        "top_p": tr("Only the likeliest words, up to this share of all: above 0, up to 1."),
        "stop": tr("The answer ends before any of these texts. One a line; \\n is a new line."),
        "seed": tr("The same number gives the same answer to the same request, where the model can."),
        "reasoning_effort": tr("How hard the model thinks before it answers."),
        "top_k": tr("Number of likeliest words to choose from: a whole number from 1."),
        "min_p": tr("Only words at least this likely, next to the likeliest: from 0 to 1."),
        "frequency_penalty": tr("How much a word that was said often is avoided: from -2 to 2."),
        "presence_penalty": tr("How much a word that was said at all is avoided: from -2 to 2."),
        "probabilities": tr(
            "Report how likely each word of the answer was, and what else could have stood there."
        ),
        "extra": tr("More fields of the request as a JSON object, under the provider’s own names."),
        "response_format": tr("Answer in JSON. Some models also need you to ask for it."),
    }
    return words[name]


def shown_value(name: str, value: Any) -> str:
    """A value in a few characters."""
    if name == "stop":
        return ", ".join(json.dumps(one, ensure_ascii=False) for one in value)
    if name == "extra":
        return ", ".join(value)
    if name == "response_format":
        return "JSON" if value == JSON_WORD else tr("JSON by a schema")
    if isinstance(value, bool):
        return json.dumps(value)
    return f"{value:g}" if isinstance(value, float) else str(value)


class ValueField(QWidget):
    """The field in which one parameter's value is edited.

    Signals:
        entered: Enter was pressed, or Ctrl+Enter in a field of several lines. resized: it needs another height.
    """

    entered = Signal()
    resized = Signal()

    def __init__(self, name: str, rules: ParameterRules) -> None:
        super().__init__()
        self.name = name
        self._line, self._lines, self._choice = Field(), TextField(), Choice()
        column = rows(self, spacing=6)
        for part in (self._line, self._choice, self._lines):
            part.setAccessibleName(name)
            part.setAccessibleDescription(parameter_words(name))
            part.hide()
            column.addWidget(part)
        self._lines.setFixedHeight(LINES_HEIGHT)
        self._line.returnPressed.connect(self.entered)
        self._lines.installEventFilter(self)
        self._fill(rules)

    def _fill(self, rules: ParameterRules) -> None:
        if self.name == "reasoning_effort":
            self._add_options([(word, word) for word in rules.efforts or EFFORTS])
        elif self.name == "response_format":
            refused = dict(rules.refuses)
            both = ((JSON_WORD, "json", tr("any JSON")), (SCHEMA, "json_schema", tr("JSON by a schema")))
            self._add_options([(value, words) for value, kind, words in both if kind not in refused])
            self._choice.currentIndexChanged.connect(self._show_schema)
            self._lines.setPlainText(EMPTY_SCHEMA)
            self._show_schema()
        else:
            (self._lines if self.name in ("stop", "extra") else self._line).show()

    def _add_options(self, options: list[tuple[str, str]]) -> None:
        for value, words in options:
            self._choice.addItem(words, value)
        self._choice.show()

    def _show_schema(self) -> None:
        self._lines.setVisible(self._choice.chosen() == SCHEMA)
        self.resized.emit()

    def show_value(self, value: Any) -> None:
        """Start with this value, as `Parameters.given` has it."""
        if self.name == "reasoning_effort":
            self._choice.choose(value)
        elif self.name == "response_format":
            self._choice.choose(JSON_WORD if value == JSON_WORD else SCHEMA)
            if value != JSON_WORD:
                self._lines.setPlainText(json.dumps(value, ensure_ascii=False, indent=2))
            self._show_schema()
        elif self.name == "extra":
            self._lines.setPlainText(json.dumps(value, ensure_ascii=False, indent=2))
        elif self.name == "stop":
            self._lines.setPlainText("\n".join(one.replace("\n", "\\n") for one in value))
        else:
            self._line.setText(shown_value(self.name, value))

    def type_in(self, text: str) -> None:
        lines = self.name in ("stop", "extra", "response_format")
        (self._lines if lines else self._line).setFocus()
        if lines:
            self._lines.setPlainText(text)
        else:
            self._line.setText(text)

    def choose(self, value: str) -> None:
        self._choice.choose(value)
        self._show_schema()

    def focus(self) -> None:
        part = next(one for one in (self._line, self._choice, self._lines) if one.isVisibleTo(self))
        part.setFocus(Qt.FocusReason.PopupFocusReason)
        if part is self._line:
            self._line.selectAll()

    def with_value(self, given: Parameters) -> Parameters:
        """The parameters with this value set; raises `InvalidInput` that says what is wrong with it."""
        return form_of(Parameters).read(Node({self.name: self._value()}, ""), given)

    def _value(self) -> object:
        if self.name == "reasoning_effort":
            return self._choice.chosen()
        if self.name == "response_format":
            wanted = self._choice.chosen()
            return parse_json(self._lines.toPlainText()) if wanted == SCHEMA else wanted
        if self.name == "extra":
            return parse_json(self._lines.toPlainText())
        if self.name == "stop":
            lines = self._lines.toPlainText().split("\n")
            found = [line.replace("\\n", "\n") for line in lines if line]
            if not found:
                raise InvalidInput("stop", tr("write at least one text"))
            return found
        return json_or_text(self._line.text().strip().replace(",", "."))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            held = event.modifiers() & Qt.KeyboardModifier.ControlModifier
            if held and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.entered.emit()
                return True
        return super().eventFilter(watched, event)
