"""The dialog of presets, which are settings saved under names: compares, applies, renames, exports and imports them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QScrollArea, QVBoxLayout, QWidget

from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.settings.preset import SettingChange, applied, setting_changes
from workbench.engine.program_intents import ChangePreferences, RenamePreset, SavePreset
from workbench.engine.state import ChatState, WorkbenchState
from workbench.ui import formatting
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.choice import Check, Field
from workbench.ui.widgets.code_view import DiffText, unified_lines
from workbench.ui.widgets.floating import NotedSheet
from workbench.ui.widgets.labels import label, set_text
from workbench.ui.widgets.plain import shown
from workbench.ui.widgets.stack import transparent
from workbench.ui.wishes import Wishes

WIDTH, HEIGHT, LIST_WIDTH, ROW = 860, 600, 240, 30
_NAME = Qt.ItemDataRole.UserRole


class PresetsDialog(NotedSheet):
    """A list of names, and what the selected preset would change in the chat.

    Signals:
        apply_wished: the chat's new settings, and the preset's name.
        save_wished: a name, and the settings to save under it; None for those of the chat.
        export_wished: the name of the preset to export. import_wished: the user wants to import a file.
    """

    apply_wished = Signal(object, str)
    save_wished = Signal(str, object)
    export_wished = Signal(str)
    import_wished = Signal()

    def __init__(self, wishes: Wishes | None = None, parent: QWidget | None = None) -> None:
        super().__init__(tr("Presets"), WIDTH, HEIGHT, parent)
        self.wishes = wishes or Wishes(self)
        self._state = WorkbenchState()
        self._chat: ChatState | None = None
        self._shown: tuple[object, ...] = ()
        self._removed: tuple[str, ContextSettings] | None = None
        self.fit: ContextSettings | None = None
        self._kept: ContextSettings | None = None
        self._build_name_row()
        middle = columns(self.body, spacing=16)
        self.list = QListWidget()
        self.list.setFixedWidth(LIST_WIDTH)
        self.list.setAccessibleName(tr("Presets"))
        self.list.setEditTriggers(
            QListWidget.EditTrigger.EditKeyPressed | QListWidget.EditTrigger.DoubleClicked
        )
        self.list.currentItemChanged.connect(lambda _new, _old: self._compare())
        self.list.itemChanged.connect(self._on_renamed)
        middle.addWidget(self.list)
        right = rows(middle, spacing=8)
        middle.setStretch(1, 1)
        self.heading = label("", "ui_heading", wrap=True)
        self._area = QScrollArea()
        self._area.setWidgetResizable(True)
        self._area.setAccessibleName(tr("What the preset would change in this chat"))
        self.first = Check(tr("New chats start with it"))
        self.first.clicked.connect(lambda on: self._set_start_preset(self.chosen() if on else ""))
        fill(right, self.heading, (self._area, 1), self.first)
        self.add_note(self._restore)
        self._build_buttons()

    def _build_name_row(self) -> None:
        line = columns(self.body, spacing=8)
        self.name = Field(tr("Name for the settings of this chat"))
        self.name.returnPressed.connect(self._save)
        self.name.textChanged.connect(lambda _text: self._show_save())
        self.save = on_click(button(tr("Save"), icon="save"), self._save)
        fill(line, (self.name, 1), self.save)

    def _build_buttons(self) -> None:
        read, self.write = button(tr("Import…")), button(tr("Export…"))
        self.rename, self.remove = button(tr("Rename"), shortcut_hint="F2"), button(tr("Delete"), "danger")
        self.apply = on_click(button(tr("Apply to this chat"), "primary"), self._apply)
        read.clicked.connect(self.import_wished)
        self.write.clicked.connect(lambda: self.export_wished.emit(self.chosen()))
        self.rename.clicked.connect(lambda: self.list.editItem(self.list.currentItem()))
        self.remove.clicked.connect(self._remove)
        fill(self.foot, read, self.write, self.rename, self.remove, STRETCH, self.apply)

    def keep(self, settings: ContextSettings, name: str) -> None:
        """Offer to save other settings than the chat's, under a name that can be changed first."""
        self._kept = settings
        self._compare()
        self.name.setText(name)
        self.name.selectAll()
        self.name.setFocus(Qt.FocusReason.PopupFocusReason)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if self._kept is not None:
            self._kept = None
            self._compare()

    def chosen(self) -> str:
        """Name of the selected preset; empty if there is none."""
        item: QListWidgetItem | None = self.list.currentItem()
        return "" if item is None else str(item.data(_NAME))

    def choose(self, name: str) -> None:
        for place in range(self.list.count()):
            if self.list.item(place).data(_NAME) == name:
                self.list.setCurrentRow(place)

    def show_state(self, state: WorkbenchState, chat: ChatState | None) -> None:
        settings = None if chat is None else chat.chat.settings
        shows = (dict(state.presets), settings, state.preferences.persona)
        if shows == self._shown:
            return
        names_before = list(self._state.presets)
        self._shown, self._state, self._chat = shows, state, chat
        if list(state.presets) != names_before or self.list.count() != len(state.presets):
            self._fill_list(state.presets, names_before)
        self._show_save()
        self._compare()

    def _fill_list(self, presets: Mapping[str, ContextSettings], before: list[str]) -> None:
        new = [name for name in presets if name not in before]
        wanted = new[0] if before and len(new) == 1 else self.chosen()
        place = max(0, self.list.currentRow())
        with QSignalBlocker(self.list):
            self.list.clear()
            for name in presets:
                item = QListWidgetItem(shown(name))
                item.setData(_NAME, name)
                item.setSizeHint(QSize(0, ROW))
                item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
                self.list.addItem(item)
            self.list.setCurrentRow(min(place, self.list.count() - 1))
            self.choose(wanted)

    def _compare(self) -> None:
        name, chat = self.chosen(), self._chat
        preset = self._state.presets.get(name)
        for part in (self.write, self.rename, self.remove, self.first):
            part.setEnabled(preset is not None)
        self.first.setChecked(bool(name) and self._state.preferences.persona == name)
        content = transparent()
        column = rows(content, (0, 0, 8, 0), 10)
        self.fit = None
        if preset is None:
            set_text(self.heading, tr("There are no presets yet"))
            words = tr("Type a name above to save this chat’s settings under it, without its tools.")
            if self._kept is not None:
                words = tr("Save keeps the settings of this variant under the name above, without its tools.")
            column.addWidget(label(words, "small", "t3", wrap=True))
            changes: tuple[SettingChange, ...] = ()
        elif chat is None:
            set_text(self.heading, shown(name))
            changes = setting_changes(ContextSettings(), preset)
        else:
            self.fit = applied(preset, chat.chat.settings)
            changes = setting_changes(chat.chat.settings, self.fit)
            words = (
                formatting.counted(
                    len(changes),
                    tr("“{name}” would change 1 setting of this chat"),
                    tr("“{name}” would change {n} settings of this chat"),
                )
                if changes
                else tr("“{name}” is as this chat is")
            )
            set_text(self.heading, words.replace("{name}", shown(name)))
        for change in changes:
            _add_change(column, change)
        column.addStretch(1)
        self._area.setWidget(content)
        self.apply.setEnabled(self.fit is not None and bool(changes))

    def _show_save(self) -> None:
        name = " ".join(self.name.text().split())
        self.save.setEnabled(bool(name) and self._chat is not None)
        self.save.setText(tr("Replace") if name in self._state.presets else tr("Save"))

    def _save(self) -> None:
        name = " ".join(self.name.text().split())
        if name and self._chat is not None:
            self.save_wished.emit(name, self._kept)
            own = self._kept is None
            words = tr("This chat’s settings are saved as “{name}”.") if own else tr("Saved as “{name}”.")
            self.say(words.format(name=shown(name)))
            self._kept = None
            self.name.clear()

    def _apply(self) -> None:
        if self.fit is not None:
            name = self.chosen()
            self.apply_wished.emit(self.fit, name)
            self.say(
                tr("“{name}” is applied. Press Ctrl+Alt+Z in the window to undo.").format(name=shown(name))
            )

    def _on_renamed(self, item: QListWidgetItem) -> None:
        name, to = str(item.data(_NAME)), " ".join(item.text().split())
        if to and to != name and to != shown(name):
            self.wishes.send(RenamePreset(name, to))
        if not to or to in self._state.presets:
            with QSignalBlocker(self.list):
                item.setText(shown(name))

    def _remove(self) -> None:
        name = self.chosen()
        self._removed = (name, self._state.presets[name])
        self.wishes.send(SavePreset(name, None))
        if self._state.preferences.persona == name:
            self._set_start_preset("")
        self.say(tr("“{name}” is deleted. Chats that have its settings keep them.").format(name=shown(name)))
        self.undo.show()

    def _restore(self) -> None:
        if self._removed is not None:
            self.wishes.send(SavePreset(*self._removed))
            self.say("")

    def _set_start_preset(self, name: str) -> None:
        held = self._state.preferences
        self.wishes.send(ChangePreferences(replace(held, persona=name), held))


def _add_change(column: QVBoxLayout, change: SettingChange) -> None:
    """Add a setting that differs: old and new value side by side, or a text as a diff."""
    place = rows(column, spacing=3)
    place.addWidget(label(change.name, "small", "t2"))
    if change.is_text:
        place.addWidget(DiffText(unified_lines(change.before or "", change.after or "")))
        return
    unset = tr("not set")
    words = f"{shown(change.before or unset, 80)}  →  {shown(change.after or unset, 80)}"
    made = label(words, "ui", "t1", wrap=True)
    made.setAccessibleName(f"{change.name}: {words}")
    place.addWidget(made)
