"""Two watched conversations of one task side by side: what an update of their program changed, the dearest first."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from workbench.domain.record import Chat
from workbench.domain.watch.update import Change, ChangeKind, UpdateReport, UpdateView, WatchedRun
from workbench.engine.program_intents import CompareWatched
from workbench.engine.state import ChatState, WorkbenchState
from workbench.ui import formatting
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.translation import N_, tr
from workbench.ui.widgets.badge import Badge
from workbench.ui.widgets.card import Card, Hairline
from workbench.ui.widgets.choice import Choice
from workbench.ui.widgets.guided import lead_to
from workbench.ui.widgets.labels import FigureLabel, label, set_text
from workbench.ui.widgets.plain import shown
from workbench.ui.wishes import Wishes

MOST_CHATS, LONGEST = 60, 48
SIDE, KIND_WIDTH = 16, 72

_KINDS: Mapping[ChangeKind, str] = {
    "model": N_("Model"), "tools": N_("Tools"), "system": N_("System"), "reminders": N_("Reminders"),
    "parameters": N_("Parameters"), "breaks": N_("Prefix"), "requests": N_("Requests"), "messages": N_("Messages"),
    "answers": N_("Answers"),
}  # fmt: skip
_FIGURES: tuple[tuple[str, Callable[[WatchedRun], int]], ...] = (
    (N_("Requests"), lambda run: run.requests),
    (N_("Tokens sent"), lambda run: run.tokens),
    (N_("Largest request"), lambda run: run.request),
    (N_("Tools"), lambda run: run.tools),
    (N_("System"), lambda run: run.system),
    (N_("Prefix breaks"), lambda run: run.breaks),
)


class UpdatesView(QWidget):
    """The conversation in view beside another watched one, which is chosen here and counts as the older."""

    def __init__(self, wishes: Wishes, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._wishes = wishes
        self._chat = ""
        self._view: UpdateView | None = None
        self._listed: tuple[tuple[str, str], ...] = ()
        self.other = Choice()
        self.other.setAccessibleName(tr("Compare with"))
        self.other.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.other.activated.connect(lambda _place: self._ask())
        self.words = label("", "small", "t3", wrap=True)
        self.figures = QWidget()
        self._grid = QGridLayout(self.figures)
        self._grid.setContentsMargins(12, 10, 12, 10)
        self._grid.setHorizontalSpacing(16)
        self._grid.setColumnStretch(0, 1)
        self.changes: list[ChangeRow] = []
        self.card = Card()
        self.title = label(tr("Changes"), "ui_heading")
        self.count = Badge()
        self._inside: QVBoxLayout = rows(self.card, (1, 1, 1, 1))
        note = label(tr("dearest first"), "small", "t3")
        fill(columns(self._inside, (12, 8, 12, 8), 8), self.title, self.count, (None, 1), note)
        self.table = Card()
        fill(rows(self.table, (1, 1, 1, 1)), self.figures)
        self._place()
        lead_to(self, "agents")

    def _place(self) -> None:
        inner = QWidget()
        head = columns(spacing=8)
        fill(head, label(tr("Compare with")), (self.other, 1))
        body = rows(inner, (SIDE, 12, SIDE, 12), 10)
        body.addLayout(head)
        fill(body, self.words, self.table, self.card, STRETCH)
        scroll = QScrollArea()
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidget(inner)
        scroll.setWidgetResizable(True)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        inner.setAutoFillBackground(False)
        scroll.viewport().setAutoFillBackground(False)
        rows(self).addWidget(scroll)

    def show_state(self, state: WorkbenchState, chat: ChatState) -> None:
        """Offer the other watched conversations, and show the comparison that is known."""
        own = chat.chat.id
        others = [one for one in state.chats if one.filed.watched is not None and one.id != own][:MOST_CHATS]
        listed = (("", tr("choose a conversation")), *((one.id, _named(one)) for one in others))
        if listed != self._listed or own != self._chat:
            self._listed, self._chat = listed, own
            self.other.clear()
            for value, text in listed:
                self.other.addItem(text, value)
        view = state.update if state.update is not None and state.update.after == own else None
        if view is not self._view or view is None:
            self._view = view
            self._show(view, bool(others))
        self.other.choose("" if view is None else view.before)
        self.other.setEnabled(bool(others))

    def entry(self) -> QWidget:
        return self.other

    def _ask(self) -> None:
        if self.other.chosen():
            self._wishes.send(CompareWatched(self.other.chosen(), self._chat))

    def _show(self, view: UpdateView | None, any_others: bool) -> None:
        report = None if view is None else view.report
        for part in (self.table, self.card):
            part.setVisible(report is not None)
        if report is None:
            words = tr(
                "The same task with another version or setting of its program shows what an update changed."
            )
            if not any_others:
                words = tr(
                    "Watch the same task a second time, with another version or setting, to compare the two."
                )
            set_text(self.words, words if view is None else view.problem)
            return
        none = tr("No difference but ids, dates and session headers.")
        told = tr("What this conversation has more or less than the other one.")
        set_text(self.words, told if report.changes else none)
        self.card.setVisible(bool(report.changes))
        self.count.show_words("neutral", "", formatting.tokens(len(report.changes)))
        self._fill_figures(report)
        for old in self.changes:
            self._inside.removeWidget(old)
            old.hide()
            old.deleteLater()
        self.changes = [ChangeRow(one) for one in report.changes]
        fill(self._inside, *self.changes)

    def _fill_figures(self, report: UpdateReport) -> None:
        parts: list[QWidget] = list(self.figures.findChildren(QWidget))
        for old in parts:
            self._grid.removeWidget(old)
            old.hide()
            old.deleteLater()
        was, now = report.before, report.after
        for column, words in enumerate((tr("other"), tr("this one")), 1):
            self._grid.addWidget(label(words, "small", "t3"), 0, column, Qt.AlignmentFlag.AlignRight)
        lines = [(tr("Program"), shown(was.client, 40), shown(now.client, 40), False)]
        for name, figure in _FIGURES:
            first, second = figure(was), figure(now)
            lines.append((tr(name), formatting.tokens(first), formatting.tokens(second), first != second))
        lines.append((tr("Cost"), _usd(was.usd), _usd(now.usd), was.usd != now.usd))
        for row, (name, left, right, differs) in enumerate(lines, 1):
            self._grid.addWidget(label(name, "small", "t2"), row, 0)
            self._grid.addWidget(FigureLabel(left, "small"), row, 1, Qt.AlignmentFlag.AlignRight)
            weight = 600 if differs else 400
            self._grid.addWidget(
                FigureLabel(right, "small", weight=weight), row, 2, Qt.AlignmentFlag.AlignRight
            )


class ChangeRow(QWidget):
    """One change: what it is, its tokens, and its price over all requests."""

    def __init__(self, change: Change) -> None:
        super().__init__()
        self.change = change
        self.kind = Badge()
        self.kind.show_words("neutral", "", tr(_KINDS[change.kind]))
        self.kind.setMinimumWidth(KIND_WIDTH)
        self.words = label(change.words, "ui", wrap=True)
        saves = change.tokens < 0
        sign = "−" if saves else "+"
        tokens = f"{sign}{formatting.tokens(abs(change.tokens))}" if change.tokens else ""
        self.tokens = FigureLabel(tokens, "ui", "ok" if saves else "t1", weight=600)
        usd = f"{sign}{formatting.usd(abs(change.usd))}" if change.usd else ""
        self.price = FigureLabel(usd, "small", "ok" if saves else "warn")
        down = rows(self)
        down.addWidget(Hairline())
        across = columns(down, (12, 8, 12, 8), 10)
        fill(across, self.kind, (self.words, 1), self.tokens, self.price)
        self.price.setVisible(bool(usd))
        self.setAccessibleName(f"{self.kind.accessibleName()} {change.words} {tokens} {usd}")


def _named(chat: Chat) -> str:
    mark = chat.filed.watched
    version = "" if mark is None else mark.client.partition("/")[2]
    return " · ".join(
        part for part in (shown(chat.title, LONGEST), version, chat.used_utc[:16].replace("T", " ")) if part
    )


def _usd(value: float | None) -> str:
    return tr("unknown") if value is None else formatting.usd(value)
