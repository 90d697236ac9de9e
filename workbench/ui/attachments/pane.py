"""The attachments pane: what is attached, what it costs and how it is sent, to be pinned, ranked and taken off."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import QMimeData, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QAction,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QInputDialog, QMenu, QStackedWidget, QWidget

from workbench.domain.files.attachment import PRIORITY_ESSENTIAL, PRIORITY_HIGH, PRIORITY_LOW, PRIORITY_MEDIUM
from workbench.domain.folder_index import QuotedFile
from workbench.domain.shown.attachment_view import AttachmentRow, left_in_log
from workbench.domain.workspace import is_template
from workbench.engine.attaching_intents import FreezeArtifacts
from workbench.engine.intents import AttachFiles
from workbench.engine.state import ChatState, WorkbenchState
from workbench.engine.tuning_intents import OfferPriorities, ReadQuote
from workbench.ui import formatting, steps
from workbench.ui.attachments.bands import HINT_HEIGHT, AttachingLine, DropHint, FollowedList
from workbench.ui.attachments.delegate import ROW
from workbench.ui.attachments.looks import can_have_parts, can_refresh, is_renewed, is_stale, opens_parts
from workbench.ui.attachments.preview import Preview, QuotedSheet
from workbench.ui.attachments.suggested import SuggestedCard, accepted, fit_question
from workbench.ui.attachments.view import AttachmentsView
from workbench.ui.look.painting import stroke_rounded
from workbench.ui.look.space import S1, S2, S3, columns, fill, rows
from workbench.ui.look.theme import theme_of
from workbench.ui.offers import Offer, TakeOffer, offer_menu
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import tool_button
from workbench.ui.widgets.file_chooser import take_copy
from workbench.ui.widgets.labels import ElidedLabel, label, set_text
from workbench.ui.widgets.menu import add_action, menu
from workbench.ui.widgets.stack import EmptyState
from workbench.ui.wishes import ShowSections, Wishes

# The menus of attachments: everything a row offers by mouse and key, in words.


Rows = tuple[AttachmentRow, ...]

SHORTEN, WHOLE = "shorten:", "whole"
"""What an entry of the menu is known by that sends something no longer than so many tokens."""
_LENGTHS = (500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000)
_MOST_LENGTHS = 4
_TOKEN_CHARS = 4


@dataclass(frozen=True, slots=True)
class RowActions:
    """What can be done with rows; `offer` says what an act or a priority would do, `take` is handed that.

    Shortened to 0 tokens, something is sent whole again. `suggested` are those for which another priority is
    suggested; a model can be asked for some only while there is a question. `more` adds what the table of the request
    offers for a file: it has one menu, wherever that is opened.
    """

    preview: Callable[[AttachmentRow], None]
    pin: Callable[[Rows], None]
    set_priority: Callable[[Rows, int], None]
    refresh: Callable[[Rows], None]
    freeze: Callable[[Rows], None]
    detach: Callable[[Rows], None]
    offer: Callable[[Rows, str | int], Offer | None] = lambda rows, act: None
    take: TakeOffer = lambda offer: None
    shorten: Callable[[Rows, int], None] = lambda rows, tokens: None
    send_whole: Callable[[Rows], None] = lambda rows: None
    choose_length: Callable[[Rows], None] = lambda rows: None
    choose_parts: Callable[[AttachmentRow], None] = lambda row: None
    fit_question: Callable[[Rows, bool], None] = lambda rows, wanted: None
    accept: Callable[[Rows], None] = lambda rows: None
    suggested: Callable[[Rows], Rows] = lambda rows: ()
    ask_model: Callable[[], None] | None = None
    more: Callable[[QMenu, AttachmentRow], None] = lambda made, row: None


def row_menu(parent: QWidget, rows: Rows, actions: RowActions) -> QMenu:
    """The menu of the selected rows; those that are detached can only be removed, and not with others."""
    made = menu(parent)
    gone, rows = rows, tuple(row for row in rows if not row.detached)
    if not rows:
        add_action(made, tr("Remove now\tDel"), lambda: actions.detach(gone), "detach")
        _end(made, gone, actions)
        return made
    suggested = actions.suggested(rows)
    if suggested:
        words = tr("Accept the suggested priority\tEnter")
        add_action(made, words, lambda: actions.accept(suggested), "pill")
    if len(rows) == 1:
        parts_first = opens_parts(rows[0])
        # Enter accepts what is suggested first.
        first, other = ("" if suggested else "\tEnter"), "\tShift+Enter"
        show = tr("Show as sent") + (other if parts_first else first)
        made.addAction(show, lambda: actions.preview(rows[0]))
        words = tr("Choose parts…") + (first if parts_first else other)
        choose = add_action(made, words, lambda: actions.choose_parts(rows[0]))
        choose.setEnabled(can_have_parts(rows[0]))
        made.addSeparator()
    unpin = all(row.pinned for row in rows)
    words = tr("Unpin\tSpace") if unpin else tr("Pin\tSpace")
    add_action(made, words, lambda: actions.pin(rows), "pin")
    priorities = made.addMenu(tr("Priority"))
    _add_priorities(priorities, rows, actions)
    _add_lengths(made, rows, actions)
    _add_relevance(made, rows, actions)
    made.addSeparator()
    files = tuple(row for row in rows if can_refresh(row))
    pages = bool(files) and all(row.kind == "url" for row in files)
    words = tr("Fetch again\tF5") if pages else tr("Refresh from disk\tF5")
    refresh = add_action(made, words, lambda: actions.refresh(files))
    refresh.setEnabled(bool(files))
    stale = tuple(row for row in rows if is_stale(row))
    renewed = tuple(row for row in rows if is_renewed(row))
    words = tr("Keep the earlier copy") if renewed and not stale else tr("Freeze the copy")
    freeze = add_action(made, words, lambda: actions.freeze((*stale, *renewed)))
    freeze.setEnabled(bool(stale or renewed))
    made.addSeparator()
    add_action(made, tr("Detach\tDel"), lambda: actions.detach(rows), "detach")
    _end(made, rows, actions)
    return made


def _end(made: QMenu, rows: Rows, actions: RowActions) -> None:
    if len(rows) == 1:
        actions.more(made, rows[0])
    _offer(made, rows, actions)


def _add_lengths(made: QMenu, rows: Rows, actions: RowActions) -> None:
    """How long a text may be; what cannot be shortened, or is short as it is, goes out whole."""
    able = tuple(row for row in rows if row.can_shorten)
    lengths = made.addMenu(tr("Shorten to"))
    lengths.setEnabled(bool(able))
    chosen = {row.most_tokens for row in able}
    for tokens in _lengths(able):
        words, do = (
            formatting.token_words(tokens),
            partial(actions.shorten, able, tokens),
        )
        add_action(lengths, words, do, f"{SHORTEN}{tokens}", checked=chosen == {tokens})
    lengths.addAction(tr("Another number…"), lambda: actions.choose_length(able))
    _offer(lengths, able, actions)
    held = tuple(row for row in rows if row.held)
    if held:
        add_action(made, tr("Send whole"), lambda: actions.send_whole(held), WHOLE)
    shortened = tuple(row for row in able if row.most_tokens is not None)
    if shortened:
        add_action(made, tr("Send it whole again"), lambda: actions.shorten(shortened, 0), f"{SHORTEN}0")


def _add_relevance(made: QMenu, rows: Rows, actions: RowActions) -> None:
    able = tuple(row for row in rows if row.can_shorten)
    chosen = bool(able) and all(row.by_relevance for row in able)
    words = tr("By relevance: its outline, and what fits the question")
    fit = add_action(made, words, lambda: actions.fit_question(able, not chosen), "fit", chosen)
    fit.setEnabled(bool(able))
    ask = made.addAction(tr("Ask the model for priorities…"))
    ask.setEnabled(actions.ask_model is not None)
    if actions.ask_model is not None:
        ask.triggered.connect(actions.ask_model)


def _lengths(rows: Rows) -> list[int]:
    """Some lengths that are less than the longest of them, and the one that was chosen."""
    longest = max((len(row.content) // _TOKEN_CHARS for row in rows), default=0)
    offered = [tokens for tokens in _LENGTHS if tokens < longest][-_MOST_LENGTHS:]
    chosen = {row.most_tokens for row in rows if row.most_tokens is not None}
    return sorted({*offered, *chosen}, reverse=True)


def priority_menu(parent: QWidget, rows: Rows, actions: RowActions) -> QMenu:
    """The menu of the priorities alone."""
    made = menu(parent)
    _add_priorities(made, rows, actions)
    return made


def _add_priorities(made: QMenu, rows: Rows, actions: RowActions) -> None:
    words = {
        PRIORITY_ESSENTIAL: tr("0 pinned"),
        PRIORITY_HIGH: tr("3 high"),
        PRIORITY_MEDIUM: tr("5 medium"),
        PRIORITY_LOW: tr("10 low, dropped first"),
    }
    for priority, said in words.items():
        only = {row.priority for row in rows} == {priority}
        add_action(made, said, partial(actions.set_priority, rows, priority), priority, checked=only)
    _offer(made, rows, actions)


def _offer(made: QMenu, rows: Rows, actions: RowActions) -> None:
    def make(action: QAction) -> Offer | None:
        chosen = action.data()
        if callable(chosen):
            offer: Offer | None = chosen()
            return offer
        return actions.offer(rows, chosen) if isinstance(chosen, str | int) else None

    offer_menu(made, make, actions.take)


_ELSEWHERE = ("Enter", "Shift+Enter", "Del")
"""Keys that mean something else where the menu is opened from the request's table."""

