"""The settings: pages on the left, what can be set on the right; everything is saved at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QHideEvent, QPainter, QShowEvent
from PySide6.QtWidgets import QApplication, QListWidget, QListWidgetItem, QStackedWidget, QWidget

from workbench.domain.about import NOTHING_KNOWN, About, Part, find_parts
from workbench.domain.secrets import KeyStatus
from workbench.domain.settings.context_settings import NEW_CHAT, ContextSettings
from workbench.domain.settings.control import GROUPS, Setting, settings_of
from workbench.domain.settings.preset import merge_preferences
from workbench.engine.state import WorkbenchState
from workbench.files.language import LANGUAGES
from workbench.ui.commands import specs, with_keys
from workbench.ui.dialogs.settings_models import ModelsPage
from workbench.ui.dialogs.settings_parts import Page, SettingRow
from workbench.ui.look.fonts import CHAT_SIZES, CODE_SIZES, ZOOMS, TextSizes, font, metrics
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import fill_rounded
from workbench.ui.look.space import columns, fill, rows
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.memory import SCALE, SCALES, WindowMemory
from workbench.ui.parameters.setting_fields import SettingField, enable_needed
from workbench.ui.translation import N_, tr
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.card import Card
from workbench.ui.widgets.choice import Check, Choice, Field, NumberField, TextField
from workbench.ui.widgets.floating import ROOM, Sheet
from workbench.ui.widgets.items.text_table import Column, TextRow, TextTable
from workbench.ui.widgets.items.views import Index, ItemOption, RowDelegate
from workbench.ui.widgets.labels import KeyCap, label, set_text, set_token
from workbench.ui.widgets.motion import single_shot
from workbench.ui.widgets.plain import shown
from workbench.ui.widgets.segmented import Segmented
from workbench.ui.wishes import SettingsPage, Wishes

# Settings, how the requests of a new chat are built, and what a new chat starts with.


INSTRUCTIONS, SAVE_MS = QSize(290, 96), 600
TRAY_LINE = N_("Closing the last window keeps the program running; the icon brings it back and quits it.")
SUMMON_LINE = N_("A key of your desktop’s brings the window to the front. The desktop asks which.")


class ChatPage(Page):
    """What a new chat starts with, and how long is waited for an answer."""

    def __init__(self) -> None:
        super().__init__(tr("Chat"), tr("Defaults for new chats. You can change them in each chat."))
        self.preset = Choice()
        self.first, self.idle = NumberField(0, 3_600, 10), NumberField(1, 3_600, 10)
        for field in (self.first, self.idle):
            field.setSuffix(tr(" s"))
        self.first.setSpecialValueText(tr("automatic"))
        self.notify, self.tray, self.summon, self.spelling = Check(), Check(), Check(), Check()
        self.instructions = TextField(tr("The program’s own"))
        self.instructions.setFixedSize(INSTRUCTIONS)
        self._written = single_shot(self, self._save_instructions, SAVE_MS)
        self.instructions.textChanged.connect(self._written.start)
        self.add_card(
            SettingRow(tr("Preset"), tr("Named settings, for every new chat."), self.preset),
            SettingRow(
                tr("Instructions"),
                tr("For every new chat, in place of the program’s own. Ctrl+E changes those of one chat."),
                self.instructions,
            ),
        )
        self.add_heading(tr("Waiting"))
        self.add_card(
            SettingRow(
                tr("For the first word"), tr("Automatic: 120 s, and 600 s on this computer."), self.first
            ),
            SettingRow(
                tr("For the next word"), tr("After that, the answer is saved as interrupted."), self.idle
            ),
        )
        self._tray_row = SettingRow(tr("Tray icon"), tr(TRAY_LINE), self.tray)
        self._summon_row = SettingRow(tr("Summon key"), tr(SUMMON_LINE), self.summon)
        self.add_heading(tr("On the desktop"))
        self.add_card(
            SettingRow(
                tr("Notifications"),
                tr("When an answer ends or needs your approval while the window is behind others."),
                self.notify,
            ),
            self._tray_row,
            self._summon_row,
            SettingRow(
                tr("Spelling"),
                tr(
                    "By this computer’s dictionaries. A right click in the message field chooses their languages."
                ),
                self.spelling,
            ),
        )
        self.file_mb, self.total_mb = NumberField(1, 1_000, 5), NumberField(1, 10_000, 50)
        self.ask_files = NumberField(1, 100_000, 50)
        for field in (self.file_mb, self.total_mb):
            field.setSuffix(tr(" MB"))
        self.add_heading(tr("Attaching"))
        self.add_card(
            SettingRow(tr("Largest file"), tr("A larger one is refused by name."), self.file_mb),
            SettingRow(tr("Total at once"), tr("All files of a folder together."), self.total_mb),
            SettingRow(
                tr("Ask when there are more files than"),
                tr("One question, with their tokens."),
                self.ask_files,
            ),
        )
        self.end()
        self.file_mb.valueChanged.connect(lambda value: self._limit(file_mb=value))
        self.total_mb.valueChanged.connect(lambda value: self._limit(total_mb=value))
        self.ask_files.valueChanged.connect(lambda value: self._limit(ask_files=value))
        self.preset.activated.connect(lambda _index: self._save(persona=self.preset.chosen()))
        self.first.valueChanged.connect(lambda value: self._wait(first_token_s=float(value) or None))
        self.idle.valueChanged.connect(lambda value: self._wait(idle_s=float(value)))
        self.notify.toggled.connect(lambda on: self._save(notify=on))
        self.tray.toggled.connect(lambda on: self._save(tray=on))
        self.summon.toggled.connect(lambda on: self._save(summon_key=on))
        self.spelling.toggled.connect(lambda on: self._save(spelling=on))

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if self._written.isActive():
            self._save_instructions()

    def _save_instructions(self) -> None:
        """Keep what was written; without a word the program's own are there again."""
        self._written.stop()
        context, text = self._preferences.context, self.instructions.toPlainText().strip()
        persona = {name: value for name, value in context.get("persona", {}).items() if name != "default"}
        persona |= {"default": text} if text else {}
        others = {name: value for name, value in context.items() if name != "persona"}
        self._save(context={**others, **({"persona": persona} if persona else {})})

    def show_state(self, state: WorkbenchState) -> None:
        self._preferences = state.preferences
        text = str(state.preferences.context.get("persona", {}).get("default", ""))
        if not self.instructions.hasFocus() and text != self.instructions.toPlainText():
            with QSignalBlocker(self.instructions):
                self.instructions.setPlainText(text)
        names = ["", *state.presets]
        if [self.preset.itemData(place) for place in range(self.preset.count())] != names:
            self.preset.clear()
            for name in names:
                self.preset.addItem(name or tr("none"), name)
        self.preset.choose(state.preferences.persona)
        _quietly(self.first, int(state.preferences.timeouts.first_token_s or 0))
        _quietly(self.idle, int(state.preferences.timeouts.idle_s))
        for check, on in (
            (self.notify, state.preferences.notify),
            (self.tray, state.preferences.tray),
            (self.summon, state.preferences.summon_key),
            (self.spelling, state.preferences.spelling),
        ):
            with QSignalBlocker(check):
                check.setChecked(on)
        limits = state.preferences.attach
        _quietly(self.file_mb, limits.file_mb)
        _quietly(self.total_mb, limits.total_mb)
        _quietly(self.ask_files, limits.ask_files)

    def show_desktop(self, has_tray: bool, has_keys: bool | None, key: str) -> None:
        """Say what this desktop has of an icon and a key, and which key it is."""
        set_text(self._tray_row.line, tr(TRAY_LINE) if has_tray else tr("This desktop shows no tray icons."))
        self.tray.setEnabled(has_tray or self.tray.isChecked())
        words = tr("{key} brings the window to the front.").format(key=key) if key else tr(SUMMON_LINE)
        nothing = has_keys is False
        set_text(
            self._summon_row.line, tr("This desktop gives programs no global key.") if nothing else words
        )
        self.summon.setEnabled(not nothing or self.summon.isChecked())

    def _limit(self, **changes: Any) -> None:
        self._save(attach=replace(self._preferences.attach, **changes))

    def _wait(self, **changes: Any) -> None:
        self._save(timeouts=replace(self._preferences.timeouts, **changes))


