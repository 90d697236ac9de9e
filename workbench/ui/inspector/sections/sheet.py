"""The section sheet: takes the inspector's pages' place while somebody chooses parts of an attached file."""

from __future__ import annotations

import re

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QContextMenuEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QSyntaxHighlighter,
    QTextCharFormat,
    QTextOption,
)
from PySide6.QtWidgets import QSplitter, QStackedWidget, QWidget

from workbench.domain.files.document import Document, Section
from workbench.domain.files.document_parts import find_section, part_text
from workbench.domain.shown.attachment_view import AttachmentRow
from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.domain.shown.parts_view import PartsView, Picked, fewest, ticked, toggled
from workbench.engine.attaching_intents import ShowParts
from workbench.engine.intents import AttachText
from workbench.engine.state import ChatState
from workbench.ui import formatting, steps
from workbench.ui.inspector.sections.outline import OutlineView
from workbench.ui.look.fonts import font
from workbench.ui.look.space import S1, S2, S3, S4, STRETCH, columns, fill, rows
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.reading_words import (
    extent_words,
    picked_words,
    read_as_words,
    selection_title,
    typed_anchor,
)
from workbench.ui.translation import in_language, listed, tr
from workbench.ui.widgets.badge import Badge
from workbench.ui.widgets.buttons import button, on_click, tool_button
from workbench.ui.widgets.card import Hairline, Panel
from workbench.ui.widgets.choice import Field
from workbench.ui.widgets.code_view import CodeView
from workbench.ui.widgets.guided import tell_figure
from workbench.ui.widgets.labels import ElidedLabel, IconSpot, SumFigure, label, set_text, set_token
from workbench.ui.widgets.motion import single_shot
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.widgets.stack import EmptyState
from workbench.ui.wishes import ShowAttachment, Wishes

# The head and the foot of the section sheet: what the file is, and what choosing comes to.


HEAD_HEIGHT, FOOT = 44, 58
NARROW_SHEET = 560
_COUNTED = ("sent", "compacted", "reference", "stale")


class SheetHead(Panel):
    """Name, length and kind of the file, and when it was read; an accent line above it."""

    line_below = True

    def __init__(self) -> None:
        super().__init__()
        self.setFixedHeight(HEAD_HEIGHT)
        self.icon = IconSpot("file", box=QSize(16, 18))
        self.name = ElidedLabel("", "ui_heading")
        self.extent = label("", "small", "t2")
        self.kind = Badge()
        self.read = label("", "small", "t2")
        self.preview = tool_button("external", tr("Open the preview"), tr("Open the preview"))
        self.close_button = tool_button("x", tr("Close the sections"), tr("Close (Esc)"))
        across = fill(columns(self, (S4, 2, S2, 0), S2), self.icon, self.name, self.extent, self.kind)
        fill(across, STRETCH, self.read, self.preview, self.close_button)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        QPainter(self).fillRect(0, 0, self.width(), 2, colour("accent", theme_of(self)))

    def show_view(self, view: PartsView) -> None:
        self.name.setText(shown(view.name))
        self.name.setMaximumWidth(self.name.fontMetrics().horizontalAdvance(shown(view.name)) + 4)
        known = not view.reading and not view.problem
        tokens = "…" if view.tokens is None else formatting.tokens(view.tokens)
        about = "" if view.exact or view.tokens is None else "≈ "
        words = tr("{extent} · {tokens} tokens").format(
            extent=extent_words(view.read_as, view.text), tokens=about + tokens
        )
        set_text(self.extent, words if known else "")
        self.kind.show_words("ok", "check", read_as_words(view.read_as)) if known else self.kind.show_words(
            "neutral", "", ""
        )
        self.kind.setToolTip(tip("\n".join(map(in_language, view.read_as.left_out))))
        at = formatting.clock(view.read_utc)
        set_text(self.read, tr("read {time}").format(time=at) if at else "")


