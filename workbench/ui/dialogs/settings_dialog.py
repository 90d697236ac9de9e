"""The settings: pages on the left, what can be set on the right; everything is saved at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QRectF, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QPainter, QShowEvent
from PySide6.QtWidgets import QApplication, QListWidget, QListWidgetItem, QStackedWidget, QWidget

from workbench.domain.about import NOTHING_KNOWN, About, Part, find_parts
from workbench.domain.secrets import KeyStatus
from workbench.engine.state import WorkbenchState
from workbench.ui.commands import specs, with_keys
from workbench.ui.dialogs.settings_models import ModelsPage
from workbench.ui.dialogs.settings_parts import Page, Setting
from workbench.ui.dialogs.settings_privacy import PrivacyPage, ToolsPage
from workbench.ui.look.fonts import CHAT_SIZES, CODE_SIZES, ZOOMS, TextSizes, font
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import fill_rounded
from workbench.ui.look.space import columns, fill, rows
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.memory import SCALE, SCALES, WindowMemory
from workbench.ui.parameters.recalling import room_field
from workbench.ui.translation import translator
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.card import Card
from workbench.ui.widgets.choice import Check, Choice, Field, NumberField, Switch
from workbench.ui.widgets.floating import ROOM, Sheet
from workbench.ui.widgets.items.text_table import Column, TextRow, TextTable
from workbench.ui.widgets.items.views import Index, ItemOption, RowDelegate
from workbench.ui.widgets.labels import KeyCap, label, set_text, set_token
from workbench.ui.widgets.plain import shown
from workbench.ui.widgets.segmented import Segmented
from workbench.ui.wishes import SettingsPage, Wishes

_tr = translator("SettingsDialog")


# Settings, how the requests of a new chat are built, and what a new chat starts with.


PERCENT = 100


class ChatPage(Page):
    """What a new chat starts with, and how long is waited for an answer."""

    def __init__(self) -> None:
        super().__init__(_tr("Chat"), _tr("Defaults for new chats. You can change them in each chat."))
        self.preset = Choice()
        self.first, self.idle = NumberField(0, 3_600, 10), NumberField(1, 3_600, 10)
        for field in (self.first, self.idle):
            field.setSuffix(_tr(" s"))
        self.first.setSpecialValueText(_tr("automatic"))
        self.add_card(Setting(_tr("Preset"), _tr("Named settings, for every new chat."), self.preset))
        self.add_heading(_tr("Waiting"))
        self.add_card(
            Setting(
                _tr("For the first word"), _tr("Automatic: 120 s, and 600 s on this computer."), self.first
            ),
            Setting(
                _tr("For the next word"), _tr("After that, the answer is saved as interrupted."), self.idle
            ),
        )
        self.file_mb, self.total_mb = NumberField(1, 1_000, 5), NumberField(1, 10_000, 50)
        self.ask_files = NumberField(1, 100_000, 50)
        for field in (self.file_mb, self.total_mb):
            field.setSuffix(_tr(" MB"))
        self.add_heading(_tr("Attaching"))
        self.add_card(
            Setting(_tr("Largest file"), _tr("A larger one is refused by name."), self.file_mb),
            Setting(_tr("Total at once"), _tr("All files of a folder together."), self.total_mb),
            Setting(
                _tr("Ask when there are more files than"),
                _tr("One question, with their tokens."),
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

    def show_state(self, state: WorkbenchState) -> None:
        self._preferences = state.preferences
        names = ["", *state.presets]
        if [self.preset.itemData(place) for place in range(self.preset.count())] != names:
            self.preset.clear()
            for name in names:
                self.preset.addItem(name or _tr("none"), name)
        self.preset.choose(state.preferences.persona)
        _quietly(self.first, int(state.preferences.timeouts.first_token_s or 0))
        _quietly(self.idle, int(state.preferences.timeouts.idle_s))
        limits = state.preferences.attach
        _quietly(self.file_mb, limits.file_mb)
        _quietly(self.total_mb, limits.total_mb)
        _quietly(self.ask_files, limits.ask_files)

    def _limit(self, **changes: Any) -> None:
        self._save(attach=replace(self._preferences.attach, **changes))

    def _wait(self, **changes: Any) -> None:
        self._save(timeouts=replace(self._preferences.timeouts, **changes))


class ContextPage(Page):
    """How much goes into a request, and what gives way first; in the names of a trajectory's settings."""

    def __init__(self) -> None:
        super().__init__(
            _tr("Context defaults"),
            _tr("How requests of new chats are built. What if, below a request, previews each of them."),
        )
        self.whole = _optional(0, 4_000_000, 1_000, _tr("the model’s own"))
        self.reserve = _optional(0, 200_000, 500, _tr("a quarter, at most 16,000"))
        self.threshold = _optional(0, 100, 5, _tr("never"))
        self.threshold.setSuffix(" %")
        self.when_full = Choice(
            (
                ("exchanges", _tr("drop the oldest turns")),
                ("placeholders", _tr("keep questions, trim answers")),
            )
        )
        self.keep = NumberField(0, 1_000)
        self.last = _optional(0, 10_000, 1, _tr("all of them"))
        self.budget = _optional(0, 4_000_000, 1_000, _tr("no limit of their own"))
        self.recall, self.recall_chats, self.sections = Switch(), Switch(), Switch()
        self.recall_room = room_field()
        self.freshness = Choice(
            (
                ("auto", _tr("the cheaper one")),
                ("refresh", _tr("send the newest")),
                ("freeze", _tr("keep the cached copy")),
            )
        )
        self.layout_choice = Choice(
            (
                ("auto", _tr("the cheaper one")),
                ("append_only", _tr("append-only, kind to a cache")),
                ("layered", _tr("layered, strictly fresh")),
            )
        )
        self.detached = Choice(
            (
                ("leave", _tr("leave the request")),
                ("compact", _tr("keep a short copy in the library")),
            )
        )
        self.edits = Choice((("full", _tr("in full")), ("changes", _tr("as changes, where they are small"))))
        self.add_card(
            Setting(
                _tr("Window"), _tr("The most tokens a request and its answer may have together."), self.whole
            ),
            Setting(_tr("Reserve for the answer"), "", self.reserve),
            Setting(_tr("Attachments"), _tr("Their maximum share of a request."), self.budget),
            Setting(
                _tr("Detached files"),
                _tr("An append-only request with a known cache keeps its copy until it is rebuilt."),
                self.detached,
            ),
        )
        self.add_heading(_tr("History"))
        self.add_card(
            Setting(
                _tr("Trim when the request reaches"),
                _tr("Of what fits."),
                self.threshold,
            ),
            Setting(
                _tr("When a chat is full"),
                _tr("Trimmed messages are kept and can be recalled."),
                self.when_full,
            ),
            Setting(_tr("Newest answers kept"), _tr("While anything else can go."), self.keep),
            Setting(_tr("Maximum messages"), _tr("Only the newest; older ones are left out."), self.last),
        )
        self.add_heading(_tr("Recall"))
        self.add_card(
            Setting(
                _tr("Recall trimmed messages"),
                _tr("Messages that match the question are quoted. The cache is kept."),
                self.recall,
            ),
            Setting(_tr("Room for it, in tokens"), "", self.recall_room),
            Setting(
                _tr("Also from other chats of the workspace"),
                _tr("For chats in a workspace; archived ones count. A quote says in which chat it was said."),
                self.recall_chats,
            ),
            Setting(
                _tr("Sections of files by relevance"),
                _tr("For a file that doesn’t fit, sends the sections that match the question."),
                self.sections,
            ),
        )
        self.add_heading(_tr("The provider’s cache"))
        self.add_card(
            Setting(
                _tr("Layout"),
                _tr("The order of a request. Append-only keeps each part where it was first sent."),
                self.layout_choice,
            ),
            Setting(_tr("An edited file is sent"), _tr("In an append-only request."), self.edits),
            Setting(_tr("A changed file in the library"), _tr("In a layered request."), self.freshness),
        )
        self.end()
        self._follow()

    def show_state(self, state: WorkbenchState) -> None:
        """Show what is set; what is not has its default."""
        self._preferences = state.preferences
        context, history = state.preferences.context, _part(state.preferences.context, "history")
        _quietly(self.whole, int(context.get("context_window") or 0))
        _quietly(self.reserve, int(context.get("reserved_output_tokens") or 0))
        _quietly(self.budget, int(context.get("attachment_budget_tokens") or 0))
        threshold = history.get("threshold", 0.8)
        _quietly(self.threshold, round((threshold or 0) * PERCENT))
        _quietly(self.keep, int(history.get("keep_last_n_assistant", 10)))
        _quietly(self.last, int(history.get("last_n_messages") or 0))
        self.when_full.choose(str(history.get("when_full", "exchanges")))
        self.recall.setChecked(bool(history.get("recall", True)))
        self.recall_chats.setChecked(bool(history.get("recall_chats", False)))
        for control in (self.recall_room, self.recall_chats):
            control.setEnabled(self.recall.isChecked())
        _quietly(self.recall_room, int(history.get("recall_tokens") or 0))
        self.sections.setChecked(bool(_part(context, "sections").get("by_relevance", False)))
        self.freshness.choose(str(context.get("freshness", "auto")))
        self.layout_choice.choose(str(context.get("layout", "auto")))
        self.edits.choose(str(context.get("edits", "full")))
        self.detached.choose(str(_part(context, "library").get("detached", "leave")))

    def _follow(self) -> None:
        self.whole.valueChanged.connect(lambda n: self._set("context_window", n or None))
        self.reserve.valueChanged.connect(lambda n: self._set("reserved_output_tokens", n or None))
        self.budget.valueChanged.connect(lambda n: self._set("attachment_budget_tokens", n or None))
        self.threshold.valueChanged.connect(
            lambda n: self._set_history("threshold", n / PERCENT if n else None)
        )
        self.keep.valueChanged.connect(lambda n: self._set_history("keep_last_n_assistant", n))
        self.last.valueChanged.connect(lambda n: self._set_history("last_n_messages", n or None))
        self.when_full.activated.connect(lambda _: self._set_history("when_full", self.when_full.chosen()))
        self.recall.clicked.connect(lambda on: self._set_history("recall", on))
        self.recall_chats.clicked.connect(lambda on: self._set_history("recall_chats", on))
        self.recall_room.valueChanged.connect(lambda n: self._set_history("recall_tokens", n or None))
        self.sections.clicked.connect(lambda on: self._set_in("sections", "by_relevance", on))
        self.detached.activated.connect(lambda _: self._set_in("library", "detached", self.detached.chosen()))
        for name, choice in (
            ("freshness", self.freshness),
            ("layout", self.layout_choice),
            ("edits", self.edits),
        ):
            choice.activated.connect(
                lambda _index, name=name, choice=choice: self._set(name, choice.chosen())
            )

    def _set(self, name: str, value: object) -> None:
        self._save(context={**self._preferences.context, name: value})

    def _set_history(self, name: str, value: object) -> None:
        self._set_in("history", name, value)

    def _set_in(self, group: str, name: str, value: object) -> None:
        self._set(group, {**_part(self._preferences.context, group), name: value})