class ContextPage(Page):
    """How the requests of new chats are built: every setting that is declared with a label.

    `new_chat`: how a new chat is set where nothing else is said.

    Attributes:
        fields: by the names of the settings.
    """

    def __init__(self, new_chat: ContextSettings = NEW_CHAT) -> None:
        super().__init__(
            tr("Context defaults"),
            tr("How requests of new chats are built. What if, below a request, previews each of them."),
        )
        self._new_chat = new_chat
        self.fields: dict[str, SettingField] = {}
        in_order = sorted(settings_of(type(new_chat)), key=lambda one: one.control.place)
        for group, heading in GROUPS.items():
            if heading:
                self.add_heading(tr(heading))
            self.add_card(
                *(self._row(one) for one in in_order if one.control.group == group and one.control.label)
            )
        self.end()

    def _row(self, setting: Setting) -> SettingRow:
        field = self.fields[setting.name] = SettingField(setting, self._set)
        return SettingRow(tr(setting.control.label), tr(setting.control.hint), field.widget)

    def show_state(self, state: WorkbenchState) -> None:
        """Show what is set; what is not has its default."""
        self._preferences = state.preferences
        settings = merge_preferences(self._new_chat, state.preferences.context)
        for field in self.fields.values():
            field.show_value(field.setting.value(settings))
        enable_needed(self.fields)

    def _set(self, setting: Setting, value: object) -> None:
        *table, name = setting.name.split(".")
        context = self._preferences.context
        changed: Mapping[str, object] = {name: value}
        for outer in table:
            changed = {outer: {**context.get(outer, {}), **changed}}
        self._save(context={**context, **changed})


