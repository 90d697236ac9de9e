"""The control for one parameter: a line, some lines or a choice, and the value that is in it."""

from __future__ import annotations

import json
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from workbench.domain.errors import InvalidInput
from workbench.domain.parameters import JSON_WORD, ParameterRules, Parameters
from workbench.domain.reading.form import form_of
from workbench.domain.reading.json_text import parse_json
from workbench.domain.reading.node import Node
from workbench.ui.look.space import rows
from workbench.ui.translation import translator
from workbench.ui.widgets.choice import Choice, Field, TextField

_tr = translator("ParameterField")

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
SCHEMA = "schema"
LINES_HEIGHT = 76
EMPTY_SCHEMA = (
    '{\n  "type": "object",\n  "properties": {},\n  "required": [],\n  "additionalProperties": false\n}'
)


def parameter_words(name: str) -> str:
    """What a parameter does, in a sentence."""
    words = {
        "temperature": _tr("How freely words are chosen: 0 takes the likeliest, 2 is wild."),
        "top_p": _tr("Only the likeliest words, up to this share of all: above 0, up to 1."),
        "stop": _tr("The answer ends before any of these texts. One a line; \\n is a new line."),
        "seed": _tr("The same number gives the same answer to the same request, where the model can."),
        "reasoning_effort": _tr("How hard the model thinks before it answers."),
        "top_k": _tr("Only so many of the likeliest words: a whole number from 1 on."),
        "min_p": _tr("Only words at least this likely, next to the likeliest: from 0 to 1."),
        "frequency_penalty": _tr("How much a word that was said often is avoided: from -2 to 2."),
        "presence_penalty": _tr("How much a word that was said at all is avoided: from -2 to 2."),
        "extra": _tr("More fields of the request as a JSON object, under the provider's own names."),
        "response_format": _tr("The answer as JSON. Some models want to be told so in your words, too."),
    }
    return words[name]


def shown_value(name: str, value: Any) -> str:
    """A value in a few letters."""
    if name == "stop":
        return ", ".join(json.dumps(one, ensure_ascii=False) for one in value)
    if name == "extra":
        return ", ".join(value)
    if name == "response_format":
        return "JSON" if value == JSON_WORD else _tr("JSON by a schema")
    return f"{value:g}" if isinstance(value, float) else str(value)


class ValueField(QWidget):
    """Holds one value while it is edited.

    Signals:
        entered: Enter was pressed, where it is no new line. resized: it needs another height.
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
            self._offer([(word, word) for word in rules.efforts or EFFORTS])
        elif self.name == "response_format":
            refused = dict(rules.refuses)
            both = ((JSON_WORD, "json", _tr("any JSON")), (SCHEMA, "json_schema", _tr("JSON by a schema")))
            self._offer([(value, words) for value, kind, words in both if kind not in refused])
            self._choice.currentIndexChanged.connect(self._show_schema)
            self._lines.setPlainText(EMPTY_SCHEMA)
            self._show_schema()
        else:
            (self._lines if self.name in ("stop", "extra") else self._line).show()

    def _offer(self, options: list[tuple[str, str]]) -> None:
        for value, words in options:
            self._choice.addItem(words, value)
        self._choice.show()

    def _show_schema(self) -> None:
        self._lines.setVisible(self._choice.chosen() == SCHEMA)
        self.resized.emit()

    def show_value(self, value: Any) -> None:
        """Begin with this value, as `Parameters.given` has it."""
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

    def taken(self, given: Parameters) -> Parameters:
        """The parameters with this value among them; `InvalidInput` says what is wrong with it."""
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
                raise InvalidInput("stop", _tr("write at least one text"))
            return found
        return _number(self._line.text().strip().replace(",", "."))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            held = event.modifiers() & Qt.KeyboardModifier.ControlModifier
            if held and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.entered.emit()
                return True
        return super().eventFilter(watched, event)


def _number(text: str) -> object:
    try:
        return parse_json(text)
    except InvalidInput:
        return text
