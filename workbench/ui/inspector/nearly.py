"""The card of sections that were nearly quoted from followed folders: each can be ticked, on top of the share."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QKeyEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.domain.shown.envelope_view import EnvelopeView, NearlyTaken
from workbench.engine.state import ChatState
from workbench.ui import formatting
from workbench.ui.inspector.rows.row_words import quote_place
from workbench.ui.look.space import S2, S3, STRETCH, columns, fill, rows
from workbench.ui.steps import is_wanted, set_recall, toggle_always
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import button, on_click, tool_button
from workbench.ui.widgets.card import LeadingIcon, Panel
from workbench.ui.widgets.choice import Check
from workbench.ui.widgets.labels import ElidedLabel, label, set_text
from workbench.ui.widgets.plain import tip
from workbench.ui.wishes import OpenSettings, Wishes

RADIUS, HEAD, LINE = 10, 40, 28


class NearlyLine(QWidget):
    """One section: a tick, its rank, file and section, the words that match, and its tokens."""

    spoken_role = QAccessible.Role.ListItem

    def __init__(self, one: NearlyTaken) -> None:
        super().__init__()
        self.one = one
        self.tick = Check("")
        self.name = ElidedLabel(quote_place(one.found), "ui")
        words = ", ".join(dict.fromkeys(word.word.lower() for word in one.found.words[:4]))
        self.words = ElidedLabel(words, "small", "t2")
        over = one.tokens - one.left
        told = (
            tr("{n} over the share").format(n=formatting.tokens(over)) if over > 0 else tr("fits the share")
        )
        self.over, self.tokens = (
            label(told, "small", "t2"),
            label(f"+{formatting.tokens(one.tokens)}", "ui_label"),
        )
        rank = label(formatting.tokens(one.rank), "small", "t3")
        rank.setFixedWidth(24)
        self.tokens.setMinimumWidth(52)
        self.tokens.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        fill(
            columns(self, (S2, 0, S3, 0), S2),
            self.tick,
            rank,
            (self.name, 3),
            (self.words, 2),
            self.over,
            self.tokens,
        )
        self.setFixedHeight(LINE)
        name = tr("Quote {name}, rank {n}, {tokens} tokens").format(
            name=self.name.text(), n=one.rank, tokens=formatting.tokens(one.tokens)
        )
        self.tick.setAccessibleName(name)
        self.setToolTip(tip(f"{one.found.artifact}\n{words}"))


class NearlyCard(Panel):
    """Docked under the tree; N opens and closes it. Where nothing fits it opens by itself."""

    spoken_role = QAccessible.Role.Grouping
    ground, border, radius = "raised", "line2", RADIUS
    leading = LeadingIcon("info", "accent_text", box=(13, 0, 16, HEAD))

    def __init__(self, wishes: Wishes | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.wishes = wishes or Wishes(self)
        self._chat: ChatState | None = None
        self._shown: tuple[NearlyTaken, ...] = ()
        self._wanted: bool | None = None
        self._quotes = False
        self.title = label(tr("Nearly taken"), "ui_label")
        self.about = ElidedLabel("", "small", "t2")
        self.share = label("", "small", "t2")
        self.close_button = on_click(tool_button("x", tr("Close"), side=22), lambda: self.show_card(False))
        self.change = on_click(button(tr("Change…"), "link", size="small"), self._change)
        self.leave_out = on_click(
            button(tr("Leave out for this chat"), "ghost", icon="eye-off", size="small"), self._leave_out
        )
        self.lines: list[NearlyLine] = []
        down = rows(self, (0, 0, 0, S2), 0)
        head = columns(down, (38, 0, S2, 0), S2)
        fill(head, self.title, (self.about, 1), self.share, self.close_button)
        self.title.setFixedHeight(HEAD)
        self._list = QWidget()
        self._column = rows(self._list, spacing=0)
        down.addWidget(self._list)
        fill(columns(down, (S2, 4, S3, 0), S2), self.leave_out, STRETCH, self.change)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.hide()

    def show_chat(self, chat: ChatState | None, view: EnvelopeView | None) -> None:
        """Show what was nearly taken for the next request; nothing for one that was sent."""
        self._chat = chat
        found = view.nearly if view is not None and view.standing == "next" else ()
        if found != self._shown:
            self._shown = found
            self._make()
        nothing = view is not None and bool(found) and not any(row.kind == "quoted" for row in view.quotes)
        name = tr("nothing here fits") if found else tr("nothing else fits the question")
        if found and not nothing:
            name = tr("ranks {a} to {b}").format(a=found[0].rank, b=found[-1].rank)
        set_text(self.about, name)
        set_text(
            self.share,
            tr("{n} of the share left").format(n=formatting.tokens(found[0].left if found else 0)),
        )
        self._quotes = view is not None and view.standing == "next" and bool(view.quotes)
        self.share.setVisible(bool(found))
        self.leave_out.setVisible(bool(found))
        self._show_if(nothing)

    def show_card(self, wanted: bool | None = None) -> None:
        """Open or close it; without an argument the other way round."""
        self._wanted = (not self.isVisible()) if wanted is None else wanted
        self._show_if(False)
        if self.isVisible() and self.lines:
            self.lines[0].tick.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _show_if(self, nothing: bool) -> None:
        """It opens by itself where nothing fits, and where somebody asks for it also to say that there is nothing."""
        can = bool(self._shown) or (self._quotes and bool(self._wanted))
        self.setVisible(can and (nothing if self._wanted is None else self._wanted))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.show_card(False)
        elif event.key() == Qt.Key.Key_Delete:
            self._leave_out()
        else:
            super().keyPressEvent(event)

    def _make(self) -> None:
        for line in self.lines:
            self._column.removeWidget(line)
            line.deleteLater()
        self.lines = [NearlyLine(one) for one in self._shown]
        for line in self.lines:
            line.tick.setChecked(self._is_ticked(line.one))
            line.tick.clicked.connect(lambda _=False, one=line.one: self._toggle(one))
            self._column.addWidget(line)

    def _is_ticked(self, one: NearlyTaken) -> bool:
        return self._chat is not None and is_wanted(self._chat, one.found.id) == "always"

    def _toggle(self, one: NearlyTaken) -> None:
        if self._chat is not None:
            self.wishes.do(toggle_always(self._chat, (one.found.id,)))

    def _leave_out(self) -> None:
        """Never quote the section that has the focus in this chat; without one, the first."""
        line = next((one for one in self.lines if one.tick.hasFocus()), self.lines[0] if self.lines else None)
        if self._chat is not None and line is not None:
            self.wishes.do(set_recall(self._chat, (line.one.found.id,), "never"))

    def _change(self) -> None:
        self.wishes.run(OpenSettings("context"))