def _quietly(field: NumberField, value: int) -> None:
    """Show a value without saying that somebody changed it; what is being typed is left alone."""
    if field.value() != value and not field.hasFocus():
        with QSignalBlocker(field):
            field.setValue(value)


# Settings: appearance, and the page that only tells, the shortcuts.


USUAL = TextSizes()


class LookPage(Page):
    """Light or dark, and whether things move.

    Signals:
        mode_changed: `system`, `light`, `dark` or `contrast`. motion_changed: whether everything shall keep still.
        sizes_changed: how large text shall be (`TextSizes`). scale_changed: how large everything, once it is restarted.
    """

    mode_changed = Signal(str)
    motion_changed = Signal(bool)
    sizes_changed = Signal(object)
    scale_changed = Signal(str)

    def __init__(self, mode: str, calm: bool, sizes: TextSizes = USUAL, scale: str = SCALES[0]) -> None:
        super().__init__(tr("Appearance"), tr("Applies at once; scale and language after a restart."))
        themes = (("system", tr("System")), ("light", tr("Light")), ("dark", tr("Dark")))
        self.mode = Segmented((*themes, ("contrast", tr("High contrast"))))
        self.mode.set_current(mode)
        self.mode.chosen.connect(self.mode_changed)
        self.calm = Check(checked=calm)
        self.calm.toggled.connect(self.motion_changed)
        self.add_card(
            SettingRow(tr("Theme"), tr("Ctrl+Shift+D switches between light and dark."), self.mode),
            SettingRow(tr("Reduce motion"), tr("Turns off animations."), self.calm),
        )
        self._sizes = sizes
        self.zoom = self._choice([(str(one), f"{one:.0%}") for one in ZOOMS])
        self.chat = self._choice([(str(px), f"{px} px") for px in CHAT_SIZES])
        self.code = self._choice([(str(px), f"{px} px") for px in CODE_SIZES])
        self.add_card(
            SettingRow(tr("Zoom"), tr("Ctrl and + or − change it anywhere; Ctrl+0 puts it back."), self.zoom),
            SettingRow(tr("Text of chats"), tr("Questions, answers and what you write."), self.chat),
            SettingRow(tr("Code"), tr("Code in answers, requests and differences."), self.code),
        )
        self.scale = Choice(tuple((one, f"{float(one):.0%}") for one in SCALES))
        self.scale.choose(scale)
        self.scale.activated.connect(lambda _index: self.scale_changed.emit(self.scale.chosen()))
        words = tr("Enlarges text, icons and spacing alike. Restart to apply.")
        self.language = Choice((("", tr("As the system")), *LANGUAGES.items()))
        self.language.activated.connect(lambda _index: self._save(language=self.language.chosen()))
        self.add_card(
            SettingRow(tr("Scale of the window"), words, self.scale),
            SettingRow(tr("Language"), tr("Of windows and commands, after a restart."), self.language),
        )
        self.show_sizes(sizes)
        self.end()

    def show_state(self, state: WorkbenchState) -> None:
        self._preferences = state.preferences
        self.language.choose(state.preferences.language)

    def show_sizes(self, sizes: TextSizes) -> None:
        self._sizes = sizes
        for choice, value in (
            (self.zoom, sizes.zoom),
            (self.chat, sizes.chat_px),
            (self.code, sizes.code_px),
        ):
            choice.choose(str(value))

    def _choice(self, items: list[tuple[str, str]]) -> Choice:
        made = Choice(tuple(items))
        made.activated.connect(lambda _index: self._change())
        return made

    def _change(self) -> None:
        wanted = TextSizes(float(self.zoom.chosen()), int(self.chat.chosen()), int(self.code.chosen()))
        if wanted != self._sizes:
            self._sizes = wanted
            self.sizes_changed.emit(wanted)


