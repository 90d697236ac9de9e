"""Choosing a model: what is there, grouped by where it runs, with its state in words."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QEvent, QObject, QRect, Qt, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent
from PySide6.QtWidgets import QScrollArea, QWidget

from workbench.domain.models.model_listing import ModelListing
from workbench.domain.models.provider import PROVIDERS, RUN_HERE
from workbench.domain.settings.app_preferences import Preferences
from workbench.engine.program_intents import ChangePreferences, ListModels
from workbench.engine.state import WorkbenchState
from workbench.ui.dialogs.model_row import WIDTH, ModelRow
from workbench.ui.dialogs.settings_parts import clear
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.translation import translator
from workbench.ui.widgets.buttons import button, on_click, tool_button
from workbench.ui.widgets.choice import Field
from workbench.ui.widgets.floating import Popup
from workbench.ui.widgets.labels import label, set_text
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.widgets.scroll_area import transparent
from workbench.ui.wishes import DeclareModel, OpenSettings, Wishes

_tr = translator("ModelPicker")

HEIGHT = 440


# What typed words mean as the name of a model.


@dataclass(frozen=True, slots=True)
class Typed:
    """What can be taken by Enter: one of the names, the first of them; else why none can."""

    names: tuple[str, ...] = ()
    why_not: str = ""


def meaning(typed: str, listings: Sequence[ModelListing], servers: Collection[str]) -> Typed:
    """The names that typed words stand for: a name that is listed as it is spelt there, any other as it was typed."""
    words = typed.strip()
    if not words:
        return Typed()
    listed = [one.name for one in listings if one.card is not None]
    same = [name for name in listed if words.casefold() in (name.casefold(), _bare(name).casefold())]
    if same:
        return Typed((same[0],))
    place, colon, rest = words.partition(":")
    known = (*servers, *(one.name for one in PROVIDERS if one.form))
    if not colon:
        parts = [name for name in listed if words.casefold() in name.casefold()]
        usable = [one.name.partition(":")[0] for one in listings if one.usable and ":" in one.name]
        return Typed(tuple(parts) or tuple(f"{each}:{words}" for each in dict.fromkeys(usable)), _how())
    if place not in known:
        why = _tr("Nothing here is called “{place}”. {how}")
        return Typed(why_not=why.format(place=shown(place, 40), how=_how()))
    return Typed((words,)) if rest else Typed(why_not=_tr("Go on with the model’s name."))


def _how() -> str:
    return _tr("Write provider:name, such as ollama:qwen3, or add a server below.")


def _bare(name: str) -> str:
    return name.partition(":")[2]


class ModelPicker(Popup):
    """A list with a field over it; what Enter would take is marked, also where it is a name that is not listed.

    Signals:
        picked: a model's name. looked_at: the name of one that is pointed at or has the focus, and where; "" for none.
    """

    picked = Signal(str)
    looked_at = Signal(str, object)

    def __init__(self, wishes: Wishes | None, parent: QWidget) -> None:
        super().__init__(parent)
        self.wishes = wishes or Wishes(self)
        self.setFixedWidth(WIDTH + 48)
        self._shown: tuple[object, ...] = ()
        self._listings: tuple[ModelListing, ...] = ()
        self._servers: tuple[str, ...] = ()
        self._current = ""
        self._preferences = Preferences()
        self._rows: list[ModelRow] = []
        self._typed_rows: list[ModelRow] = []
        self._headings: list[tuple[QWidget, tuple[str, ...]]] = []
        self.field = Field(_tr("Find, or type provider:name"), icon="search")
        again = tool_button("refresh", _tr("Look again what there is"))
        again.clicked.connect(lambda: self.wishes.send(ListModels()))
        fill(columns(self.body, (0, 0, 0, 6), 6), (self.field, 1), again)
        self._area = QScrollArea()
        self._area.setWidgetResizable(True)
        self._area.setFixedHeight(HEIGHT)
        self._area.setAccessibleName(_tr("Models"))
        self.body.addWidget(self._area)
        self._foot()
        self.field.textChanged.connect(self._find)
        self.field.returnPressed.connect(self._take_typed)
        self.field.installEventFilter(self)

    def _foot(self) -> None:
        add = on_click(button(_tr("Add a server or key…"), "ghost", icon="plus"), self._leave)
        self.facts = on_click(button(_tr("About this model…"), "ghost", icon="sliders"), self._declare)
        self.facts.setToolTip(tip(_tr("Set the model’s window, and whether it supports pictures and tools.")))
        fill(columns(self.body, (0, 4, 0, 0), 4), add, STRETCH, self.facts)

    def show_state(self, state: WorkbenchState, current: str) -> None:
        liked = (state.preferences.favourite_models, state.preferences.recent_models)
        servers = tuple(state.preferences.servers)
        shows = (state.models, state.readiness, state.learnt, servers, liked, current)
        if shows == self._shown:
            return
        self._shown = shows
        self._listings, self._servers, self._preferences = state.models or (), servers, state.preferences
        self._current = current
        focused = next((row.listing.name for row in self._rows if row.hasFocus()), "")
        self.facts.setEnabled(bool(current))
        content = transparent()
        column = rows(content, (0, 0, 4, 0), 0)
        self.why_not = label("", "small", "t2", wrap=True)
        self.why_not.setContentsMargins(8, 6, 8, 6)
        self.why_not.hide()
        column.addWidget(self.why_not)
        self._typed_column = rows(column)
        self._rows, self._typed_rows, self._headings = [], [], []
        for heading, listings in _groups(self._listings, *liked):
            self._headings.append((_heading(heading), tuple(one.name for one in listings)))
            column.addWidget(self._headings[-1][0])
            for listing in listings:
                known = state.readiness.get(listing.name), listing.name == current
                row = ModelRow(listing, *known, state.learnt.get(listing.name))
                row.set_starred(listing.name in liked[0])
                row.starred.connect(self._star)
                row.clicked.connect(lambda _=False, one=listing: self._pick(one))
                row.looked_at.connect(self._look)
                self._rows.append(row)
                column.addWidget(row)
        if state.models is None:
            column.addWidget(label(_tr("Looking for models …"), "small", "t3"))
        column.addStretch(1)
        self._area.setWidget(content)
        self._find(self.field.text())
        for row in self._rows:
            if row.listing.name == focused:
                row.setFocus(Qt.FocusReason.OtherFocusReason)

    def open_below(self, anchor: QWidget) -> None:
        self.field.clear()
        self.open_under(anchor)
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
            and event.key() == Qt.Key.Key_Down
        ):
            seen = [row for row in (*self._typed_rows, *self._rows) if row.isVisibleTo(self)]
            if seen:
                seen[0].setFocus(Qt.FocusReason.ShortcutFocusReason)
            return True
        return super().eventFilter(watched, event)

    def _find(self, typed: str) -> None:
        if not self._shown:
            return
        wanted = typed.casefold().strip()
        for row in self._rows:
            row.setVisible(wanted in row.listing.name.casefold())
        for heading, names in self._headings:
            heading.setVisible(any(wanted in name.casefold() for name in names))
        meant = meaning(typed, self._listings, self._servers)
        self._offer([name for name in meant.names if all(row.listing.name != name for row in self._rows)])
        set_text(self.why_not, "" if meant.names else meant.why_not)
        self.why_not.setVisible(bool(self.why_not.text()))
        for row in (*self._typed_rows, *self._rows):
            row.set_next(meant.names[:1] == (row.listing.name,))

    def _offer(self, names: Sequence[str]) -> None:
        if [row.listing.name for row in self._typed_rows] == list(names):
            return
        clear(self._typed_column)
        self._typed_rows = []
        if names:
            self._typed_column.addWidget(_heading(_tr("As you typed it")))
        for name in names:
            listing = ModelListing(name, None, True, _tr("not listed; asked as it is"))
            row = ModelRow(listing, None, False)
            row.clicked.connect(lambda _=False, one=name: self._take(one))
            self._typed_rows.append(row)
            self._typed_column.addWidget(row)

    def _take_typed(self) -> None:
        meant = meaning(self.field.text(), self._listings, self._servers)
        if not meant.names:
            return
        found = [one for one in self._listings if one.name == meant.names[0]]
        if found:
            self._pick(found[0])
        else:
            self._take(meant.names[0])

    def _pick(self, listing: ModelListing) -> None:
        if listing.card is None and listing.usable:
            self.field.setText(listing.name.partition(":")[0] + ":")
            self.field.setFocus(Qt.FocusReason.OtherFocusReason)
        elif not listing.usable:
            self._leave()
        else:
            self._take(listing.name)

    def _star(self, name: str) -> None:
        held, liked = self._preferences, self._preferences.favourite_models
        wanted = tuple(one for one in liked if one != name) if name in liked else (*liked, name)
        self.wishes.send(ChangePreferences(replace(held, favourite_models=wanted), held))

    def _look(self, row: ModelRow | None) -> None:
        asked = row is not None and row.listing.usable and row.listing.card is not None
        if row is None or not asked or row.listing.name == self._current:
            self.looked_at.emit("", None)
        else:
            self.looked_at.emit(row.listing.name, QRect(row.mapToGlobal(row.rect().topLeft()), row.size()))

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.looked_at.emit("", None)

    def _take(self, name: str) -> None:
        self.close()
        self.picked.emit(name)

    def _leave(self) -> None:
        self.close()
        self.wishes.run(OpenSettings("models"))

    def _declare(self) -> None:
        self.close()
        self.wishes.run(DeclareModel(self._current))


def _groups(
    listings: tuple[ModelListing, ...], liked: Sequence[str], recent: Sequence[str]
) -> list[tuple[str, list[ModelListing]]]:
    """Those with a star, those that were asked last, and the rest by where they run; each stands once."""
    by_name = {one.name: one for one in listings if one.card is not None}
    starred = [by_name[name] for name in liked if name in by_name]
    asked = [by_name[name] for name in recent if name in by_name and name not in liked]
    rest = [one for one in listings if one not in starred and one not in asked]
    here = [one for one in rest if one.name.partition(":")[0] in RUN_HERE]
    there = [one for one in rest if one not in here]
    groups = [(_tr("Favourites"), starred), (_tr("Recent"), asked)]
    places = [(_tr("On this computer"), here), (_tr("On a server"), there)]
    return [group for group in groups if group[1]] + places


def _heading(words: str) -> QWidget:
    made = label(words, "meta_strong", "t3")
    made.setContentsMargins(8, 10, 8, 4)
    return made
