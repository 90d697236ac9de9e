"""Choosing a model: what is there, grouped by where it runs, with its state in words."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QEvent, QObject, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QScrollArea, QSizePolicy, QWidget

from workbench.domain.model import ModelCard, ModelLearnt, ModelListing
from workbench.domain.provider import KEYED, PROVIDERS, RUN_HERE
from workbench.domain.settings.app_preferences import Preferences
from workbench.engine.program_intents import ChangePreferences, ListModels
from workbench.engine.state import Readiness, WorkbenchState
from workbench.ui.dialogs.settings_parts import clear
from workbench.ui.formatting import accuracy, tokens
from workbench.ui.look.fonts import font
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import elided, fill_rounded, set_text_style
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import button, on_click, tool_button
from workbench.ui.widgets.choice import Field
from workbench.ui.widgets.floating import Popup
from workbench.ui.widgets.labels import label, set_text
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.widgets.stack import transparent
from workbench.ui.wishes import DeclareModel, OpenSettings, Wishes

# One model as it is offered: its name, what is known of it, whether it can be used now, and its star.


WIDTH, ROW, STAR_PX = 380, 44, 30
ANY_NAME = "NAME"


class ModelRow(QAbstractButton):
    """A model: its name, its window, and whether it can be used now.

    Signals:
        looked_at: this row while it is pointed at or has the focus; None after that.
        starred: its star was pressed, or the key of it; the name of its model.
    """

    looked_at = Signal(object)
    starred = Signal(str)

    def __init__(
        self,
        listing: ModelListing,
        readiness: Readiness | None,
        current: bool,
        learnt: ModelLearnt | None = None,
    ) -> None:
        super().__init__()
        self.listing, self._current, self._next, self._starred = listing, current, False, False
        self._line = _line(listing, readiness) + _learnt_words(listing, learnt) + via_words(listing)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(ROW)
        mark = tr("in use") if current else ""
        self.setAccessibleName(f"{shown(listing.name)}, {self._line} {mark}".strip())
        self.setToolTip(tip(f"{listing.name}: {self._line}"))

    def event(self, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Enter, QEvent.Type.FocusIn):
            self.looked_at.emit(self)
        elif event.type() in (QEvent.Type.Leave, QEvent.Type.FocusOut, QEvent.Type.MouseButtonPress):
            self.looked_at.emit(None)
        return super().event(event)

    def set_starred(self, starred: bool) -> None:
        self._starred = starred
        if self.listing.card is not None:
            words = tr("S takes its star off") if starred else tr("S marks it with a star")
            self.setToolTip(tip(f"{self.listing.name}: {self._line}\n{words}"))
        if starred:
            self.setAccessibleName(f"{self.accessibleName()}, {tr('favourite')}")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_S and self.listing.card is not None:
            self.starred.emit(self.listing.name)
        elif event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up):
            self.focusNextPrevChild(event.key() == Qt.Key.Key_Down)
        else:
            super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click on the star is no choice."""
        if self.listing.card is not None and event.position().x() > self.width() - STAR_PX:
            self.setDown(False)
            self.starred.emit(self.listing.name)
        else:
            super().mouseReleaseEvent(event)

    def set_next(self, taken: bool) -> None:
        if taken != self._next:
            self._next = taken
            self.setAccessibleDescription(tr("Enter takes it") if taken else "")
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(WIDTH - 24, ROW)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, theme = QPainter(self), theme_of(self)
        box = QRectF(self.rect())
        if self._current or self._next or self.underMouse() or self.hasFocus():
            fill_rounded(painter, box, theme.sel if self._current else theme.hover, 6)
        provider = self.listing.name.partition(":")[0]
        icon = "chip" if provider in ("builtin", "gguf") else "globe" if provider in KEYED else "server"
        paint_icon(painter, QRectF(8, 0, 20, ROW), icon, "t2" if self.listing.usable else "t3")
        width = box.width() - 36 - 28 - STAR_PX
        set_text_style(painter, font("ui_label"), colour(theme.t1 if self.listing.usable else theme.t3))
        name = elided(font("ui_label"), shown(_title(self.listing)), width)
        painter.drawText(QRectF(36, 5, width, 18), int(Qt.AlignmentFlag.AlignVCenter), name)
        set_text_style(painter, font("small"), colour(theme.t3))
        painter.drawText(
            QRectF(36, 22, width, 16),
            int(Qt.AlignmentFlag.AlignVCenter),
            elided(font("small"), self._line, width),
        )
        mark = QRectF(box.right() - 26 - STAR_PX, 0, 18, ROW)
        if self._next:
            paint_icon(painter, mark, "return", "t2")
        elif self._current:
            paint_icon(painter, mark, "check", "accent_text")
        star = QRectF(box.right() - STAR_PX, 0, STAR_PX, ROW)
        if self._starred:
            paint_icon(painter, star, "star-filled", "accent_text")
        elif self.listing.card is not None and (self.underMouse() or self.hasFocus()):
            paint_icon(painter, star, "star", "t3")