class KeysPage(Page):
    """The shortcuts of the whole window."""

    def __init__(self) -> None:
        super().__init__(tr("Shortcuts"), tr("Press Ctrl+/ to see all of them and change them."))
        self._caps = {spec.id: KeyCap(spec.shortcut) for spec in specs()}
        self.add_card(*(SettingRow(spec.title, "", self._caps[spec.id]) for spec in specs()))
        self.end()

    def show_state(self, state: WorkbenchState) -> None:
        for spec in with_keys(specs(), state.preferences.shortcuts):
            self._caps[spec.id].show_key(spec.shortcut)


# About: what this is, what it runs on, and every part it is made of with its licence.


LEAST_HEIGHT = 260  # of the list, where the window is low


class AboutPage(Page):
    """Version and licence in a few lines, then the parts, which can be searched."""

    def __init__(self, place: str, look: Callable[[], About]) -> None:
        self._about = look()
        facts = self._about.facts
        super().__init__(tr("About"), tr("Context Workbench {version}").format(version=facts.version))
        self.words += f" {facts.line} " + " ".join(part.name for part in self._about.parts)
        self._say(place)
        self.search = Field(tr("Search parts"), icon="search")
        self.search.setFixedWidth(220)
        self.count = label("", "small", "t3")
        self.table = TextTable(_columns(), tr("Parts of the program and their licences"))
        self.table.setMinimumHeight(LEAST_HEIGHT)
        card = Card()
        rows(card, (1, 1, 1, 1)).addWidget(self.table)
        head = columns(None, spacing=12)
        fill(head, label(tr("Parts and licences"), "ui_heading"), (self.count, 1), self.search)
        fill(self.column, 4, head)
        self.column.addWidget(card, 1)
        self.search.textChanged.connect(self._find)
        self._find("")

    def _say(self, place: str) -> None:
        facts = self._about.facts
        words = (
            tr("See and edit the next request to a language model before you send it."),
            tr("Licence: MIT. No usage data is collected."),
            tr("Your data: {place}").format(place=place) if place else "",
        )
        for line in filter(None, words):
            self.column.addWidget(label(line, "ui", "t2", wrap=True))
        self.version = label(facts.line, "small", "t3")
        copy = on_click(button(tr("Copy"), icon="copy"), lambda: QApplication.clipboard().setText(facts.line))
        copy.setToolTip(tr("Copy the version, for a report"))
        self.column.addLayout(fill(columns(None, spacing=12), (self.version, 1), copy))

    def _find(self, typed: str) -> None:
        found = find_parts(self._about.parts, typed)
        self.table.rows.reset_items([_row(part) for part in found])
        words = (
            tr("{n} of {all}").format(n=len(found), all=len(self._about.parts)) if typed else str(len(found))
        )
        set_text(self.count, words if found else tr("Nothing found"))


