"""Choosing a model: what is there, grouped by where it runs, with its state in words."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QScrollArea, QSizePolicy, QWidget

from workbench.domain.model import ModelListing
from workbench.engine.errand_intents import ListModels
from workbench.engine.state import Readiness, WorkbenchState
from workbench.ui.formatting import tokens
from workbench.ui.look.fonts import font
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import elided, fill_rounded
from workbench.ui.look.space import columns, rows
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.widgets.buttons import button, tool_button
from workbench.ui.widgets.choice import Field
from workbench.ui.widgets.labels import label
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.widgets.popup import Popup
from workbench.ui.wishes import OpenSettings, Wishes

WIDTH, HEIGHT, ROW = 380, 440, 44
LOCAL = ("builtin", "gguf", "ollama", "scripted")


class ModelPicker(Popup):
    """A list with a field over it; a name that is typed whole is taken as it is.

    Signals:
        picked: a model's name.
    """

    picked = Signal(str)

    def __init__(self, wishes: Wishes | None, parent: QWidget) -> None:
        super().__init__(parent)
        self.wishes = wishes or Wishes(self)
        self.setFixedWidth(WIDTH + 48)
        self._shown: tuple[object, ...] = ()
        self._rows: list[ModelRow] = []
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
        add = button(_tr("Add a server or a key…"), "ghost", icon="plus")
        add.clicked.connect(self._leave)
        self.body.addWidget(add, 0, Qt.AlignmentFlag.AlignLeft)
        self.field.textChanged.connect(self._find)
        self.field.returnPressed.connect(self._take_typed)
        self.field.installEventFilter(self)

    def show_state(self, state: WorkbenchState, current: str) -> None:
        """Show what there is, and which of it is in use."""
        shows = (state.models, state.readiness, current)
        if shows == self._shown:
            return
        self._shown = shows
        content = QWidget()
        content.setObjectName("transparent")
        column = rows(content, (0, 0, 4, 0), 0)
        self._rows = []
        for heading, listings in _groups(state.models or ()):
            column.addWidget(_heading(heading))
            for listing in listings:
                row = ModelRow(listing, state.readiness.get(listing.name), listing.name == current)
                row.clicked.connect(lambda _=False, one=listing: self._pick(one))
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
            seen = [row for row in self._rows if row.isVisibleTo(self)]
            if seen:
                seen[0].setFocus(Qt.FocusReason.TabFocusReason)
            return True
        return super().eventFilter(watched, event)

    def _find(self, typed: str) -> None:
        wanted = typed.casefold().strip()
        for row in self._rows:
            row.setVisible(wanted in row.listing.name.casefold())

    def _take_typed(self) -> None:
        typed = self.field.text().strip()
        fits = [row.listing for row in self._rows if row.isVisibleTo(self)]
        if len(fits) == 1 and fits[0].card is not None:
            self._pick(fits[0])
        elif ":" in typed or typed == "builtin":
            self.close()
            self.picked.emit(typed)

    def _pick(self, listing: ModelListing) -> None:
        if listing.card is None or not listing.usable:
            self._leave()
            return
        self.close()
        self.picked.emit(listing.name)

    def _leave(self) -> None:
        self.close()
        self.wishes.run(OpenSettings("models"))


class ModelRow(QAbstractButton):
    """A model: its name, its window, and whether it can be used now."""

    def __init__(self, listing: ModelListing, readiness: Readiness | None, current: bool) -> None:
        super().__init__()
        self.listing, self._current = listing, current
        self._line = _line(listing, readiness)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(ROW)
        mark = _tr("in use") if current else ""
        self.setAccessibleName(f"{shown(listing.name)}, {self._line} {mark}".strip())
        self.setToolTip(tip(f"{listing.name}: {self._line}"))

    def sizeHint(self) -> QSize:
        return QSize(WIDTH - 24, ROW)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, theme = QPainter(self), theme_of(self)
        box = QRectF(self.rect())
        if self._current or self.underMouse() or self.hasFocus():
            fill_rounded(painter, box, theme.sel if self._current else theme.hover, 6)
        provider = self.listing.name.partition(":")[0]
        icon = (
            "chip"
            if provider in ("builtin", "gguf")
            else "server"
            if provider in ("ollama", "server")
            else "globe"
        )
        paint_icon(painter, QRectF(8, 0, 20, ROW), icon, "t2" if self.listing.usable else "t3")
        width = box.width() - 36 - 28
        painter.setFont(font("ui_label"))
        painter.setPen(colour(theme.t1 if self.listing.usable else theme.t3))
        name = elided(font("ui_label"), shown(self.listing.name), width)
        painter.drawText(QRectF(36, 5, width, 18), int(Qt.AlignmentFlag.AlignVCenter), name)
        painter.setFont(font("small"))
        painter.setPen(colour(theme.t3))
        painter.drawText(
            QRectF(36, 22, width, 16),
            int(Qt.AlignmentFlag.AlignVCenter),
            elided(font("small"), self._line, width),
        )
        if self._current:
            paint_icon(painter, QRectF(box.right() - 26, 0, 18, ROW), "check", "accent_text")


def _groups(listings: tuple[ModelListing, ...]) -> list[tuple[str, list[ModelListing]]]:
    here = [one for one in listings if one.name.partition(":")[0] in LOCAL]
    there = [one for one in listings if one not in here]
    return [(_tr("On this computer"), here), (_tr("On a server"), there)]


def _line(listing: ModelListing, readiness: Readiness | None) -> str:
    """What is known about it in a few words."""
    if not listing.usable:
        return listing.advice or _tr("cannot be used now")
    window = (
        "" if listing.card is None else _tr("{n} tokens").format(n=tokens(listing.card.context_window_tokens))
    )
    if readiness is not None and readiness.problem:
        return readiness.problem
    if readiness is not None and not readiness.ready:
        return readiness.what or _tr("starting")
    state = _tr("ready") if readiness is not None else _tr("can be used")
    return f"{state} · {window}" if window else state


def _heading(words: str) -> QWidget:
    made = label(words, "meta_strong", "t3")
    made.setContentsMargins(8, 10, 8, 4)
    return made


def _tr(words: str) -> str:
    return QCoreApplication.translate("ModelPicker", words)