def window_words(card: ModelCard) -> str:
    """How large its window is, and where that is from."""
    words = tr("{n} tokens")
    if "context_window_tokens" in card.declared:
        words = tr("{n} tokens, set by you")
    elif card.window_assumed:
        words = tr("{n} tokens assumed")
    elif card.window_from == "modelfile":
        words = tr("{n} tokens, from its Modelfile")
    elif card.window_from == "default" and card.largest_window_tokens is not None:
        words = tr("{n} tokens by default; the model supports {most}")
    elif card.window_from == "default":
        words = tr("{n} tokens by default")
    return words.format(n=tokens(card.context_window_tokens), most=tokens(card.largest_window_tokens or 0))


def _title(listing: ModelListing) -> str:
    """A model's name; what stands for all others of a place says so."""
    place, _, name = listing.name.partition(":")
    if listing.card is not None or name != ANY_NAME:
        return listing.name
    return tr("Another model of {place}…").format(place=place) if listing.usable else place


def _line(listing: ModelListing, readiness: Readiness | None) -> str:
    if not listing.usable and listing.name.partition(":")[0] in KEYED:
        return tr("needs a key: press to add it")
    if not listing.usable:
        return listing.advice or tr("can’t be used now")
    if listing.card is None and readiness is None:
        return listing.advice or tr("type its name")
    window = "" if listing.card is None else window_words(listing.card)
    if readiness is not None and readiness.problem:
        return readiness.problem
    if readiness is not None and not readiness.ready:
        return readiness.what or tr("starting")
    state = tr("ready") if readiness is not None else tr("can be used")
    return f"{state} · {window}" if window else state


def via_words(listing: ModelListing) -> str:
    """That it is asked through a proxy; empty where it is asked directly."""
    return tr(" · through the proxy {proxy}").format(proxy=shown(listing.via, 80)) if listing.via else ""


def _learnt_words(listing: ModelListing, learnt: ModelLearnt | None) -> str:
    if learnt is None or not learnt.judged or not listing.usable:
        return ""
    told = accuracy(learnt.within, learnt.judged)
    return tr(" · forecasts: {told}").format(told=told)


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
        why = tr("Nothing here is called “{place}”. {how}")
        return Typed(why_not=why.format(place=shown(place, 40), how=_how()))
    return Typed((words,)) if rest else Typed(why_not=tr("Go on with the model’s name."))


def _how() -> str:
    return tr("Write provider:name, such as ollama:qwen3, or add a server below.")


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
        self.field = Field(tr("Find, or type provider:name"), icon="search")
        again = tool_button("refresh", tr("Look again what there is"))
        again.clicked.connect(lambda: self.wishes.send(ListModels()))
        fill(columns(self.body, (0, 0, 0, 6), 6), (self.field, 1), again)
        self._area = QScrollArea()
        self._area.setWidgetResizable(True)
        self._area.setFixedHeight(HEIGHT)
        self._area.setAccessibleName(tr("Models"))
        self.body.addWidget(self._area)
        add = on_click(button(tr("Add a server or key…"), "ghost", icon="plus"), self._leave)
        self.facts = on_click(button(tr("About this model…"), "ghost", icon="sliders"), self._declare)
        self.facts.setToolTip(tip(tr("Set the model’s window, and whether it supports pictures and tools.")))
        fill(columns(self.body, (0, 4, 0, 0), 4), add, STRETCH, self.facts)
        self.field.textChanged.connect(self._find)
        self.field.returnPressed.connect(self._take_typed)
        self.field.installEventFilter(self)

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
            column.addWidget(label(tr("Looking for models …"), "small", "t3"))
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
            self._typed_column.addWidget(_heading(tr("As you typed it")))
        for name in names:
            listing = ModelListing(name, None, True, tr("not listed; asked as it is"))
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
    groups = [(tr("Favourites"), starred), (tr("Recent"), asked)]
    places = [(tr("On this computer"), here), (tr("On a server"), there)]
    return [group for group in groups if group[1]] + places


def _heading(words: str) -> QWidget:
    made = label(words, "meta_strong", "t3")
    made.setContentsMargins(8, 10, 8, 4)
    return made
