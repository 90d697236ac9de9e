"""A variant is put together: a name, and what it changes of the chat."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from workbench.domain.files.attachment import PRIORITY_LOW, Artifact
from workbench.domain.files.file_names import short_path
from workbench.domain.settings.preferences import ContextSettings, Layout
from workbench.domain.settings.preset import applied, free_name
from workbench.domain.turn import TurnInputs
from workbench.domain.variant import Variant, variant_between
from workbench.engine.state import ChatState, WorkbenchState
from workbench.ui import formatting
from workbench.ui.inspector.compare.cells import layout_word, patch_words
from workbench.ui.inspector.what_if.controls import WhatIfControl
from workbench.ui.inspector.what_if.knobs import Knob, Room, Value, read, room_of, turned_from
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.model_button import model_name, model_names
from workbench.ui.translation import translator
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.choice import Check, Choice, Field, NumberField, TextField
from workbench.ui.widgets.floating import Sheet
from workbench.ui.widgets.labels import label, set_text
from workbench.ui.widgets.plain import shown
from workbench.ui.widgets.scroll_area import transparent

_tr = translator("Compare")
WIDTH, LONGEST, TEXT_HEIGHT, LIST_HEIGHT = 560, 60, 76, 132
KNOBS: tuple[Knob, ...] = ("budget", "trim_at")
TEMPERATURES = (0.0, 0.3, 0.7, 1.0, 1.5)
LAYOUTS: tuple[Layout, ...] = ("layered", "append_only", "auto")


class VariantSheet(Sheet):
    """Controls that stand as the request was built that is compared; what is moved is the variant.

    Signals:
        made: the variant.
    """

    made = Signal(object)

    def __init__(
        self, state: WorkbenchState, chat: ChatState, taken: tuple[str, ...], parent: QWidget | None = None
    ) -> None:
        super().__init__(_tr("New variant"), WIDTH, 0, parent)
        self._state, self._chat, self._taken = state, chat, taken
        self._inputs = _inputs_of_sent(chat)
        self._base: ContextSettings = chat.chat.settings if self._inputs is None else self._inputs.settings
        self._settings = self._base
        view = chat.opened or chat.view
        self._room = Room(0) if view is None else room_of(view, None)
        self.name = Field(_tr("Name, for instance Small budget"))
        self.name.setAccessibleName(_tr("Name of the variant"))
        self.name.setMaxLength(LONGEST)
        self.preset, self.model, self.layout_choice = Choice(), Choice(), Choice()
        self.temperature = Choice()
        self.knobs = {knob: WhatIfControl(knob) for knob in KNOBS}
        self.files: list[_FileRow] = []
        self.words = TextField()
        self.words.setAccessibleName(_tr("Instructions for this chat"))
        self.said = label("", "small", "t2", wrap=True)
        self._arrange()
        self._connect()
        self._show()

    # --- what is wanted -----------------------------------------------------------------------------------

    def variant(self) -> Variant:
        """What was put together; its name is what it changes where none was given."""
        own = self._settings
        text = self.words.toPlainText()
        if text != own.persona.user:
            own = replace(own, persona=replace(own.persona, user=text))
        found = variant_between("", self._base, own)
        found = replace(
            found,
            priorities={row.key: row.priority.value() for row in self.files if row.moved()},
            attached={row.key: row.sent.isChecked() for row in self.files if row.turned()},
        )
        name = " ".join(self.name.text().split()) or self._told(found)[:LONGEST]
        return replace(found, name=free_name(name, dict.fromkeys(self._taken)))

    def _told(self, variant: Variant) -> str:
        return patch_words(variant.patch, read(self._settings, "reserve", self._room))

    # --- putting together ---------------------------------------------------------------------------------

    def _arrange(self) -> None:
        self.body.addWidget(self.name)
        self._fill_choices()
        pairs = (
            (_tr("Start from the preset"), self.preset),
            (_tr("Model"), self.model),
            (_tr("Layout"), self.layout_choice),
            (_tr("Temperature"), self.temperature),
        )
        for words, control in pairs:
            control.setAccessibleName(words)
            control.setMaximumWidth(WIDTH - 200)
            fill(columns(self.body, spacing=8), (label(words), 1), control)
        fill(columns(self.body, spacing=20), *((one, 1) for one in self.knobs.values()))
        self._arrange_files()
        self.words.setPlainText(self._settings.persona.user)
        self.words.setFixedHeight(TEXT_HEIGHT)
        fill(rows(self.body, spacing=4), label(_tr("Instructions for this chat"), "small", "t2"), self.words)
        self.body.addWidget(self.said)
        self.cancel = on_click(button(_tr("Cancel"), shortcut_hint=_tr("Esc")), self.reject)
        self.go = on_click(button(_tr("Compare"), "primary"), self._make)
        fill(self.foot, STRETCH, self.cancel, self.go)

    def _arrange_files(self) -> None:
        attached = _attached(self._chat, self._inputs)
        if not attached:
            return
        content = transparent()
        down = rows(content, spacing=4)
        tuning = self._chat.conversation.tuning if self._inputs is None else self._inputs.tuning
        for one in attached:
            self.files.append(_FileRow(one, one.key not in tuning.excluded))
            down.addWidget(self.files[-1])
        height = content.sizeHint().height()
        if height > LIST_HEIGHT:
            down.setContentsMargins(0, 0, 8, 0)  # the scroll bar stands there
        down.addStretch(1)
        area = QScrollArea()
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the rows in it take it
        area.setAccessibleName(_tr("Attachments"))
        area.setFixedHeight(min(LIST_HEIGHT, height))
        area.setWidget(content)
        fill(
            rows(self.body, spacing=4),
            label(
                _tr("Attachments: sent or left out, and priority (0 pins, 10 is dropped first)"),
                "small",
                "t2",
            ),
            area,
        )

    def _fill_choices(self) -> None:
        self.preset.addItem(_tr("none"), "")
        for name in self._state.presets:
            self.preset.addItem(shown(name, 48), name)
        for name in model_names(self._state, self._settings.model):
            self.model.addItem(model_name(name), name)
        for layout in LAYOUTS:
            self.layout_choice.addItem(layout_word(layout), layout)
        own = self._settings.parameters.temperature
        self.temperature.addItem(_tr("not set"), "")
        for value in sorted({*TEMPERATURES, *(() if own is None else (own,))}):
            self.temperature.addItem(formatting.score(value, 2), f"{value:g}")

    def _connect(self) -> None:
        self.preset.activated.connect(lambda _index: self._take_preset())
        self.model.activated.connect(
            lambda _index: self._take(replace(self._settings, model=self.model.chosen()))
        )
        self.layout_choice.activated.connect(lambda _index: self._take_layout())
        self.temperature.activated.connect(lambda _index: self._take_temperature())
        for control in self.knobs.values():
            control.turned.connect(self._turn)
        for row in self.files:
            row.changed.connect(self._show)
        self.words.textChanged.connect(self._show)
        self.name.returnPressed.connect(self._make)

    # --- what is moved ------------------------------------------------------------------------------------

    def _take_preset(self) -> None:
        preset = self._state.presets.get(self.preset.chosen())
        wanted = self._base if preset is None else applied(preset, self._base)
        if self.model.findData(wanted.model) < 0:
            self.model.addItem(model_name(wanted.model), wanted.model)
        if not self.name.text() and preset is not None:
            self.name.setText(self.preset.chosen())
        self.words.setPlainText(wanted.persona.user)
        self._take(wanted)

    def _take_layout(self) -> None:
        layout = next(one for one in LAYOUTS if one == self.layout_choice.chosen())
        self._take(replace(self._settings, layout=layout))

    def _take_temperature(self) -> None:
        chosen = self.temperature.chosen()
        wanted = replace(self._settings.parameters, temperature=float(chosen) if chosen else None)
        self._take(replace(self._settings, parameters=wanted))

    def _turn(self, name: str, value: Value) -> None:
        knob = next(one for one in KNOBS if one == name)
        self._take(turned_from(self._base, self._settings, knob, value, self._room))

    def _take(self, settings: ContextSettings) -> None:
        self._settings = settings
        self._show()

    def _show(self) -> None:
        base, wanted = self._base, self._settings
        self.model.choose(wanted.model)
        self.layout_choice.choose(wanted.layout)
        own = wanted.parameters.temperature
        self.temperature.choose("" if own is None else f"{own:g}")
        for knob, control in self.knobs.items():
            control.show_values(read(base, knob, self._room), read(wanted, knob, self._room), self._room)
        found = self.variant()
        self.go.setEnabled(bool(found.patch))
        words = self._told(found) if found.patch else _tr("Change something to compare it.")
        set_text(self.said, words)

    def _make(self) -> None:
        if self.go.isEnabled():
            self.made.emit(self.variant())
            self.accept()


def _inputs_of_sent(chat: ChatState) -> TurnInputs | None:
    """What the sent request that is compared started from; None where that is the next one."""
    opened, comparison = chat.opened, chat.comparison
    if opened is None or comparison is None or comparison.turn != opened.turn:
        return None
    return comparison.asked


def _attached(chat: ChatState, asked: TurnInputs | None) -> tuple[Artifact, ...]:
    """What the request that is compared may hold: what was attached after it was sent cannot be left out of it."""
    attached = chat.conversation.attached if asked is None else asked.attached
    if chat.opened is None:
        return attached
    there = {key for layer in chat.opened.layers for row in layer.rows for key in row.members}
    return tuple(one for one in attached if one.key in there)


class _FileRow(QWidget):
    """One attachment: whether it is sent, and its priority.

    Signals:
        changed: one of both is another.
    """

    changed = Signal()

    def __init__(self, artifact: Artifact, is_sent: bool) -> None:
        super().__init__()
        self.key, self._is_sent, self._priority = artifact.key, is_sent, artifact.priority
        name = shown(short_path(artifact.title or artifact.key), 48)
        self.sent = Check(name.replace("&", "&&"))
        self.sent.setChecked(is_sent)
        self.sent.setAccessibleName(_tr("Send {name}").format(name=name))
        self.priority = NumberField(0, PRIORITY_LOW)
        self.priority.setValue(artifact.priority)
        self.priority.setAccessibleName(_tr("Priority of {name}").format(name=name))
        fill(columns(self, spacing=8), self.sent, STRETCH, self.priority)
        self.sent.toggled.connect(lambda _on: self.changed.emit())
        self.priority.valueChanged.connect(lambda _value: self.changed.emit())

    def turned(self) -> bool:
        """Whether it is sent where it is not, or the other way round."""
        return self.sent.isChecked() != self._is_sent

    def moved(self) -> bool:
        """Whether its priority is another."""
        return self.priority.value() != self._priority