def _part(context: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = context.get(name)
    return found if isinstance(found, Mapping) else {}


def _optional(minimum: int, maximum: int, step: int, words: str) -> NumberField:
    """A number whose lowest value stands for a word."""
    field = NumberField(minimum, maximum, step)
    field.setSpecialValueText(words)
    field.setMinimumWidth(190)
    return field


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
        super().__init__(_tr("Appearance"), _tr("Applies at once; the scale after a restart."))
        themes = (("system", _tr("System")), ("light", _tr("Light")), ("dark", _tr("Dark")))
        self.mode = Segmented((*themes, ("contrast", _tr("High contrast"))))
        self.mode.set_current(mode)
        self.mode.chosen.connect(self.mode_changed)
        self.calm = Check(checked=calm)
        self.calm.toggled.connect(self.motion_changed)
        self.add_card(
            Setting(_tr("Theme"), _tr("Ctrl+Shift+D switches between light and dark."), self.mode),
            Setting(_tr("Reduce motion"), _tr("Turns off animations."), self.calm),
        )
        self._sizes = sizes
        self.zoom = self._choice([(str(one), f"{one:.0%}") for one in ZOOMS])
        self.chat = self._choice([(str(px), f"{px} px") for px in CHAT_SIZES])
        self.code = self._choice([(str(px), f"{px} px") for px in CODE_SIZES])
        self.add_card(
            Setting(_tr("Zoom"), _tr("Ctrl and + or − change it anywhere; Ctrl+0 puts it back."), self.zoom),
            Setting(_tr("Text of chats"), _tr("Questions, answers and what you write."), self.chat),
            Setting(_tr("Code"), _tr("Code in answers, requests and differences."), self.code),
        )
        self.scale = Choice(tuple((one, f"{float(one):.0%}") for one in SCALES))
        self.scale.choose(scale)
        self.scale.activated.connect(lambda _index: self.scale_changed.emit(self.scale.chosen()))
        words = _tr("Enlarges text, icons and spacing alike. Restart to apply.")
        self.add_card(Setting(_tr("Scale of the window"), words, self.scale))
        self.show_sizes(sizes)
        self.end()

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
        super().__init__(_tr("Shortcuts"), _tr("Press Ctrl+/ to see all of them and change them."))
        self._caps = {spec.id: KeyCap(spec.shortcut) for spec in specs()}
        self.add_card(*(Setting(spec.title, "", self._caps[spec.id]) for spec in specs()))
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
        super().__init__(_tr("About"), _tr("Context Workbench {version}").format(version=facts.version))
        self.words += f" {facts.line} " + " ".join(part.name for part in self._about.parts)
        self._say(place)
        self.search = Field(_tr("Search parts"), icon="search")
        self.search.setFixedWidth(220)
        self.count = label("", "small", "t3")
        self.table = TextTable(_columns(), _tr("Parts of the program and their licences"))
        self.table.setMinimumHeight(LEAST_HEIGHT)
        card = Card()
        rows(card, (1, 1, 1, 1)).addWidget(self.table)
        head = columns(None, spacing=12)
        fill(head, label(_tr("Parts and licences"), "ui_heading"), (self.count, 1), self.search)
        fill(self.column, 4, head)
        self.column.addWidget(card, 1)
        self.search.textChanged.connect(self._find)
        self._find("")

    def _say(self, place: str) -> None:
        facts = self._about.facts
        words = (
            _tr("See and edit the next request to a language model before you send it."),
            _tr("Licence: MIT. No usage data is collected."),
            _tr("Your data: {place}").format(place=place) if place else "",
        )
        for line in filter(None, words):
            self.column.addWidget(label(line, "ui", "t2", wrap=True))
        self.version = label(facts.line, "small", "t3")
        copy = on_click(
            button(_tr("Copy"), icon="copy"), lambda: QApplication.clipboard().setText(facts.line)
        )
        copy.setToolTip(_tr("Copy the version, for a report"))
        self.column.addLayout(fill(columns(None, spacing=12), (self.version, 1), copy))

    def _find(self, typed: str) -> None:
        found = find_parts(self._about.parts, typed)
        self.table.rows.reset_items([_row(part) for part in found])
        words = (
            _tr("{n} of {all}").format(n=len(found), all=len(self._about.parts)) if typed else str(len(found))
        )
        set_text(self.count, words if found else _tr("Nothing found"))


def _columns() -> tuple[Column, ...]:
    return (
        Column(_tr("Part"), 180),
        Column(_tr("Version"), 110, quiet=True),
        Column(_tr("Licence")),
        Column(_tr("Note"), 160, quiet=True),
    )


def _row(part: Part) -> TextRow:
    note = _tr("in {part}").format(part=part.within) if part.within else ""
    cells = (part.name, part.version, part.licence, note or (_tr("optional") if part.optional else ""))
    return TextRow(cells, "\n".join(filter(None, cells)))


WIDTH, HEIGHT, NAV, ROW = 1060, 816, 212, 32
ICON = Qt.ItemDataRole.UserRole


class SettingsDialog(Sheet):
    """All settings of the program.

    Signals:
        appearance_changed, motion_changed, sizes_changed: how the window shall look.

    A page is made when somebody first turns to it, or searches in all of them. `about` is asked when that page is made.
    """

    appearance_changed = Signal(str)
    motion_changed = Signal(bool)
    sizes_changed = Signal(object)

    def __init__(
        self, memory: WindowMemory, place: str, wishes: Wishes | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(_tr("Settings"), *_room(parent), parent)
        self.wishes = wishes or Wishes(self)
        self.search = Field(_tr("Search settings"), icon="search")
        self.search.setFixedWidth(220)
        self.head.insertWidget(1, self.search)
        self.about: Callable[[], About] = lambda: NOTHING_KNOWN
        self._memory = memory
        self._state: WorkbenchState | None = None
        self._keys: KeyStatus | None = None
        self._made: dict[str, Page] = {}
        self.pages: dict[str, tuple[str, str, Callable[[], Page]]] = {
            "models": (_tr("Models and keys"), "chip", ModelsPage),
            "chat": (_tr("Chat"), "chat", ChatPage),
            "context": (_tr("Context defaults"), "sliders", ContextPage),
            "tools": (_tr("Tools and approval"), "tool", ToolsPage),
            "privacy": (_tr("Privacy and storage"), "shield", lambda: self._privacy(place)),
            "appearance": (_tr("Appearance"), "bulb", self._look),
            "shortcuts": (_tr("Shortcuts"), "menu", KeysPage),
            "about": (_tr("About"), "info", lambda: AboutPage(place, self.about)),
        }
        self.nav, self.stack = QListWidget(), QStackedWidget()
        self.nothing = label(_tr("Nothing found"), "small", "t3")
        self.nothing.hide()
        self._fill()
        self.search.textChanged.connect(self._find)
        close = on_click(button(_tr("Close"), shortcut_hint="Esc"), self.accept)
        self.said = label("", "small", "t3", wrap=True)
        self.foot.addWidget(self.said, 1)
        self.foot.addWidget(close)

    def show_state(self, state: WorkbenchState) -> None:
        self._state = state
        self._turn(self.nav.currentRow())

    def page(self, name: str) -> Page:
        if name not in self._made:
            made = self._made[name] = self.pages[name][2]()
            made.wishes = self.wishes
            self.stack.addWidget(made)
        return self._made[name]

    def made(self) -> tuple[str, ...]:
        return tuple(self._made)

    def show_sizes(self, wanted: TextSizes) -> None:
        page = self._made.get("appearance")
        if isinstance(page, LookPage):
            page.show_sizes(wanted)

    def say(self, words: str = "") -> None:
        """Say what was done, or why it could not be; the usual words where there is nothing to say."""
        set_text(self.said, shown(words, 400) or _tr("Changes are saved at once."))
        set_token(self.said, "t1" if words else "t3")

    def showEvent(self, event: QShowEvent) -> None:
        self.say()
        super().showEvent(event)

    def show_page(self, name: SettingsPage) -> None:
        names = list(self.pages)
        self.nav.setCurrentRow(names.index(name) if name in names else 0)

    def show_keys(self, status: KeyStatus) -> None:
        self._keys = status
        page = self._made.get("privacy")
        if isinstance(page, PrivacyPage):
            page.show_keys(status)

    def _privacy(self, place: str) -> PrivacyPage:
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
        self.nav.setFixedWidth(NAV)
        self.nav.setAccessibleName(_tr("Pages of the settings"))
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


def _room(parent: QWidget | None) -> tuple[int, int]:
    """As wide and as high as there is room for in the window."""
    if parent is None:
        return WIDTH, HEIGHT
    window = parent.window()
    return min(WIDTH, window.width() - 2 * ROOM), min(HEIGHT, window.height() - 2 * ROOM)