class SheetFoot(Panel):
    """What is chosen, the room before and after, and what that does to the cache."""

    line_above = True

    def __init__(self) -> None:
        super().__init__()
        self.setFixedHeight(FOOT)
        self.chosen, self.before = SumFigure(first=True), SumFigure()
        self.after, self.cache = SumFigure(), SumFigure()
        self.remove = button(tr("Remove"), "ghost", "trash")
        self.done = button(tr("Done"), "primary", shortcut_hint=tr("Esc"))
        self._had: int | None = None
        for figure, told in (
            (self.chosen, tr("What is sent of the chosen parts, and what they are in full.")),
            (self.before, tr("What is free in the request without this file.")),
            (self.after, tr("What is free in the request with the chosen parts.")),
            (
                self.cache,
                tr("Cached tokens that the chosen parts have read again, and where trimming begins."),
            ),
        ):
            tell_figure(figure, told, "attachments")
        across = columns(self, (S4, 8, S3, 8), 0)
        fill(across, self.chosen, self.before, self.after, self.cache, STRETCH, self.remove, S2, self.done)

    def begin(self) -> None:
        """Another file: what the cache holds from here on is what it may lose."""
        self._had = None

    def show_sums(
        self, view: PartsView, rows: tuple[AttachmentRow, ...], request: EnvelopeView | None
    ) -> None:
        """Show what is attached of the file; `rows` are its attachments."""
        tokens = sum(row.tokens for row in rows)
        amount = (
            picked_words(view.picked, view.read_as.pages, tuple(row.part for row in view.rows))
            if view.whole or view.chosen
            else tr("nothing")
        )
        about = "" if request is None or request.exact else "≈ "
        whole = sum(row.full_tokens or row.tokens for row in rows)
        words = tr("chosen, {amount}") if whole == tokens else tr("sent; chosen: {amount}")
        self.chosen.show_figure(about + formatting.tokens_of(tokens, whole), words.format(amount=amount))
        self.remove.setEnabled(bool(rows))
        if request is None:
            for figure, unit in ((self.before, tr("free before")), (self.after, tr("free after"))):
                figure.show_figure("—", unit)
            self.cache.show_figure("—", tr("being counted"))
            return
        free = request.limit_tokens - request.total_tokens
        sent = sum(row.tokens for row in rows if row.state in _COUNTED)
        self.before.show_figure(about + formatting.tokens(max(0, free + sent)), tr("free before"))
        self.after.show_figure(
            about + formatting.tokens(max(0, free)), tr("free after"), "err" if free < 0 else "t1"
        )
        self._show_cache(request)

    def _show_cache(self, request: EnvelopeView) -> None:
        self._had = request.cached_tokens if self._had is None else self._had
        lost = max(0, (self._had or 0) - (request.cached_tokens or 0))
        line = self._room_words(request)
        if request.over_tokens:
            over = tr("over by {n}").format(n=formatting.tokens(request.over_tokens))
            self.cache.show_figure(over, line, "err", "warn")
        elif request.cached_tokens is None:
            self.cache.show_figure(tr("cache unknown"), line, "t2", "info")
        elif lost:
            words = tr("re-reads {n}").format(n=formatting.tokens(lost))
            self.cache.show_figure(words, line, "warn", "warn")
        else:
            self.cache.show_figure(tr("cache kept"), line, "ok", "check")

    def _room_words(self, request: EnvelopeView) -> str:
        limit = request.threshold_tokens
        if limit is None:
            return tr("limit {limit}").format(limit=formatting.tokens(request.limit_tokens))
        room = limit - request.total_tokens
        words = tr("{n} under trim at {limit}") if room >= 0 else tr("{n} past trim at {limit}")
        return words.format(n=formatting.tokens(abs(room)), limit=formatting.tokens(limit))

    def set_narrow(self, narrow: bool) -> None:
        """Where there is little room, what was free before is left out."""
        self.before.setVisible(not narrow)


# The text of one part, exactly as the model gets it, with a way to the next and the one before.