def _columns() -> tuple[Column, ...]:
    return (
        Column(tr("Part"), 180),
        Column(tr("Version"), 110, quiet=True),
        Column(tr("Licence")),
        Column(tr("Note"), 160, quiet=True),
    )


def _row(part: Part) -> TextRow:
    note = tr("in {part}").format(part=part.within) if part.within else ""
    cells = (part.name, part.version, part.licence, note or (tr("optional") if part.optional else ""))
    return TextRow(cells, "\n".join(filter(None, cells)))


WIDTH, HEIGHT, NAV, ROW = 1060, 816, 212, 32
ICON = Qt.ItemDataRole.UserRole


class SettingsDialog(Sheet):
    """All settings of the program.

    Signals:
        appearance_changed, motion_changed, sizes_changed: how the window shall look.
        desktop_wanted: the page is made that tells what the desktop has.

    A page is made when somebody first turns to it, or searches in all of them. `about` is asked when that page is made.
    """

    appearance_changed = Signal(str)
    motion_changed = Signal(bool)
    sizes_changed = Signal(object)
    desktop_wanted = Signal()

    def __init__(
        self, memory: WindowMemory, place: str, wishes: Wishes | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(tr("Settings"), *_room(parent), parent)
        self.wishes = wishes or Wishes(self)
        self.search = Field(tr("Search settings"), icon="search")
        self.search.setFixedWidth(220)
        self.head.insertWidget(1, self.search)
        self.about: Callable[[], About] = lambda: NOTHING_KNOWN
        self._memory = memory
        self._state: WorkbenchState | None = None
        self._keys: KeyStatus | None = None
        self._made: dict[str, Page] = {}
        self.pages: dict[str, tuple[str, str, Callable[[], Page]]] = {
            "models": (tr("Models and keys"), "chip", ModelsPage),
            "chat": (tr("Chat"), "chat", ChatPage),
            "context": (tr("Context defaults"), "sliders", ContextPage),
            "tools": (tr("Tools and approval"), "tool", _tools),
            "spending": (tr("Spending"), "timeline", self._spending),
            "privacy": (tr("Privacy and storage"), "shield", lambda: self._privacy(place)),
            "appearance": (tr("Appearance"), "bulb", self._look),
            "shortcuts": (tr("Shortcuts"), "menu", KeysPage),
            "about": (tr("About"), "info", lambda: AboutPage(place, self.about)),
        }
        self.nav, self.stack = QListWidget(), QStackedWidget()
        self.nothing = label(tr("Nothing found"), "small", "t3")
        self.nothing.hide()
        self._fill()
        self.search.textChanged.connect(self._find)
        close = on_click(button(tr("Close"), shortcut_hint="Esc"), self.accept)
        self.said = label("", "small", "t3", wrap=True)
        fill(self.foot, (self.said, 1), close)

    def show_state(self, state: WorkbenchState) -> None:
        self._state = state
        self._turn(self.nav.currentRow())

    def page(self, name: str) -> Page:
        if name not in self._made:
            made = self._made[name] = self.pages[name][2]()
            made.wishes = self.wishes
            self.stack.addWidget(made)
            if isinstance(made, ChatPage):
                made.show_desktop(True, None, "")
                self.desktop_wanted.emit()
        return self._made[name]

    def made(self) -> tuple[str, ...]:
        return tuple(self._made)

    def show_sizes(self, wanted: TextSizes) -> None:
        page = self._made.get("appearance")
        if isinstance(page, LookPage):
            page.show_sizes(wanted)

    def say(self, words: str = "") -> None:
        """Say what was done, or why it could not be; the usual words where there is nothing to say."""
        set_text(self.said, shown(words, 400) or tr("Changes are saved at once."))
        set_token(self.said, "t1" if words else "t3")

    def showEvent(self, event: QShowEvent) -> None:
        self.say()
        super().showEvent(event)

    def show_page(self, name: SettingsPage) -> None:
        names = list(self.pages)
        self.nav.setCurrentRow(names.index(name) if name in names else 0)

    def show_desktop(self, has_tray: bool, has_keys: bool | None, key: str) -> None:
        page = self._made.get("chat")
        if isinstance(page, ChatPage):
            page.show_desktop(has_tray, has_keys, key)

    def show_keys(self, status: KeyStatus) -> None:
        self._keys = status
        if "privacy" in self._made:
            self._made["privacy"].show_keys(status)

    def _spending(self) -> Page:
        from workbench.ui.dialogs.settings_spending import SpendingPage

        return SpendingPage(self.wishes)

    def _privacy(self, place: str) -> Page:
        from workbench.ui.dialogs.settings_privacy import PrivacyPage

        made = PrivacyPage(place)
        if self._keys is not None:
            made.show_keys(self._keys)
        return made

    def _look(self) -> LookPage:
        made = LookPage(self._memory.mode, self._memory.calm, self._memory.sizes, self._memory.scale)
        made.mode_changed.connect(self.appearance_changed)
        made.motion_changed.connect(self.motion_changed)
        made.sizes_changed.connect(self.sizes_changed)
        made.scale_changed.connect(lambda scale: self._memory.keep(SCALE, scale))
        return made

    def _turn(self, row: int) -> None:
        if row < 0:
            return
        page = self.page(list(self.pages)[row])
        if self._state is not None:
            page.show_state(self._state)
        self.stack.setCurrentWidget(page)

    def _fill(self) -> None:
        titles = (title for title, _, _ in self.pages.values())
        widest = max(metrics("ui_label").horizontalAdvance(title) for title in titles)
        self.nav.setFixedWidth(max(NAV, round(widest) + 36 + 8 + 2 + 16))
        self.nav.setAccessibleName(tr("Pages of the settings"))
        self.nav.setItemDelegate(_NavDelegate(self.nav))
        for title, icon, _make in self.pages.values():
            item = QListWidgetItem(title)
            item.setData(ICON, icon)
            self.nav.addItem(item)
        self.nav.currentRowChanged.connect(self._turn)
        self.nav.setCurrentRow(0)
        side = QWidget()
        side.setObjectName("chrome")
        fill(rows(side, (8, 8, 8, 8), 8), self.nothing, (self.nav, 1))
        across = fill(columns(None), side, (self.stack, 1))
        self.body.setContentsMargins(0, 0, 0, 0)
        self.body.addLayout(across, 1)

    def _find(self, typed: str) -> None:
        wanted = typed.casefold().strip()
        fits = [not wanted or wanted in self.page(name).words.casefold() for name in self.pages]
        for row, fit in enumerate(fits):
            self.nav.item(row).setHidden(not fit)
        self.nothing.setVisible(not any(fits))
        if any(fits) and not fits[self.nav.currentRow()]:
            self.nav.setCurrentRow(fits.index(True))


class _NavDelegate(RowDelegate):
    width, height = NAV - 16, ROW

    def paint_row(self, painter: QPainter, row: ItemOption, index: Index) -> None:
        theme, box, chosen = theme_of(), row.box, row.selected
        if chosen:
            fill_rounded(painter, box, theme.sel, 6)
            fill_rounded(painter, QRectF(box.left(), box.top() + 6, 3, box.height() - 12), theme.accent, 1.5)
        paint_icon(painter, QRectF(box.left() + 10, box.top(), 16, box.height()), str(index.data(ICON)))
        painter.setFont(font("ui_label" if chosen else "ui"))
        painter.setPen(colour(theme.t1 if chosen else theme.t2))
        words = box.adjusted(36, 0, -8, 0)
        painter.drawText(
            words, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), str(index.data())
        )


def _tools() -> Page:
    from workbench.ui.dialogs.settings_privacy import ToolsPage

    return ToolsPage()


def _room(parent: QWidget | None) -> tuple[int, int]:
    """As wide and as high as there is room for in the window."""
    if parent is None:
        return WIDTH, HEIGHT
    window = parent.window()
    return min(WIDTH, window.width() - 2 * ROOM), min(HEIGHT, window.height() - 2 * ROOM)
