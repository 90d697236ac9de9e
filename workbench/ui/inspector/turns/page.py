"""The page that lists the turns: what each cost, what its cache did, and its request as it was sent."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QStackedWidget, QWidget

from workbench.domain.settings.preferences import Layout
from workbench.domain.shown.envelope_view import RowKey
from workbench.domain.shown.turn_view import TurnRow
from workbench.engine.intents import CompareLayouts, CompareTurns, OpenTurn
from workbench.engine.state import ChatState, WorkbenchState
from workbench.ui import formatting
from workbench.ui.inspector.pages import Page
from workbench.ui.inspector.turns.card import TurnCard
from workbench.ui.inspector.turns.shares_card import SharesCard
from workbench.ui.inspector.turns.table import TurnSums, TurnTable
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.widgets.empty import EmptyState
from workbench.ui.widgets.guided import lead_to
from workbench.ui.widgets.labels import label, set_text
from workbench.ui.widgets.timer import single_shot
from workbench.ui.wishes import CompareRequest, Wishes

LEAST_LOWER = 132
SETTLE_MS = 120
"""Holding an arrow key down must not open every turn on the way."""


class HistoryPage(Page):
    """A turn that is chosen is opened: its card follows when the request is there."""

    def __init__(self, wishes: Wishes | None = None) -> None:
        super().__init__(wishes)
        self._chat: ChatState | None = None
        self._turns: tuple[TurnRow, ...] | None = None
        self._layout: Layout | None = None
        self._opened: object = None
        self._wanted: int | None = None
        self._compared: tuple[str, object] | None = None
        self.table, self.sums, self.card = TurnTable(), TurnSums(), TurnCard()
        self.shares = SharesCard(self.wishes)
        self.log = label("", "small", "t2", wrap=True)
        self.hint = label(self.tr("Choose a turn to see its request as it was sent."), "small", "t3")
        self.empty = EmptyState(
            "timeline",
            self.tr("No turns yet"),
            self.tr("Each answer adds a row: what it cost, and what came from the cache."),
        )
        self._settle = single_shot(self, self._open_wanted, SETTLE_MS)
        self._stack = QStackedWidget()
        self._place()
        self.setFocusProxy(self.table)
        lead_to(self, "cache")
        self._connect()

    def _place(self) -> None:
        full = QWidget()
        down = fill(rows(full), (self.table, 1000), self.sums)
        inner = QWidget()
        fill(rows(inner, (16, 12, 16, 12), 12), self.log, self.card, self.hint, self.shares)
        self.under = _Lower(inner)
        fill(down, self.under, STRETCH)
        self._stack.addWidget(full)
        self._stack.addWidget(self.empty)
        columns(self).addWidget(self._stack)

    def _connect(self) -> None:
        self.table.picked.connect(self._on_pick)
        self.table.opened.connect(self._on_open)
        self.shares.chart.chosen.connect(self._on_share)
        self.shares.chart.opened.connect(self._on_open)
        self.table.room_changed.connect(self.sums.set_room)
        self.card.layers_wanted.connect(self._to_layers)
        self.card.payload_wanted.connect(self._to_payload)
        self.card.compare_wanted.connect(self._compare)
        self.card.settings_wanted.connect(self._compare_settings)
        self.card.close_button.clicked.connect(self._close)

    def show_state(self, state: WorkbenchState, chat: ChatState | None) -> None:
        self._chat = chat
        turns = chat.turns if chat is not None else ()
        opened = chat.opened if chat is not None else None
        watched = chat is not None and chat.chat.filed.watched is not None
        layout = chat.chat.settings.layout if chat is not None and not watched else None
        if turns is not self._turns or layout != self._layout:
            self._turns, self._layout = turns, layout
            self.table.show_turns(turns)
            self.sums.show_turns(turns, layout)
            self._stack.setCurrentIndex(0 if turns else 1)
            self._opened = self
        self.shares.setVisible(not watched)
        words = log_words(turns) if watched else ""
        self.log.setVisible(bool(words))
        set_text(self.log, words)
        if chat is not None and turns and not watched:
            self.shares.show_chat(chat, state.learnt.get(chat.chat.settings.model))
            self._compare_layouts(chat)
        if opened is not self._opened:
            self._opened = opened
            self.shares.chart.select(opened.turn if opened is not None else None)
            self.card.setVisible(opened is not None)
            self.hint.setVisible(opened is None)
            self.table.select(opened.turn if opened is not None else None)
            if opened is not None:
                self.card.show_turn(
                    opened, next((turn for turn in turns if turn.number == opened.turn), None)
                )

    def _compare_layouts(self, chat: ChatState) -> None:
        """Have the chart worked out whenever there are other turns: only what is new takes time."""
        wanted = (chat.chat.id, chat.turns)
        known = self._compared
        if known is None or known[0] != wanted[0] or known[1] is not wanted[1]:
            self._compared = wanted
            self.wishes.send(CompareLayouts(chat.chat.id))

    def select(self, key: RowKey | None) -> None:
        """A row of a request is no turn: nothing is marked."""

    def _on_share(self, number: int) -> None:
        """A turn was chosen in the chart: it is the one in the table, too."""
        self.table.select(number)
        self._on_pick(number)

    def _on_pick(self, number: int) -> None:
        self.shares.chart.select(number)
        if self._chat is None or (self._chat.opened is not None and self._chat.opened.turn == number):
            return
        self._wanted = number
        self._settle.start()

    def _on_open(self, number: int) -> None:
        self._on_pick(number)
        self._open_wanted()
        self._to_layers()

    def _open_wanted(self) -> None:
        self._settle.stop()
        if self._chat is not None and self._wanted is not None:
            self.wishes.send(OpenTurn(self._chat.chat.id, self._wanted))
            self._wanted = None

    def _close(self) -> None:
        if self._chat is not None:
            self.wishes.send(OpenTurn(self._chat.chat.id, None))

    def _compare(self) -> None:
        if self._chat is not None and self._chat.opened is not None:
            self.wishes.send(CompareTurns(self._chat.chat.id, self._chat.opened.turn, None))
            self.wishes.run("diff")

    def _compare_settings(self) -> None:
        if self._chat is not None and self._chat.opened is not None:
            self.wishes.run(CompareRequest(self._chat.opened.turn))

    def _to_layers(self) -> None:
        self.wishes.run("layers")

    def _to_payload(self) -> None:
        self.wishes.run("payload")


def log_words(turns: Sequence[TurnRow]) -> str:
    """What watched requests cost, beside what they would have, had each gone on from the one before."""
    paid, log = sum(turn.cost_usd or 0.0 for turn in turns), turns[-1].log_usd if turns else None
    if log is None or any(turn.cost_usd is None for turn in turns):
        return ""
    words = QCoreApplication.translate(
        "HistoryPage", "These requests cost {paid}. Had each only added to the one before: {log}."
    )
    return words.format(paid=formatting.usd(paid), log=formatting.usd(log))


class _Lower(QScrollArea):
    """What stands under the table, as high as it wants to be while there is room, and scrolled where there is not."""

    def __init__(self, inner: QWidget) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(inner)
        self.viewport().setAutoFillBackground(False)
        inner.setAutoFillBackground(False)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        inner.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow what is inside when that becomes higher or lower."""
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)

    def sizeHint(self) -> QSize:
        inner = self.widget()
        width = max(self.viewport().width(), inner.minimumSizeHint().width())
        layout = inner.layout()
        height = (
            layout.totalHeightForWidth(width) if layout.hasHeightForWidth() else inner.sizeHint().height()
        )
        return QSize(inner.sizeHint().width(), height)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, min(self.sizeHint().height(), LEAST_LOWER))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self.updateGeometry()
