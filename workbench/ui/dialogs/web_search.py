"""Search the web: what was found stands as rows to tick, and a page is read when its row is ticked."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QScrollArea, QWidget

from workbench.domain.files.attached import LeftOut
from workbench.domain.web_search import SearchHit, WebSearch
from workbench.engine.attaching_intents import SearchWeb
from workbench.engine.intents import AttachFiles, DetachArtifacts
from workbench.engine.state import ChatState, WorkbenchState
from workbench.ui import formatting
from workbench.ui.dialogs.settings_parts import clear
from workbench.ui.look.space import columns, fill, rows
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.card import Card, Panel
from workbench.ui.widgets.choice import Check, Field
from workbench.ui.widgets.floating import Sheet
from workbench.ui.widgets.labels import ElidedLabel, label, set_text, set_token
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.widgets.stack import EmptyState
from workbench.ui.wishes import OpenSettings, Wishes

WIDTH, HEIGHT, FIGURE = 760, 600, 132
LONGEST = 300


class WebSearchDialog(Sheet):
    """Words, and what was found; nothing is searched without Enter, and no page is read without a tick."""

    def __init__(self, chat: str, wishes: Wishes | None = None, parent: QWidget | None = None) -> None:
        super().__init__(tr("Search the web"), WIDTH, HEIGHT, parent)
        self.wishes = wishes or Wishes(self)
        self._chat = chat
        self._search: WebSearch | None = None
        self.words = Field(tr("Words to search for"), "search", "↵")
        self.words.returnPressed.connect(self._ask)
        self.hits: tuple[HitRow, ...] = ()
        self._list = QWidget()
        self._rows = rows(self._list, (1, 1, 1, 1))
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setWidget(self._list)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        scroll.viewport().setAutoFillBackground(False)
        self._list.setAutoFillBackground(False)
        self.card = Card()
        rows(self.card, (0, 0, 0, 0)).addWidget(scroll)
        self.empty = EmptyState("globe", "", "")
        fill(self.body, self.words, (self.card, 1), (self.empty, 1))
        self.state = label("", "small", "t2", wrap=True)
        self.settings = on_click(button(tr("Settings…")), lambda: self.wishes.run(OpenSettings("tools")))
        self.ready = on_click(button(tr("Done"), "primary"), self.accept)
        self.ready.setAutoDefault(False)
        fill(self.foot, (self.state, 1), self.settings, self.ready)
        self._show(None)
        self._say("", None)

    def show_state(self, state: WorkbenchState) -> None:
        """Show the search of its chat, and which of the pages are attached."""
        chat = state.open.get(self._chat)
        search = chat.web if chat is not None else None
        if search is not self._search:
            self._search = search
            self._show(search)
        if chat is not None:
            self._follow(chat)
        self._say(state.preferences.search, search)

    def refuse(self, left_out: tuple[LeftOut, ...]) -> bool:
        """Say at its row why a page was not attached; whether there is such a row."""
        reasons = {one.path: f"{one.reason[:1].upper()}{one.reason[1:]}. {one.advice}" for one in left_out}
        found = [row for row in self.hits if row.hit.url in reasons]
        for row in found:
            row.refuse(reasons[row.hit.url])
        return bool(found)

    def _ask(self) -> None:
        if words := self.words.text().strip():
            self.wishes.send(SearchWeb(self._chat, words))

    def _show(self, search: WebSearch | None) -> None:
        clear(self._rows)
        self.hits = tuple(HitRow(hit, self._take) for hit in (search.hits if search is not None else ()))
        for row in self.hits:
            self._rows.addWidget(row)
        self._rows.addStretch(1)
        self.card.setVisible(bool(self.hits))
        self.empty.setVisible(not self.hits)
        if self.hits:
            self.hits[0].check.setFocus(Qt.FocusReason.OtherFocusReason)

    def _follow(self, chat: ChatState) -> None:
        attached = {artifact.key for artifact in chat.conversation.attached}
        tokens = {row.key: row.tokens for row in chat.attachments}
        for row in self.hits:
            row.follow(row.hit.url in attached, tokens.get(row.hit.url))

    def _take(self, url: str, on: bool) -> None:
        self.wishes.send(AttachFiles(self._chat, (url,)) if on else DetachArtifacts(self._chat, (url,)))

    @staticmethod
    def _asking(place: str) -> str:
        return tr("Enter searches. Only your words are sent, to {by}.").format(by=shown(place, 80))

    def _say(self, place: str, search: WebSearch | None) -> None:
        self.settings.setVisible(not place or bool(search is not None and search.problem))
        words = tr("Nothing is read until you tick it; ticked pages are attached.")
        if search is not None and search.by:
            words = tr("{n} found by {host}. {words}").format(
                n=formatting.tokens(len(search.hits)), host=shown(search.by, 60), words=words
            )
            words = f"{words} {shown(search.left_words, LONGEST)}".strip()
        set_text(self.state, words)
        if search is not None and search.running:
            self.empty.say(tr("Searching…"), "")
        elif search is not None and search.problem:
            self.empty.say(tr("Not searched"), shown(search.problem, LONGEST))
        elif search is not None:
            self.empty.say(tr("Nothing found"), shown(search.left_words, LONGEST) or tr("Try other words."))
        elif place:
            self.empty.say(
                tr("Search the web"),
                self._asking(place),
            )
        else:
            self.empty.say(
                tr("No search is set up"),
                tr("Settings names who searches: a SearXNG server of your own, Brave or Tavily."),
            )


class HitRow(Panel):
    """A page that was found: a box to tick, title, address, date and what it says; behind it what it takes."""

    line_below = True

    def __init__(self, hit: SearchHit, take: Callable[[str, bool], None]) -> None:
        super().__init__()
        self.hit = hit
        self._waits = False
        self.check = Check()
        title = shown(hit.title, LONGEST)
        self.check.setAccessibleName(f"{title}, {hit.url}")
        self.check.toggled.connect(self._on_toggled)
        self._take = take
        name = ElidedLabel(title, "ui_label")
        name.setToolTip(tip(hit.title))
        where = " · ".join(filter(None, (shown(hit.url, LONGEST), shown(hit.published, 20))))
        address = ElidedLabel(where, "small", "t2")
        self.figure = label("", "small", "t2")
        self.figure.setAlignment(Qt.AlignmentFlag.AlignTrailing | Qt.AlignmentFlag.AlignTop)
        self.figure.setMinimumWidth(FIGURE)
        self.text = label(shown(hit.text, LONGEST), "small", "t3", wrap=True)
        self.text.setVisible(bool(hit.text))
        across = columns(self, (12, 9, 12, 9), 10)
        words = rows(None, spacing=2)
        top = columns(None, spacing=8)
        fill(top, (name, 1), self.figure)
        fill(words, top, address, self.text)
        fill(across, self.check, (words, 1))
        across.setAlignment(self.check, Qt.AlignmentFlag.AlignTop)

    def follow(self, attached: bool, tokens: int | None) -> None:
        """Show whether it is attached, and what it then takes."""
        if attached:
            self._waits = False
            words = "" if tokens is None else tr("{n} tokens").format(n=formatting.tokens(tokens))
            self._mark(True, words, "t1")
        elif not self._waits and self.check.isChecked():
            self._mark(False, "", "t2")

    def refuse(self, reason: str) -> None:
        """Say why it was not attached."""
        self._waits = False
        self._mark(False, tr("not attached"), "warn")
        set_text(self.text, shown(reason, LONGEST))
        self.text.setVisible(True)
        set_token(self.text, "warn")

    def _mark(self, on: bool, words: str, token: str) -> None:
        with QSignalBlocker(self.check):
            self.check.setChecked(on)
        set_text(self.figure, words)
        set_token(self.figure, token)

    def _on_toggled(self, on: bool) -> None:
        self._waits = on
        set_text(self.figure, tr("reading…") if on else "")
        set_token(self.figure, "t2")
        self._take(self.hit.url, on)