HEAD = 28
_MARK = re.compile(r"--- .{0,300} ---|\[[^\[\]]{0,400}\]")
_TITLE = re.compile(r"#{1,6} \S.*")


class PartText(CodeView):
    """The text of a part; what is selected in it can be attached."""

    selection_wanted = Signal()

    def __init__(self) -> None:
        super().__init__(wrap=True)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setObjectName("code")
        self.setAccessibleName(tr("Text of the section"))
        self._marks = _Marks(self)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        made = self.createStandardContextMenu()
        made.addSeparator()
        attach = QAction(tr("Attach selection"), made)
        attach.setEnabled(self.textCursor().hasSelection())
        attach.triggered.connect(self.selection_wanted)
        made.addAction(attach)
        made.popup(event.globalPos())


class _Marks(QSyntaxHighlighter):
    """Page marks and what is left out in grey, headings bold: they are part of the text, not of what it says."""

    def __init__(self, view: PartText) -> None:
        super().__init__(view.document())
        self._view = view

    def highlightBlock(self, text: str) -> None:
        look = QTextCharFormat()
        if _MARK.fullmatch(text):
            look.setForeground(colour("t3", theme_of(self._view)))
        elif _TITLE.fullmatch(text):
            look.setFontWeight(600)
        else:
            return
        self.setFormat(0, len(text), look)


class PageText(QWidget):
    """A head with the page, the text, and a line about it.

    Signals:
        stepped: to the next page or the one before.
    """

    stepped = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.back = tool_button("chevron-left", tr("Previous page"), side=22)
        self.on = tool_button("chevron-right", tr("Next page"), side=22)
        self.where = label("", "small", "t2")
        self.text = PartText()
        self.note = ElidedLabel("", "small", "t3")
        head = QWidget()
        head.setFixedHeight(HEAD)
        across = columns(head, (S3, 0, S2, 0), S1)
        across.addWidget(label(tr("As the model gets it"), "ui_label", "t1"), 1)
        across.addWidget(self.back)
        across.addWidget(self.where)
        across.addWidget(self.on)
        rule = Hairline()
        foot = QWidget()
        foot.setFixedHeight(HEAD)
        columns(foot, (S3, 0, S3, 0)).addWidget(self.note, 1)
        body = QWidget()
        body.setObjectName("code")
        rows(body, (S3, S2, S1, 0)).addWidget(self.text)
        fill(rows(self), head, rule, (body, 1), foot)
        self.text.setFont(font("code"))
        self.back.clicked.connect(lambda: self.stepped.emit(-1))
        self.on.clicked.connect(lambda: self.stepped.emit(1))

    def show_text(self, text: str, where: str, note: str, ends: tuple[bool, bool]) -> None:
        """Show a part; `ends` says whether there is something before it, and after it."""
        if text != self.text.toPlainText():
            self.text.setPlainText(text)
        set_text(self.where, where)
        set_text(self.note, note)
        self.back.setEnabled(ends[0])
        self.on.setEnabled(ends[1])


OUTLINE, NARROW = 434, 620
LONG = 12
"""From so many parts on there is a filter."""
PATIENCE_MS = 4_000
"""So long what was ticked is shown as ticked before the engine says so."""


