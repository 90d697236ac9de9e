"""The Diff page: where two requests first differ, why, and what that costs."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, QSize, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QScrollArea, QStackedWidget, QWidget

from workbench.domain.shown.diff_view import DiffSide, DiffView
from workbench.domain.shown.envelope_view import RowKey
from workbench.engine.intents import CompareTurns
from workbench.engine.state import ChatState, WorkbenchState
from workbench.engine.tuning_intents import DiffVariant
from workbench.ui.inspector.diff.body import DiffBody
from workbench.ui.inspector.pages import Page
from workbench.ui.inspector.rows.row_words import NEXT, next_name, turn_options
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.translation import key_words, tr
from workbench.ui.widgets.choice import Choice
from workbench.ui.widgets.guided import lead_to
from workbench.ui.widgets.labels import label
from workbench.ui.widgets.motion import single_shot
from workbench.ui.widgets.plain import shown
from workbench.ui.widgets.stack import EmptyState
from workbench.ui.wishes import Wishes

HEAD_HEIGHT = 44
SETTLE_MS = 100
VARIANT = "variant:"


class DiffPage(Page):
    """Compares the next request with the last one sent, or any two turns; nothing is compared while it is hidden."""

    def __init__(self, wishes: Wishes | None = None) -> None:
        super().__init__(wishes)
        self._chat: ChatState | None = None
        self._diff: DiffView | None = None
        self._source: object = None
        self.before, self.after = Choice(), Choice()
        self.before.setAccessibleName(tr("Earlier request"))
        self.after.setAccessibleName(tr("Later request"))
        self.body = DiffBody(self.wishes)
        self.empty = EmptyState(
            "diff",
            tr("Nothing to compare yet"),
            tr("After the first answer, this page shows what the next request changes, and what that costs."),
        )
        self._stack = QStackedWidget()
        self._settle = single_shot(self, self._refresh, SETTLE_MS)
        self._build_layout()
        self.setFocusProxy(self.body.causes)
        lead_to(self, "cache")
        self.before.activated.connect(self._compare)
        self.after.activated.connect(self._compare)
        self.body.picked.connect(self.selected)
        self.body.payload_wanted.connect(self._show_in_payload)

    def _build_layout(self) -> None:
        head = QWidget()
        head.setFixedHeight(HEAD_HEIGHT)
        across = columns(head, (16, 0, 16, 0), 8)
        words, between = label(tr("Compare"), "small", "t2"), label(tr("with"), "small", "t2")
        fill(
            across,
            words,
            self.before,
            between,
            self.after,
            STRETCH,
            label(key_words("Ctrl+D"), "small", "t3"),
        )
        self._head = head
        scroll = QScrollArea()
        scroll.setWidget(self.body)
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._stack.addWidget(scroll)
        self._stack.addWidget(self.empty)
        fill(rows(self), head, (self._stack, 1))

    def show_state(self, state: WorkbenchState, chat: ChatState | None) -> None:
        """Show a state: at once if another comparison is wanted, debounced while only the request changes."""
        before, self._chat = self._chat, chat
        if before is chat or not self.isVisible():
            return
        same_chat = before is not None and chat is not None and before.chat.id == chat.chat.id
        if same_chat and chat is not None and before is not None and chat.compared is before.compared:
            self._settle.start()
        else:
            self._refresh()

    def let_go(self, newest: ChatState | None) -> None:
        self._chat = self._source = self._diff = None
        self.body.let_go()

    def select(self, key: RowKey | None) -> None:
        self.body.select(key)

    def minimumSizeHint(self) -> QSize:
        return QSize(420, 200)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._chat is not None:
            self._refresh()

    def _refresh(self) -> None:
        self._settle.stop()
        chat = self._chat
        source: object = None if chat is None else chat.compared or chat.shown
        if source is not self._source:
            self._source = source
            self._diff = self._current_diff()
        diff = self._diff
        if chat is None or diff is None or diff.change == "first":
            self._stack.setCurrentIndex(1)
        else:
            self.body.show_diff(chat, diff)
            self._stack.setCurrentIndex(0)
        self._head.setVisible(chat is not None and bool(chat.turns))
        self._fill_choices()

    def _current_diff(self) -> DiffView | None:
        chat = self._chat
        if chat is None:
            return None
        if chat.compared is not None:
            return chat.compared
        return chat.shown.diff() if chat.shown is not None else None

    def _fill_choices(self) -> None:
        diff = self._diff
        turns = self._chat.turns if self._chat is not None else ()
        before, after = (None, None) if diff is None else (diff.before, diff.after)
        variants = tuple((f"{VARIANT}{name}", shown(name, 40)) for name in self._variants())
        # Beside variants the first request may be the next one, which is otherwise never the earlier of two.
        ahead = ((NEXT, next_name()),)
        first = ahead if variants and (before is None or not before.sent_utc) else ()
        earlier = (*first, *variants, *turn_options(turns, None if before is None else before.turn))
        # The earlier one of two is a turn, also where nobody noted when it was sent.
        _set_options(
            self.before, earlier, _choice_value(before) if variants or before is None else str(before.turn)
        )
        watched = self._chat is not None and self._chat.chat.filed.watched is not None
        sent = after.turn if after is not None and after.sent_utc else None
        later = (*(() if watched else ahead), *variants, *turn_options(turns, sent))
        _set_options(self.after, later, _choice_value(after))

    def _variants(self) -> tuple[str, ...]:
        """Names of the variants in the lists; none unless one of the two compared requests is a variant."""
        diff, comparison = self._diff, None if self._chat is None else self._chat.comparison
        looked = () if diff is None else tuple(name for name in (diff.before.name, diff.after.name) if name)
        built = () if comparison is None else tuple(one.name for one in comparison.columns[1:])
        return tuple(dict.fromkeys((*built, *looked))) if looked else ()

    def _columns(self) -> dict[str, str]:
        """Variant names of the requests on the Compare page by their value in the lists; empty for the first column."""
        comparison = None if self._chat is None else self._chat.comparison
        if comparison is None:
            return {}
        first = NEXT if comparison.turn is None else str(comparison.turn)
        return {first: "", **{f"{VARIANT}{one.name}": one.name for one in comparison.columns[1:]}}

    def _compare(self) -> None:
        chat, before, after = self._chat, self.before.chosen(), self.after.chosen()
        if chat is None or not before:
            return
        columns = self._columns()
        if before in columns and after in columns and (columns[before] or columns[after]):
            self.wishes.send(DiffVariant(chat.chat.id, columns[after], columns[before]))
            return
        # A variant is held against those beside it, and nothing else.
        first, later = (int(one) if one.isdecimal() else None for one in (before, after))
        last = max((turn.number for turn in chat.turns if turn.state != "running"), default=None)
        if later is None and (first is None or (first == last and chat.opened is None)):
            # This is what is compared anyway while the next request is looked at, and it follows what is written.
            self.wishes.send(CompareTurns(chat.chat.id, None, None))
        else:
            self.wishes.send(CompareTurns(chat.chat.id, first, later))

    def _show_in_payload(self, key: RowKey) -> None:
        self.selected.emit(key)
        self.wishes.run("payload")


def _choice_value(side: DiffSide | None) -> str:
    """The value that stands for a request in the lists."""
    if side is not None and side.name:
        return f"{VARIANT}{side.name}"
    return NEXT if side is None or not side.sent_utc else str(side.turn)


def _set_options(choice: Choice, options: tuple[tuple[str, str], ...], current: str) -> None:
    offered = tuple((choice.itemData(number), choice.itemText(number)) for number in range(choice.count()))
    if options != offered:
        with QSignalBlocker(choice):
            choice.clear()
            for value, text in options:
                choice.addItem(text, value)
        choice.updateGeometry()
    choice.choose(current)