HEAD_HEIGHT, FEW = 41, 3
"""With more attachments than few, nobody needs to be told how they get here."""

LEAST_TOKENS = 100
"""With fewer, little more than the words about the rest would be sent."""

MOST_IN_SIGHT = 10
"""More rows are scrolled; measuring thousands of them at every change would take long."""


class AttachmentsPane(QWidget):
    """The attachments of the chat in view.

    Attributes:
        add_entries: adds to the menu of the file with that key what the request's table offers for it.
    """

    add_entries: Callable[[QMenu, str], None] | None = None

    def __init__(self, wishes: Wishes | None = None) -> None:
        super().__init__()
        self.wishes = wishes or Wishes(self)
        self._chat: ChatState | None = None
        self._rows: Rows | None = None
        self._attached: Rows | None = None
        self._known: object = None
        self._preview: Preview | None = None
        self._dropping = False
        self.sum = ElidedLabel("", "small", "t3")
        self.folder = tool_button("folder", tr("Attach a folder"), tr("Attach a folder…"))
        self.add = tool_button("plus", tr("Attach files"), tr("Attach files… (Ctrl+O)"))
        self.view = AttachmentsView(tr("Attachments"))
        self.hint = DropHint()
        self.followed = FollowedList(self.wishes)
        self._quoted: QuotedFile | None = None
        self.progress = AttachingLine(self.wishes)
        self.suggested = SuggestedCard(self.wishes)
        self._how_to = tr("Drop files or a folder anywhere, paste, or press Ctrl+O.")
        self.empty = EmptyState("clip", tr("Nothing attached"), self._how_to, tr("Attach…"))
        self.title = label(tr("Attachments"), "ui_heading")
        self._pages = QStackedWidget()
        self._actions = RowActions(
            self._show,
            self._pin,
            self._set_priority,
            self._refresh,
            self._freeze,
            self._detach,
            self._offer_of,
            self.wishes.offer,
            self._shorten,
            self._send_whole,
            self._choose_length,
            self._choose_parts,
            self._fit_question,
            self._accept,
            self.view.suggested,
        )
        self._build()
        self._connect()

    def _build(self) -> None:
        self.setAcceptDrops(True)
        down = rows(self)
        # The ends as spacings, which mirror where text runs to the left; margins would not.
        head = columns(None, (0, 7, 0, 6), 0)
        fill(head, S3, self.title, S2, (self.sum, 1), self.folder, 2, self.add, 7)
        fill(down, head, self.followed, self.progress)
        listed = QWidget()
        inside = rows(listed)
        inside.addWidget(self.view, 1)
        # Below the rows: who is about to press one finds it where it was.
        inside.addWidget(self.suggested)
        self._foot = rows(inside)
        self._foot.addWidget(self.hint)
        for page in (listed, self.empty):
            # A page that is not in sight must not make the column wider.
            page.setMinimumWidth(1)
            self._pages.addWidget(page)
        down.addWidget(self._pages, 1)

    def _connect(self) -> None:
        self.add.clicked.connect(lambda: self.wishes.run("attach-files"))
        self.folder.clicked.connect(lambda: self.wishes.run("attach-folder"))
        self.empty.pressed.connect(lambda: self.wishes.run("attach-files"))
        view = self.view
        view.pin_wanted.connect(self._pin)
        view.detach_wanted.connect(self._detach)
        view.refresh_wanted.connect(self._refresh)
        view.freeze_wanted.connect(self._freeze)
        view.preview_wanted.connect(self._show)
        view.parts_wanted.connect(self._choose_parts)
        view.priority_wanted.connect(self._set_priority)
        view.nudge_wanted.connect(self._nudge)
        view.menu_wanted.connect(self._open_menu)
        view.priorities_wanted.connect(self._open_priorities)
        view.looked_at.connect(self._look)
        view.accept_wanted.connect(self._accept)

    def show_state(self, state: WorkbenchState, chat: ChatState | None) -> None:
        self._chat = chat
        shared = chat is not None and is_template(chat.chat.id)
        set_text(self.title, tr("In every chat") if shared else tr("Attachments"))
        self._show_watched(chat is not None and chat.chat.filed.watched is not None)
        found = chat.attachments if chat is not None else ()
        folders = () if chat is None else chat.followed
        if self.followed.show_folders("" if chat is None else chat.chat.id, folders):
            self._place_hint()
            self.updateGeometry()
        shown = None if chat is None else chat.shown
        self.followed.show_quoted(
            () if shown is None else (one for layer in shown.layers for one in layer.groups)
        )
        self._show_progress(chat)
        self.view.show_pictures({} if chat is None else chat.pictures)
        if self._preview is not None and self._chat is not None:
            self._preview.show_chat(self._chat)
        self._show_quoted(chat)
        self.view.tree().show_relevance(None if chat is None else chat.relevance)
        if self.suggested.show_chat(chat):
            self._place_hint()
            self.updateGeometry()
        files, parts = ({}, None) if chat is None else (chat.files, chat.parts)
        known = (files, () if parts is None else (parts.file, len(parts.rows)))
        left = left_in_log(None if chat is None else chat.view, found)
        if found is self._attached and self._rows == (*found, *left) and known == self._known:
            return
        self._rows, self._attached, self._known = (*found, *left), found, known
        self.view.show_rows(self._rows, files, parts)
        set_text(self.sum, self._sum_words(found))
        self._pages.setCurrentIndex(0 if self._rows else 1)
        self._place_hint()
        self.updateGeometry()

    def _show_quoted(self, chat: ChatState | None) -> None:
        """Open the file of a quote that somebody wants to read."""
        wanted = None if chat is None else chat.quoted_file
        if wanted is not self._quoted:
            self._quoted = wanted
            if wanted is not None and chat is not None:
                end = ReadQuote(chat.chat.id)
                sheet = QuotedSheet(wanted, self, self.wishes)
                sheet.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
                sheet.finished.connect(lambda: self.wishes.send(end))
                sheet.open()

    def _show_watched(self, watched: bool) -> None:
        """Nothing can be attached to what another program says."""
        for part in (self.folder, self.add, self.empty.button):
            part.setVisible(not watched)
        if watched:
            words = tr("A watched program brings its own context. What it sent is in its requests.")
            self.empty.say(tr("Nothing attached"), words)
        else:
            self.empty.say(tr("Nothing attached"), self._how_to)

    def _show_progress(self, chat: ChatState | None) -> None:
        if self.progress.show_progress(
            "" if chat is None else chat.chat.id, None if chat is None else chat.attaching
        ):
            self._place_hint()
            self.updateGeometry()

    def key_with_parts(self) -> str:
        """The chosen attachment where it may have parts, else the largest that may."""
        able = [row for row in self._rows or () if can_have_parts(row)]
        chosen = [row for row in self.view.chosen_rows() if row in able]
        found = chosen or sorted(able, key=lambda row: -len(row.content))
        return found[0].key if found else ""

    def _choose_parts(self, row: AttachmentRow) -> None:
        self.wishes.run(ShowSections(row.key))

    def _sum_words(self, found: Rows) -> str:
        if not found:
            return ""
        total = formatting.short_tokens(sum(row.tokens for row in found))
        return tr("{n} · {tokens}").format(n=len(found), tokens=total)

    def sizeHint(self) -> QSize:
        """As high as what is listed, so that it need not be scrolled where there is room."""
        head = HEAD_HEIGHT + self.followed.room() + self.progress.room() + self.suggested.room()
        if not self._rows:
            return QSize(252, head + 180)
        if len(self._rows) > MOST_IN_SIGHT:
            return QSize(252, head + MOST_IN_SIGHT * ROW)
        hint = HINT_HEIGHT + S1 + S3 if len(self._rows) <= FEW else S2
        return QSize(252, head + self.view.content_height() + hint)

    def minimumSizeHint(self) -> QSize:
        return QSize(160, HEAD_HEIGHT + 60)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_hint()

    def _place_hint(self) -> None:
        others = HEAD_HEIGHT + self.followed.room() + self.progress.room() + self.suggested.room()
        room = self.height() - others - HINT_HEIGHT - S1 - S3
        fits = bool(self._rows) and len(self._rows or ()) <= FEW and self.view.content_height() <= room
        self.hint.setVisible(fits)
        self._foot.setContentsMargins(S3, S1 if fits else 0, S3, S3 if fits else 0)

    def _pin(self, chosen: Rows) -> None:
        wanted = not all(row.pinned for row in chosen)
        self._send(self._chat and steps.pin(self._chat, keys(chosen), wanted))

    def _detach(self, chosen: Rows) -> None:
        gone = tuple(row for row in chosen if row.detached)
        self._send(self._chat and steps.detach(self._chat, keys(chosen)))
        self._send(self._chat and gone and self._removing(self._chat, gone))

    def _removing(self, chat: ChatState, gone: Rows) -> steps.Step | None:
        what = gone[0].name if len(gone) == 1 else tr("{n} attachments").format(n=len(gone))
        return steps.purge(chat, keys(gone), what)

    def _set_priority(self, chosen: Rows, priority: int) -> None:
        self._send(self._chat and steps.set_priority(self._chat, keys(chosen), priority))

    def _accept(self, chosen: Rows) -> None:
        self._send(self._accepting(chosen))

    def _accepting(self, chosen: Rows) -> steps.Step | None:
        chat, wanted = self._chat, keys(chosen)
        if chat is None or chat.relevance is None:
            return None
        return accepted(chat, (one for one in chat.relevance.suggestions if one.key in wanted))

    def _fit_question(self, chosen: Rows, wanted: bool) -> None:
        self._send(self._chat and fit_question(self._chat, keys(chosen), wanted))

    def _ask_model(self) -> None:
        if self._chat is not None:
            self.wishes.send(OfferPriorities(self._chat.chat.id))

    def _shorten(self, chosen: Rows, most_tokens: int) -> None:
        self._send(self._chat and steps.shorten(self._chat, keys(chosen), most_tokens))

    def _send_whole(self, chosen: Rows) -> None:
        self._send(self._chat and steps.send_whole(self._chat, keys(chosen)))

    def _choose_length(self, chosen: Rows) -> None:
        asked = QInputDialog(self)
        asked.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        asked.setWindowTitle(tr("Shorten to"))
        asked.setLabelText(tr("Maximum tokens to send:"))
        asked.setInputMode(QInputDialog.InputMode.IntInput)
        asked.setIntRange(LEAST_TOKENS, 10_000_000)
        asked.setIntValue(max((row.most_tokens or row.tokens // 2 for row in chosen), default=LEAST_TOKENS))
        asked.intValueSelected.connect(lambda tokens: self._shorten(chosen, tokens))
        asked.open()

    def _nudge(self, chosen: Rows, by: int) -> None:
        self._send(self._chat and steps.nudge_priority(self._chat, keys(chosen), by))

    def _refresh(self, chosen: Rows) -> None:
        files = tuple(row for row in chosen if can_refresh(row))
        self._send(self._chat and files and steps.refresh(self._chat, keys(files)))

    def _freeze(self, chosen: Rows) -> None:
        renewed = keys(tuple(row for row in chosen if is_renewed(row)))
        changed = tuple(key for key in keys(chosen) if key not in renewed)
        self._send(self._chat and renewed and steps.keep_earlier(self._chat, renewed))
        if self._chat is not None and changed:
            self.wishes.send(FreezeArtifacts(self._chat.chat.id, changed))

    def _look(self, chosen: Rows, act: str, at: QRect | None) -> None:
        made = self._offer_of(chosen, act) if chosen else None
        self.wishes.offer(None if made is None or at is None else replace(made, at=at))

    def _offer_of(self, chosen: Rows, act: str | int) -> Offer | None:
        chat = self._chat
        if chat is None:
            return None
        if isinstance(act, int):
            step = steps.set_priority(chat, keys(chosen), act)
            line, key, icon = tr("Higher numbers are dropped first."), "", "sliders"
        elif act.startswith(SHORTEN):
            step = steps.shorten(chat, keys(chosen), int(act.removeprefix(SHORTEN)))
            line, key, icon = tr("Only its key parts are sent."), "", "compact"
        elif act == WHOLE:
            step = steps.send_whole(chat, keys(chosen))
            line, key, icon = tr("It fits; the cache holds the short copy."), "", "file"
        elif act == "pill":
            step = self._accepting(chosen)
            line, key, icon = tr("Suggested for your question."), tr("Enter"), "bulb"
        elif act == "fit":
            step = fit_question(chat, keys(chosen), not all(row.by_relevance for row in chosen))
            line, key, icon = tr("Its outline, and what fits the question."), "", "filter"
        elif act == "pin":
            step = steps.pin(chat, keys(chosen), not all(row.pinned for row in chosen))
            line, key, icon = tr("Pinned, it is sent in every turn."), tr("Space"), "pin"
        elif all(row.detached for row in chosen):
            step = self._removing(chat, chosen)
            line, key, icon = tr("Rebuilds the request without it."), tr("Del"), "trash"
        else:
            step = steps.detach(chat, keys(chosen))
            stays = steps.stays_in_log(chat, keys(chosen))
            line = tr("Stays in the request until the next rebuild.") if stays else tr("Not sent any more.")
            if step is not None and steps.purges(step):
                line = tr("It contains a key or a password, so it’s removed at once.")
            key, icon = tr("Del"), "x"
        return None if step is None else Offer(step.title, step.do, line, key, icon)

    def _send(self, step: object) -> None:
        if isinstance(step, steps.Step):
            self.wishes.do(step)

    def _open_menu(self, chosen: Rows, place: QPoint) -> None:
        row_menu(self, chosen, self._menu_actions()).popup(place)

    def menu_of(self, key: str, parent: QWidget) -> QMenu | None:
        """The menu of an attachment, to be opened from the request's table; None where there is no such attachment."""
        row = next((row for row in self._attached or () if row.key == key), None)
        made = None if row is None else row_menu(parent, (row,), self._menu_actions())
        for action in () if made is None else made.actions():
            words, _, hint = action.text().partition("\t")
            if hint in _ELSEWHERE and not callable(action.data()):
                action.setText(words)
        return made

    def _more(self, made: QMenu, row: AttachmentRow) -> None:
        if self.add_entries is not None:
            self.add_entries(made, row.key)

    def _menu_actions(self) -> RowActions:
        ask = self._ask_model if self._chat is not None and self._chat.relevance is not None else None
        return replace(self._actions, ask_model=ask, more=self._more)

    def _open_priorities(self, chosen: Rows, place: QPoint) -> None:
        priority_menu(self, chosen, self._actions).popup(place)

    def preview(self) -> Preview | None:
        return self._preview

    def open_preview(self, key: str, words: Sequence[str] = ()) -> bool:
        """Show the attachment of that key with words in it marked; False where there is none."""
        row = next((row for row in self._attached or () if row.key == key), None)
        if row is not None:
            self._show(row)
        if row is not None and words and self._preview is not None:
            self._preview.show_words(words)
        return row is not None

    def _show(self, row: AttachmentRow) -> None:
        self._preview = Preview(row, self, self.wishes)
        if self._chat is not None:
            self._preview.show_chat(self._chat)
        self._preview.refresh_wanted.connect(self._refresh)
        self._preview.freeze_wanted.connect(self._freeze)
        self._preview.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._preview.finished.connect(self._on_preview_gone)
        self._preview.open()

    def _on_preview_gone(self) -> None:
        self._preview = None

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Files are welcome; anything else is left to the window."""
        self._set_dropping(self._chat is not None and bool(paths_of(event.mimeData())))
        if self._dropping:
            take_copy(event)
        else:
            event.ignore()

    def dragLeaveEvent(self, _event: QDragLeaveEvent) -> None:
        self._set_dropping(False)

    def dropEvent(self, event: QDropEvent) -> None:
        self._set_dropping(False)
        paths = paths_of(event.mimeData())
        if self._chat is None or not paths:
            event.ignore()
            return
        take_copy(event)
        self.wishes.send(AttachFiles(self._chat.chat.id, paths))

    def _set_dropping(self, dropping: bool) -> None:
        self._dropping = dropping
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._dropping:
            box = QRectF(self.rect()).adjusted(S1, S1, -S1, -S1)
            stroke_rounded(QPainter(self), box, theme_of(self).accent, 8, 2)


def keys(chosen: Rows) -> tuple[str, ...]:
    """The keys of rows."""
    return tuple(row.key for row in chosen)


def paths_of(mime: QMimeData) -> tuple[str, ...]:
    """The files and folders that are being dragged."""
    return tuple(url.toLocalFile() for url in mime.urls() if url.isLocalFile())
