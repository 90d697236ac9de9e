"""Choosing a model: what is there, grouped by where it runs, with its state in words."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QScrollArea, QSizePolicy, QWidget

from workbench.domain.learnt import ModelLearnt
from workbench.domain.model import ModelCard, ModelListing
from workbench.engine.errand_intents import ListModels
from workbench.engine.state import Readiness, WorkbenchState
from workbench.ui.dialogs.settings_parts import clear
from workbench.ui.formatting import accuracy, tokens
from workbench.ui.look.fonts import font
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import elided, fill_rounded
from workbench.ui.look.space import columns, rows
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.widgets.buttons import button, tool_button
from workbench.ui.widgets.choice import Field
from workbench.ui.widgets.labels import label, set_text
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.widgets.popup import Popup
from workbench.ui.wishes import DeclareModel, OpenSettings, Wishes

WIDTH, HEIGHT, ROW = 380, 440, 44
KEYED = ("openai", "anthropic")
ANY_NAME = "NAME"
LOCAL = ("builtin", "gguf", "ollama", "scripted")


# What typed words mean as the name of a model.

PLACES = ("ollama", "openai", "anthropic", "gguf", "server", "completion", "scripted")


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
    known = (*servers, *PLACES)
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
        self._rows: list[ModelRow] = []
        self._typed_rows: list[ModelRow] = []
        self._headings: list[tuple[QWidget, tuple[str, ...]]] = []
        self.field = Field(_tr("Find, or type provider:name"), icon="search")
        again = tool_button("refresh", _tr("Look again what there is"))
        again.clicked.connect(lambda: self.wishes.send(ListModels()))
        top = columns(self.body, (0, 0, 0, 6), 6)
        top.addWidget(self.field, 1)
        top.addWidget(again)
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
        add = button(_tr("Add a server or key…"), "ghost", icon="plus")
        add.clicked.connect(self._leave)
        self.facts = button(_tr("About this model…"), "ghost", icon="sliders")
        self.facts.setToolTip(
            tip(
                _tr(
                    "Say how large the chosen model’s window is, and whether it sees pictures and takes tools."
                )
            )
        )
        self.facts.clicked.connect(self._declare)
        foot = columns(self.body, (0, 4, 0, 0), 4)
        foot.addWidget(add)
        foot.addStretch(1)
        foot.addWidget(self.facts)

    def show_state(self, state: WorkbenchState, current: str) -> None:
        """Show what there is, and which of it is in use."""
        shows = (state.models, state.readiness, state.learnt, tuple(state.preferences.servers), current)
        if shows == self._shown:
            return
        self._shown = shows
        self._listings, self._servers = state.models or (), tuple(state.preferences.servers)
        self._current = current
        self.facts.setEnabled(bool(current))
        content = QWidget()
        content.setObjectName("transparent")
        column = rows(content, (0, 0, 4, 0), 0)
        self.why_not = label("", "small", "t2", wrap=True)
        self.why_not.setContentsMargins(8, 6, 8, 6)
        self.why_not.hide()
        column.addWidget(self.why_not)
        self._typed_column = rows(column)
        self._rows, self._typed_rows, self._headings = [], [], []
        for heading, listings in _groups(self._listings):
            self._headings.append((_heading(heading), tuple(one.name for one in listings)))
            column.addWidget(self._headings[-1][0])
            for listing in listings:
                known = state.readiness.get(listing.name), listing.name == current
                row = ModelRow(listing, *known, state.learnt.get(listing.name))
                row.clicked.connect(lambda _=False, one=listing: self._pick(one))
                row.looked_at.connect(self._look)
                self._rows.append(row)
                column.addWidget(row)
        if state.models is None:
            column.addWidget(label(_tr("Looking for models …"), "small", "t3"))
        column.addStretch(1)
        self._area.setWidget(content)
        self._find(self.field.text())

    def open_below(self, anchor: QWidget) -> None:
        """Open it under the button that shows the model."""
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
                seen[0].setFocus(Qt.FocusReason.TabFocusReason)
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
        """Rows for names that are not in the list."""
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

    def _look(self, row: ModelRow | None) -> None:
        asked = row is not None and row.listing.usable and row.listing.card is not None
        if row is None or not asked or row.listing.name == self._current:
            self.looked_at.emit("", None)
        else:
            self.looked_at.emit(row.listing.name, QRect(row.mapToGlobal(row.rect().topLeft()), row.size()))

    def hideEvent(self, event: QHideEvent) -> None:
        """Nobody looks any more."""
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


class ModelRow(QAbstractButton):
    """A model: its name, its window, and whether it can be used now.

    Signals:
        looked_at: this row while it is pointed at or has the focus; None after that.
    """

    looked_at = Signal(object)

    def __init__(
        self,
        listing: ModelListing,
        readiness: Readiness | None,
        current: bool,
        learnt: ModelLearnt | None = None,
    ) -> None:
        super().__init__()
        self.listing, self._current, self._next = listing, current, False
        self._line = _line(listing, readiness) + _learnt_words(listing, learnt)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(ROW)
        mark = _tr("in use") if current else ""
        self.setAccessibleName(f"{shown(listing.name)}, {self._line} {mark}".strip())
        self.setToolTip(tip(f"{listing.name}: {self._line}"))

    def event(self, event: QEvent) -> bool:
        """Tell who looks."""
        if event.type() in (QEvent.Type.Enter, QEvent.Type.FocusIn):
            self.looked_at.emit(self)
        elif event.type() in (QEvent.Type.Leave, QEvent.Type.FocusOut, QEvent.Type.MouseButtonPress):
            self.looked_at.emit(None)
        return super().event(event)

    def set_next(self, taken: bool) -> None:
        """Whether Enter in the field takes this one."""
        if taken != self._next:
            self._next = taken
            self.setAccessibleDescription(_tr("Enter takes it") if taken else "")
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
        width = box.width() - 36 - 28
        painter.setFont(font("ui_label"))
        painter.setPen(colour(theme.t1 if self.listing.usable else theme.t3))
        name = elided(font("ui_label"), shown(_title(self.listing)), width)
        painter.drawText(QRectF(36, 5, width, 18), int(Qt.AlignmentFlag.AlignVCenter), name)
        painter.setFont(font("small"))
        painter.setPen(colour(theme.t3))
        painter.drawText(
            QRectF(36, 22, width, 16),
            int(Qt.AlignmentFlag.AlignVCenter),
            elided(font("small"), self._line, width),
        )
        if self._next:
            paint_icon(painter, QRectF(box.right() - 26, 0, 18, ROW), "return", "t2")
        elif self._current:
            paint_icon(painter, QRectF(box.right() - 26, 0, 18, ROW), "check", "accent_text")


def _groups(listings: tuple[ModelListing, ...]) -> list[tuple[str, list[ModelListing]]]:
    here = [one for one in listings if one.name.partition(":")[0] in LOCAL]
    there = [one for one in listings if one not in here]
    return [(_tr("On this computer"), here), (_tr("On a server"), there)]


def window_words(card: ModelCard) -> str:
    """How large its window is, and where that is from."""
    words = _tr("{n} tokens")
    if "context_window_tokens" in card.declared:
        words = _tr("{n} tokens, set by you")
    elif card.window_assumed:
        words = _tr("{n} tokens assumed")
    return words.format(n=tokens(card.context_window_tokens))


def _title(listing: ModelListing) -> str:
    """A model's name; what stands for all others of a place says so."""
    place, _, name = listing.name.partition(":")
    if listing.card is not None or name != ANY_NAME:
        return listing.name
    return _tr("Another model of {place}…").format(place=place) if listing.usable else place


def _line(listing: ModelListing, readiness: Readiness | None) -> str:
    """What is known about it in a few words."""
    if not listing.usable and listing.name.partition(":")[0] in KEYED:
        return _tr("needs a key: press to add it")
    if not listing.usable:
        return listing.advice or _tr("cannot be used now")
    if listing.card is None and readiness is None:
        return listing.advice or _tr("type its name")
    window = "" if listing.card is None else window_words(listing.card)
    if readiness is not None and readiness.problem:
        return readiness.problem
    if readiness is not None and not readiness.ready:
        return readiness.what or _tr("starting")
    state = _tr("ready") if readiness is not None else _tr("can be used")
    return f"{state} · {window}" if window else state


def _learnt_words(listing: ModelListing, learnt: ModelLearnt | None) -> str:
    """How often its forecasts came true, where any was judged."""
    if learnt is None or not learnt.judged or not listing.usable:
        return ""
    told = accuracy(learnt.within, learnt.judged)
    return _tr(" · forecasts: {told}").format(told=told)


def _heading(words: str) -> QWidget:
    made = label(words, "meta_strong", "t3")
    made.setContentsMargins(8, 10, 8, 4)
    return made


def _tr(words: str) -> str:
    return QCoreApplication.translate("ModelPicker", words)