class SectionSheet(QWidget):
    """An attached file, to be attached whole or in part; every tick acts at once, and can be undone."""

    def __init__(self, wishes: Wishes | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.wishes = wishes or Wishes(self)
        self._chat: ChatState | None = None
        self._view: PartsView | None = None
        self._document = Document("")
        self._sent: list[Picked] = []
        self._seen = Picked(())
        self._wants_focus = False
        self.head, self.foot = SheetHead(), SheetFoot()
        self.outline, self.page = OutlineView(), PageText()
        self.filter = Field(tr("Filter sections"), "search")
        self.typed = Field(tr("Other lines: from-to"))
        self.add = on_click(button(tr("Attach"), size="small"), self._add_typed)
        self.problem = ElidedLabel("", "small", "t3")
        self.empty = EmptyState("file", "", "", "")
        self._patience = single_shot(self, None, PATIENCE_MS)
        self.setObjectName("surface")
        self.setAccessibleName(tr("Sections of an attached file"))
        self._arrange()
        self._connect()

    def _arrange(self) -> None:
        self._left = QStackedWidget()
        self._left.addWidget(self.outline)
        self._left.addWidget(self.empty)
        column = QWidget()
        column.setObjectName("surface")
        column.setMinimumWidth(300)
        down = rows(column)
        self._filter_row = QWidget()
        columns(self._filter_row, (S3, S2, S3, S1)).addWidget(self.filter)
        fill(down, self._filter_row, (self._left, 1))
        self._typed_row = QWidget()
        fill(columns(self._typed_row, (S3, S1, S3, S2), S2), self.typed, self.add)
        down.addWidget(self._typed_row)
        under = QWidget()
        columns(under, (S3, 0, S3, S1)).addWidget(self.problem, 1)
        self._problem_row = under
        down.addWidget(under)
        under.hide()
        self.split = QSplitter(Qt.Orientation.Horizontal)
        self.split.setHandleWidth(1)
        self.split.setChildrenCollapsible(False)
        self.split.addWidget(column)
        self.split.addWidget(self.page)
        self.split.setStretchFactor(1, 1)
        self.split.setSizes([OUTLINE, 320])
        fill(rows(self), self.head, (self.split, 1), self.foot)

    def _connect(self) -> None:
        self.head.close_button.clicked.connect(self.close_sheet)
        self.foot.done.clicked.connect(self.close_sheet)
        self.foot.remove.clicked.connect(self._remove)
        self.head.preview.clicked.connect(self._open_preview)
        self.outline.ticked.connect(self._tick)
        self.outline.only.connect(self._only)
        self.outline.looked_at.connect(self._show_text)
        self.outline.filter_wanted.connect(self._go_to_filter)
        self.filter.textChanged.connect(self.outline.parts.filter)
        self.filter.returnPressed.connect(self.outline.setFocus)
        self.typed.returnPressed.connect(self._add_typed)
        self.page.stepped.connect(self._step)
        self.page.text.selection_wanted.connect(self._attach_selection)
        self._patience.timeout.connect(self._give_up)

    # --- what is shown ------------------------------------------------------------------------------------

    def show_chat(self, chat: ChatState | None) -> None:
        before, self._chat = self._view, chat
        view = self._view = None if chat is None else chat.parts
        if view is None:
            self._sent.clear()
            return
        if before is None or before.file != view.file or before.reading:
            self._begin(view)
        if before is None or view.text is not before.text or len(view.rows) != len(before.rows):
            self._document = view.document
        if before is not view:
            self._show_view(view)
        request = self._chat.view if self._chat is not None else None
        self.foot.show_sums(view, self._ours(), request)

    def entry(self) -> QWidget:
        return self.outline if self.outline.isVisibleTo(self) else self.typed

    def take_focus(self) -> None:
        self._wants_focus = True

    def close_sheet(self) -> None:
        """Choose no more; what is chosen stays."""
        if self._chat is not None:
            self.wishes.send(ShowParts(self._chat.chat.id))

    def _begin(self, view: PartsView) -> None:
        self._sent.clear()
        self.foot.begin()
        self.filter.clear()
        self.typed.clear()
        self._complain("")

    def _show_view(self, view: PartsView) -> None:
        self.head.show_view(view)
        self._follow(view)
        fresh = tuple(row.part for row in view.rows) != self.outline.parts.outline.parts
        self.outline.parts.show_rows(view.rows, self._ticks(), self._touched())
        self.outline.parts.set_exact(view.exact or view.tokens is None)
        self._filter_row.setVisible(len(view.rows) > LONG)
        self._typed_row.setVisible(not view.reading and not view.problem)
        other = tr("Other pages: from-to") if self._document.pages else tr("Other lines: from-to")
        self.typed.setPlaceholderText(other)
        self.typed.setAccessibleName(other)
        self._say_empty(view)
        if fresh and view.rows:
            self.outline.go_to(self._first_place())
        self._show_text(self.outline.place())
        if self._wants_focus and not view.reading:
            self._wants_focus = False
            self.entry().setFocus(Qt.FocusReason.OtherFocusReason)

    def _say_empty(self, view: PartsView) -> None:
        self._left.setCurrentIndex(0 if view.rows else 1)
        if view.reading:
            self.empty.say(tr("Reading…"), tr("Its parts are listed here in a moment."))
        elif view.problem:
            self.empty.say(tr("It has no parts to choose from"), view.problem)
        elif not view.rows:
            line = tr("It is short and has no headings or pages. Type the lines that you want below.")
            self.empty.say(tr("Nothing to choose from"), line)

    def _first_place(self) -> int:
        """The first part that is attached by itself, else the first one."""
        rows_shown = self._view.rows if self._view is not None else ()
        return next((place for place, row in enumerate(rows_shown) if row.chosen), 0)

    def _show_text(self, place: int) -> None:
        view, outline = self._view, self.outline.parts.outline
        if view is None:
            return
        if not 0 <= place < len(outline.parts):
            self.page.show_text(view.text, "", self._notes(view), (False, False))
            return
        part, stops = outline.parts[place], self._stops()
        text = part_text(self._document, part)
        at = self._stop_of(place, stops)
        self.page.show_text(
            text, self._where(part, at, len(stops)), self._note_of(place), (at > 0, at + 1 < len(stops))
        )

    def _where(self, part: Section, at: int, count: int) -> str:
        pages = self._view.read_as.pages if self._view is not None else 0
        if pages and part.first_page:
            span = (
                f"{part.first_page}"
                if part.first_page == part.last_page
                else f"{part.first_page}–{part.last_page}"
            )
            return tr("p. {n} of {all}").format(n=span, all=formatting.tokens(pages))
        return tr("{n} of {all}").format(n=formatting.tokens(at + 1), all=formatting.tokens(count))

    def _note_of(self, place: int) -> str:
        tokens = self.outline.parts.tokens(place)
        words = tr("being counted") if tokens is None else formatting.token_words(tokens)
        notes = self._notes(self._view) if self._view is not None else ""
        return listed(filter(None, (words, notes)))

    def _notes(self, view: PartsView) -> str:
        return listed(view.read_as.left_out)

    def _stops(self) -> list[int]:
        """Where the arrows go: from page to page, where there are pages, else from part to part."""
        parts = self.outline.parts.outline.parts
        pages = [place for place, part in enumerate(parts) if part.anchor == f"p{part.first_page}"]
        return pages or list(range(len(parts)))

    def _stop_of(self, place: int, stops: list[int]) -> int:
        parts = self.outline.parts.outline.parts
        if place in stops:
            return stops.index(place)
        first = parts[place].first_page
        return next((at for at, stop in enumerate(stops) if parts[stop].first_page >= first), 0)

    def _step(self, by: int) -> None:
        stops = self._stops()
        at = self._stop_of(self.outline.place(), stops) + by
        if 0 <= at < len(stops):
            self.filter.clear()
            self.outline.go_to(stops[at])

    # --- what is chosen -----------------------------------------------------------------------------------

    def _follow(self, view: PartsView) -> None:
        """What was ticked is shown until the engine has done it; what somebody else did counts at once."""
        now = view.picked
        if now in self._sent:
            del self._sent[: self._sent.index(now) + 1]
        elif now != self._seen:
            self._sent.clear()
        self._seen = now

    def _picked(self) -> Picked:
        return self._sent[-1] if self._sent else self._seen

    def _ticks(self) -> frozenset[int]:
        outline = self.outline.parts.outline
        if self._view is not None and tuple(row.part for row in self._view.rows) != outline.parts:
            outline = type(outline).of(tuple(row.part for row in self._view.rows))
        return ticked(outline, self._picked(), self._find)

    def _touched(self) -> frozenset[int]:
        """Parts of which some lines are attached that somebody typed."""
        rows_shown = self._view.rows if self._view is not None else ()
        others = self._others()
        return frozenset(
            place
            for place, row in enumerate(rows_shown)
            if any(part.start < row.part.end and row.part.start < part.end for part in others)
        )

    def _others(self) -> list[Section]:
        listed = {row.part.anchor for row in self._view.rows} if self._view is not None else set()
        found = (self._find(anchor) for anchor in self._picked().anchors if anchor not in listed)
        return [part for part in found if part is not None]

    def _find(self, anchor: str) -> Section | None:
        return find_section(self._document, anchor)

    def _tick(self, place: int) -> None:
        outline = self.outline.parts.outline
        self._choose(fewest(outline, toggled(outline, self._ticks(), place), self._others()))

    def _only(self, place: int) -> None:
        outline = self.outline.parts.outline
        self._choose(fewest(outline, outline.leaves(place)))

    def _add_typed(self) -> None:
        anchor = typed_anchor(self.typed.text(), pages=bool(self._document.pages))
        part = self._find(anchor) if anchor else None
        if part is None:
            self._complain(tr("No such part. Type lines such as 120-180, or pages such as p3-5."))
            return
        self._complain("")
        self.typed.clear()
        outline = self.outline.parts.outline
        ticks = frozenset[int]() if self._picked().whole else self._ticks()
        others = [] if self._picked().whole else self._others()
        listed = next((at for at, one in enumerate(outline.parts) if one.anchor == part.anchor), None)
        inside = outline.leaves(listed) if listed is not None else ticked(
            outline, Picked((part.anchor,)), self._find
        )  # fmt: skip
        self._choose(fewest(outline, ticks | inside, [*others, part]))

    def _choose(self, picked: Picked) -> None:
        chat, view = self._chat, self._view
        if chat is None or view is None or picked == self._picked():
            return
        step = steps.choose_parts(chat, view, picked, self._picked())
        self._sent.append(picked)
        self._patience.start()
        self.outline.parts.show_rows(view.rows, self._ticks(), self._touched())
        self.wishes.do(step)

    def _give_up(self) -> None:
        """It was refused, or something else was done: what the engine says is so."""
        if self._sent and self._view is not None:
            self._sent.clear()
            self.outline.parts.show_rows(self._view.rows, self._ticks(), self._touched())

    def _remove(self) -> None:
        if self._chat is not None:
            self.wishes.do(steps.detach(self._chat, tuple(row.key for row in self._ours())))

    def _ours(self) -> tuple[AttachmentRow, ...]:
        chat, view = self._chat, self._view
        if chat is None or view is None:
            return ()
        start = f"{view.file}#"
        return tuple(row for row in chat.attachments if row.key == view.file or row.key.startswith(start))

    # --- the rest -----------------------------------------------------------------------------------------

    def _attach_selection(self) -> None:
        chat, view = self._chat, self._view
        text, before = self.page.text.selected()
        if chat is None or view is None or not text.strip():
            return
        part = self.outline.parts.part(self.outline.place()) if self.outline.place() >= 0 else None
        start = part.start if part is not None else 0
        first = view.text.count("\n", 0, start) + before + 1
        title = selection_title(view.name, first, text)
        if part is not None and "!" in part.anchor:
            title = selection_title(f"{view.name}#{part.anchor}", 0, text)
        self.wishes.send(AttachText(chat.chat.id, text, title, "selection"))

    def _open_preview(self) -> None:
        if ours := self._ours():
            self.wishes.run(ShowAttachment(ours[0].key))

    def _go_to_filter(self) -> None:
        if self._filter_row.isVisible():
            self.filter.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _complain(self, words: str) -> None:
        set_text(self.problem, words)
        set_token(self.problem, "err")
        self._problem_row.setVisible(bool(words))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_sheet()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        narrow = self.width() < NARROW
        self.split.setOrientation(Qt.Orientation.Vertical if narrow else Qt.Orientation.Horizontal)
        self.foot.set_narrow(self.width() < NARROW)
