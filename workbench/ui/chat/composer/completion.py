"""The list over the composer while a name is typed behind an @: it is chosen from without leaving the text."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QEvent, QObject, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QTextCursor,
)
from PySide6.QtWidgets import QFrame, QListView, QWidget

from workbench.domain.shown.completion_view import (
    CompletionView,
    Offer,
    TypedName,
    Verdict,
    typed_name,
    verdict_on,
)
from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.engine.attaching_intents import AttachNamed, Complete
from workbench.engine.state import ChatState
from workbench.ui import formatting
from workbench.ui.chat.composer.text import ComposerText
from workbench.ui.look.fonts import font, metrics
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import (
    after,
    elided,
    figure_width,
    fill_rounded,
    paint_elided,
    paint_figure,
    paint_shadow,
    placed,
    set_text_style,
    stroke_rounded,
)
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.translation import tr
from workbench.ui.widgets.floating import MARGIN
from workbench.ui.widgets.items.item_model import ITEM, ItemModel
from workbench.ui.widgets.items.views import NOWHERE, Index, ItemOption, RowDelegate, paint_rule
from workbench.ui.widgets.labels import ElidedLabel, KeyCap, label
from workbench.ui.widgets.plain import shown, utf16_units
from workbench.ui.wishes import Wishes

# The rows of what is offered behind an @: what each says, as a list model, and how it is painted.


ROW = 30
PADDING, ICON, ROW_GAP = 12, 16, 10
LEAST_NAME = 120
_TOKENS = 58
_COLUMN, _LEAST_WHERE = 0.42, 40
_ICONS = {
    "command": "chevron-right",
    "part": "hash",
    "chat": "chat",
    "file": "file",
    "whole": "file",
    "prompt": "book",
}
_KINDS = {"image": "image", "url": "globe", "clipboard": "copy", "note": "chat", "folder": "folder"}
_TONES = {
    "attached": ("ok", "check"),
    "past_trim": ("warn", "warn"),
    "over": ("err", "warn"),
    "problem": ("err", "file-x"),
}


class OfferWords(NamedTuple):
    """What a row says, from where reading begins to its end."""

    name: str
    where: str
    verdict: str
    tokens: str


def offer_words(offer: Offer, verdict: Verdict) -> OfferWords:
    """An offer in words; foreign names with what is hidden in them written out."""
    name = tr("whole file") if offer.kind == "whole" else shown(offer.name)
    return OfferWords(name, where_words(offer), verdict_words(offer, verdict), token_words(offer))


def where_words(offer: Offer) -> str:
    """Where it is: pages, lines, a folder; of a command, what it does."""
    if offer.kind == "command":
        does = {
            "@read": tr("a file"),
            "@search": tr("words in all files"),
            "@ls": tr("what is in a folder"),
        }
        return does.get(offer.name, "")
    if offer.kind == "chat":
        return tr("chat")
    first, last = offer.pages
    if offer.kind == "whole" and last:
        return tr("{n} pages").format(n=formatting.tokens(last)) if last > 1 else tr("1 page")
    if first:
        return tr("p. {n}").format(n=first) if first == last else tr("p. {a}–{b}").format(a=first, b=last)
    top, end = offer.lines
    if offer.kind == "whole" and end:
        return tr("{n} lines").format(n=formatting.tokens(end)) if end > 1 else tr("1 line")
    if top:
        return tr("line {n}").format(n=top) if top == end else tr("lines {a}–{b}").format(a=top, b=end)
    return shown(offer.where)


def verdict_words(offer: Offer, verdict: Verdict) -> str:
    """What taking it would mean; nothing where it fits."""
    figure = formatting.tokens(verdict.tokens)
    match verdict.code:
        case "problem":
            return shown(offer.problem)
        case "attached":
            return tr("chosen") if offer.kind in ("part", "whole") else tr("attached")
        case "past_trim":
            words = tr("rest is {n} past trim") if verdict.rest else tr("{n} past trim")
            return words.format(n=figure)
        case "over":
            words = tr("rest is over by {n}") if verdict.rest else tr("over by {n}")
            return words.format(n=figure)
        case _:
            return ""


def token_words(offer: Offer) -> str:
    """What it costs: a figure, about so much, or not counted yet."""
    if offer.kind in ("command", "prompt") or offer.problem:
        return ""
    if offer.tokens is None:
        return "…"
    figure = formatting.tokens(offer.tokens)
    return formatting.about(figure, not offer.estimated)


class OfferModel(ItemModel[Offer]):
    """What is offered now, and the request that it is held against."""

    def __init__(self) -> None:
        super().__init__()
        self.view: EnvelopeView | None = None

    def show_offers(self, offers: tuple[Offer, ...], view: EnvelopeView | None) -> bool:
        """Show these; return whether they are others, and not the same with more figures."""
        same = [offer.text for offer in offers] == [offer.text for offer in self.items]
        self.view = view
        if not same:
            self.reset_items(offers)
        elif offers:
            self.show_items(offers)
            self.tell_rows(NOWHERE, range(len(offers)))
        return not same

    def words_of(self, offer: Offer) -> OfferWords:
        return offer_words(offer, verdict_on(offer, self.view))

    def text_of(self, offer: Offer, _column: int = 0) -> str:
        return self.words_of(offer).name

    def spoken_of(self, offer: Offer, _column: int = 0) -> str:
        words = self.words_of(offer)
        tokens = tr("{n} tokens").format(n=words.tokens) if words.tokens.strip("…") else ""
        return ", ".join(word for word in (words.name, words.where, words.verdict, tokens) if word)


class OfferDelegate(RowDelegate):
    """Paints an icon, the name with its typed letters marked, where it is, the verdict, and the tokens."""

    height = ROW

    def paint_row(self, painter: QPainter, row: ItemOption, index: Index) -> None:
        model, offer = index.model(), index.data(ITEM)
        assert isinstance(model, OfferModel)
        words, box, theme = model.words_of(offer), row.box, theme_of()
        if row.selected:
            painter.fillRect(box, colour("sel", theme))
        if offer.kind == "whole":
            paint_rule(painter, box, top=True)
        icon = _KINDS.get(offer.artifact) or _ICONS.get(offer.kind, "file")
        if offer.kind in ("command", "part", "prompt"):
            icon = _ICONS[offer.kind]
        paint_icon(painter, placed(box, PADDING, ICON), icon)
        trail = _paint_tokens(painter, box, words.tokens)
        trail += _paint_verdict(painter, box, trail, (words.verdict, model.view, offer))
        lead = PADDING + ICON + ROW_GAP
        # Where things are stands in one column, whatever else the rows say.
        column = max(lead + LEAST_NAME, _COLUMN * box.width())
        where = max(0.0, box.width() - trail - column) if words.where else 0.0
        name = after(box, lead, trail + where if where > _LEAST_WHERE else trail)
        _paint_name(
            painter,
            name.adjusted(0, 0, -ROW_GAP, 0),
            (words.name, _marks(offer, words.name), row.selected),
        )
        if where > _LEAST_WHERE:
            set_text_style(painter, font("small"), colour("t3", theme))
            end = after(box, column, trail).adjusted(0, 0, -ROW_GAP, 0)
            paint_elided(painter, end, words.where, Qt.TextElideMode.ElideMiddle)


def _marks(offer: Offer, name: str) -> frozenset[int]:
    return frozenset(offer.marks) if name == offer.name else frozenset()


def _paint_tokens(painter: QPainter, box: QRectF, tokens: str) -> float:
    """The figure at the end of the row; how much room it took."""
    set_text_style(painter, font("ui"), colour("t1" if tokens.strip("…") else "t3", theme_of()))
    width = max(_TOKENS, figure_width(font("ui"), tokens))
    spot = placed(box, box.width() - PADDING - width, width)
    paint_figure(painter, spot, tokens)
    return PADDING + width


def _paint_verdict(
    painter: QPainter, box: QRectF, trail: float, about: tuple[str, EnvelopeView | None, Offer]
) -> float:
    """The verdict before the figure; how much room it took."""
    words, view, offer = about
    if not words:
        return ROW_GAP
    tone, icon = _TONES[verdict_on(offer, view).code]
    most = max(0.0, box.width() - trail - LEAST_NAME - PADDING - ICON - 2 * ROW_GAP)
    painter.setFont(font("small"))
    said = elided(font("small"), words, max(0.0, most - 18))
    width = metrics("small").horizontalAdvance(said) + 18
    spot = placed(box, box.width() - trail - ROW_GAP - width, width)
    paint_icon(painter, placed(spot, 0, 14), icon, tone, 14)
    painter.setPen(colour(tone, theme_of()))
    paint_elided(painter, after(spot, 18, 0), said)
    return width + 2 * ROW_GAP


def _paint_name(painter: QPainter, box: QRectF, about: tuple[str, frozenset[int], bool]) -> None:
    """The name; letters that were typed stand out. Where it has to be shortened, it is painted in one piece."""
    name, marks, chosen = about
    theme = theme_of()
    plain = font("ui_heading") if chosen else font("ui")
    set_text_style(painter, plain, colour("t1", theme))
    fitting = elided(plain, name, box.width(), Qt.TextElideMode.ElideMiddle)
    paint_elided(painter, box, fitting)
    if fitting != name or not marks:
        return
    # Painted over in place, so that letters keep the distances and forms they have together.
    measure = metrics("ui_heading" if chosen else "ui")
    painter.setPen(colour("accent_text", theme))
    for place in sorted(marks):
        start = measure.horizontalAdvance(name[:place])
        width = measure.horizontalAdvance(name[: place + 1]) - start
        painter.save()
        painter.setClipRect(QRectF(box.left() + start, box.top(), width, box.height()))
        painter.fillRect(
            QRectF(box.left() + start, box.top() + 6, width, box.height() - 12),
            colour("sel" if chosen else "raised", theme),
        )
        paint_elided(painter, box, fitting)
        painter.restore()


MOST_ROWS, LEAST_ROWS = 6, 2
HEAD, FOOT, GAP, RADIUS, EDGE = 28, 30, 4, 10, 1
ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
MOVES = {
    Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1,
    Qt.Key.Key_PageUp: 1 - MOST_ROWS, Qt.Key.Key_PageDown: MOST_ROWS - 1,
}  # fmt: skip
_NARROW = 460


class OfferList(QFrame):
    """The list itself: a heading, at most six rows in sight, and the keys; `title` and `keys` in place of its own.

    Signals:
        taken: a row was clicked. scrolled: other rows are in sight.
    """

    taken = Signal()
    scrolled = Signal()

    def __init__(self, title: str = "", keys: Sequence[tuple[str, str]] = ()) -> None:
        super().__init__()
        self._title, self._keys = title, keys
        self.model, self.list = OfferModel(), QListView()
        self.title = ElidedLabel("", "meta_strong", "t2")
        self.hint = ElidedLabel("", "meta", "t3")
        self.side = min(MARGIN, 16)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(tr("Names"))
        self._fill()
        self.hide()

    def _fill(self) -> None:
        self.list.setModel(self.model)
        self.list.setItemDelegate(OfferDelegate(self.list))
        self.list.setAccessibleName(tr("Names to choose from"))
        self.list.setAccessibleDescription(
            tr("Up and down choose, Enter inserts, Tab attaches and continues, Escape closes.")
        )
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setObjectName("transparent")
        self.list.setUniformItemSizes(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.list.clicked.connect(lambda _index: self.taken.emit())
        self.list.verticalScrollBar().valueChanged.connect(lambda _value: self.scrolled.emit())
        outer = rows(self, (self.side + EDGE, MARGIN + EDGE, self.side + EDGE, GAP + EDGE))
        self.head = QWidget()
        self.head.setFixedHeight(HEAD)
        self._top = columns(self.head, (PADDING, 0, PADDING, 0), 8)
        fill(self._top, self.title, (self.hint, 1), label("" if self._title else tr("Tokens"), "meta", "t3"))
        fill(outer, self.head, (self.list, 1))
        self.foot = QWidget()
        self.foot.setFixedHeight(FOOT)
        keys = columns(self.foot, (PADDING, 0, PADDING, 0), 6)
        named = (("↑ ↓", tr("choose")), ("↵", tr("insert")), ("Tab", tr("attach and go on")))
        for key, words in self._keys or named:
            fill(keys, KeyCap(key), label(words, "meta", "t3"), 6)
        self.ranges = label("", "meta", "t3")
        fill(keys, STRETCH, self.ranges)
        outer.addWidget(self.foot)

    def show_view(self, view: CompletionView, chat: ChatState) -> None:
        """Show what is offered; the row that was chosen stays where it is still there."""
        chosen = self.chosen()
        others = self.model.show_offers(view.offers, chat.view)
        if view.file:
            self.title.setText(tr("Sections of {file}").format(file=shown(view.file)))
            self.hint.setText(tr("type to find one"))
        else:
            self.title.setText(self._title or tr("Attach or run"))
            self.hint.setText(tr("looking for files…") if view.reading else tr("type to find one"))
        paged = any(offer.pages[0] for offer in view.offers)
        sections = "" if self._title else tr("sections: file#")
        self.ranges.setText(self._ranges(paged) if view.file else sections)
        if others:
            texts = [offer.text for offer in view.offers]
            moved = chosen is not None and chosen.text in texts and bool(self.model.items)
            self.choose(texts.index(chosen.text) if moved and chosen is not None and view.reading else 0)

    def _ranges(self, paged: bool) -> str:
        return tr("pages: #p24-27") if paged else tr("lines: #L120-180")

    def chosen(self) -> Offer | None:
        row = self.list.currentIndex().row()
        return self.model.items[row] if 0 <= row < len(self.model.items) else None

    def choose(self, row: int) -> None:
        row = max(0, min(row, len(self.model.items) - 1))
        self.list.setCurrentIndex(self.model.index(row, 0))
        self.list.scrollTo(self.model.index(row, 0))

    def step(self, by: int) -> None:
        """Choose another row; at an end it goes on at the other."""
        count, row = len(self.model.items), self.list.currentIndex().row()
        if abs(by) == 1:
            self.choose((row + by) % count if count else 0)
        else:
            self.choose(row + by)

    def first_in_sight(self) -> int:
        return max(0, self.list.indexAt(QPoint(2, 2)).row())

    def place(self, over: QWidget) -> None:
        """Lie over something, as wide as that, as high as there are rows and there is room."""
        parent = self.parentWidget()
        corner = over.mapTo(parent, QPoint(0, 0))
        left, bottom, around = int(corner.x()), int(corner.y()) - GAP, HEAD + FOOT + 2 * EDGE
        room = max(LEAST_ROWS, (bottom - around) // ROW)
        count = min(MOST_ROWS, room, max(1, len(self.model.items)))
        height = around + count * ROW
        width = over.width() + 2 * self.side
        self.setGeometry(left - self.side, bottom - height - MARGIN, width, height + MARGIN + GAP)
        bar = self.list.verticalScrollBar().sizeHint().width() if count < len(self.model.items) else 0
        self._top.setContentsMargins(PADDING, 0, PADDING + bar, 0)
        self.ranges.setVisible(over.width() >= _NARROW)
        self.hint.setVisible(over.width() >= _NARROW)

    def box(self) -> QRectF:
        return QRectF(self.rect()).adjusted(self.side, MARGIN, -self.side, -GAP)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, theme, box = QPainter(self), theme_of(self), self.box()
        paint_shadow(painter, box, theme, RADIUS)
        fill_rounded(painter, box, theme.raised, RADIUS)
        foot = QRectF(box.left(), box.bottom() - FOOT - EDGE, box.width(), FOOT + EDGE)
        painter.save()
        painter.setClipRect(foot)
        fill_rounded(painter, box, theme.chrome, RADIUS)
        painter.restore()
        for y in (box.top() + HEAD, foot.top()):
            painter.fillRect(QRectF(box.left(), y, box.width(), 1), colour("line", theme))
        stroke_rounded(painter, box, theme.line2 if theme.dark else theme.edge, RADIUS)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 0)


class ListCompletion(QObject):
    """A list over the composer, open while something that it knows is typed up to the cursor."""

    def __init__(self, text: ComposerText, over: QWidget, offers: OfferList) -> None:
        super().__init__(text)
        self._text, self._over, self.offers = text, over, offers
        offers.setParent(over)  # until it is opened: it goes with the window
        self._chat: ChatState | None = None
        self._begun: TypedName | None = None
        self._dismissed: TypedName | None = None
        offers.taken.connect(self.insert)
        text.typed.connect(self.follow)
        text.cursorPositionChanged.connect(self._follow_cursor)
        text.focused.connect(lambda here: None if here else self._close())
        over.installEventFilter(self)

    @abstractmethod
    def follow(self) -> None:
        """See whether something is being named at the cursor, and offer what it could become."""

    @abstractmethod
    def insert(self) -> None: ...

    @abstractmethod
    def _begun_now(self) -> TypedName | None: ...

    def is_open(self) -> bool:
        return self.offers.isVisible()

    def dismiss(self) -> None:
        """Close the list until something else is typed."""
        self._dismissed = self._begun
        self._close()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Move, QEvent.Type.Resize) and self.is_open():
            self.offers.place(self._over)
        return super().eventFilter(watched, event)

    def _open(self) -> None:
        # Beside what it lies over, so that it can reach out of it; a child of the window, so that the cursor stays.
        parent: QWidget | None = self._over.parentWidget()
        if parent is None:
            return
        if self.offers.parentWidget() is not parent:
            self.offers.setParent(parent)
        self.offers.place(self._over)
        if not self.is_open():
            self.offers.show()
            self.offers.raise_()

    def _close(self) -> None:
        self._begun = None
        self.offers.hide()

    def _follow_cursor(self) -> None:
        """The cursor went elsewhere by itself; where something is typed, that is followed anyway."""
        if self._begun is not None and not self._text.is_typing and self._begun_now() != self._begun:
            self._close()

    def _typed(self, begun: TypedName) -> QTextCursor:
        cursor = self._text.textCursor()
        end = cursor.position()
        cursor.setPosition(end - utf16_units(self._text.before()[begun.start :]))
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        return cursor


class Completion(ListCompletion):
    """Asks the engine what a name could become, and writes or attaches what is chosen."""

    def __init__(self, text: ComposerText, over: QWidget, wishes: Wishes) -> None:
        super().__init__(text, over, OfferList())
        self._wishes = wishes
        self._asked = ""  # the chat that was asked about; nothing is asked where it is empty
        self._view: CompletionView | None = None
        self._accept_next, self._early = False, False
        self._first = 0
        self._attached: set[str] = set()  # what Tab chose from the list that is open
        self.offers.scrolled.connect(self._look_further)
        self.offers.list.selectionModel().currentChanged.connect(lambda now, _before: self._say(now.row()))
        text.take_key = self._take_key

    def show_state(self, chat: ChatState | None) -> None:
        """Show what the engine offers for what is typed now; an answer to anything else is late."""
        before, self._chat = self._chat, chat
        if (before.chat.id if before else "") != (chat.chat.id if chat else ""):
            self._leave(before.chat.id if before else "")
            self._close()
            if chat is not None and self._early:
                self.follow()  # the first letter of a new chat was this very @
            return
        view = chat.completion if chat is not None else None
        if view is None or chat is None or self._begun is None or view.begun.word != self._begun.word:
            return
        self._view = view
        if not view.offers:
            self._accept_next = self._accept_next and view.reading
            if not view.reading:
                self.offers.hide()
            return
        self.offers.show_view(view, chat)
        self._open()
        if self._accept_next:
            self._accept_next = False
            self.insert()

    def follow(self) -> None:
        begun = self._begun_now()
        self._early = begun is not None and self._chat is None
        if begun is None:
            self._dismissed = None
            self._close()
            return
        if begun in (self._begun, self._dismissed) or self._chat is None:
            return
        self._dismissed, self._begun, self._first = None, begun, 0
        self._ask()

    def insert(self) -> None:
        offer, begun = self.offers.chosen(), self._begun_now()
        if offer is None or begun is None:
            self._close()
            return
        cursor = self._typed(begun)
        self._close()
        cursor.insertText(offer.text if self._text.after()[:1].isspace() else f"{offer.text} ")
        self._text.setTextCursor(cursor)
        self._text.ensureCursorVisible()

    def attach(self) -> None:
        """Attach what is chosen at once; the list stays for the next."""
        offer = self.offers.chosen()
        if offer is None or self._chat is None:
            return
        if not offer.named:
            self.insert()  # a command is nothing to attach
        elif not offer.attached and not offer.problem:
            self._attached.add(offer.text)
            self._wishes.send(AttachNamed(self._chat.chat.id, (offer.named,)))
            self._announce(tr("{name} is being attached").format(name=shown(offer.name)))

    def _take_key(self, event: QKeyEvent) -> bool:
        """Whether a key was meant for the list; only plain ones are."""
        plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        key = Qt.Key(event.key())
        if not plain or not self.is_open():
            return False
        if key in MOVES:
            self.offers.step(MOVES[key])
        elif key == Qt.Key.Key_Escape:
            self.dismiss()
        elif key in ENTER and self._is_chosen():
            self.insert()
            return False  # nothing is left to choose: the same Enter sends
        elif key in (*ENTER, Qt.Key.Key_Tab) and self._is_late():
            # What is shown is for fewer letters: it is taken as soon as the right ones are there.
            self._accept_next = key in ENTER
        elif key in ENTER:
            self.insert()
        elif key == Qt.Key.Key_Tab:
            self.attach()
        else:
            return False
        return True

    def _is_chosen(self) -> bool:
        """Whether the name is settled already: written out in full, or attached by Tab."""
        offer, begun = self.offers.chosen(), self._begun_now()
        if offer is None or begun is None:
            return False
        written = self._text.before()[begun.start :]
        return offer.text == written or (offer.text in self._attached and not self._is_late())

    def _is_late(self) -> bool:
        return self._view is None or self._begun is None or self._view.begun.word != self._begun.word

    def _open(self) -> None:
        was_open = self.is_open()
        super()._open()
        if not was_open:
            self._say(self.offers.list.currentIndex().row())

    def _close(self) -> None:
        self._view, self._accept_next = None, False
        self._attached.clear()
        super()._close()
        self._leave(self._asked)

    def _leave(self, chat: str) -> None:
        if chat and chat == self._asked:
            self._asked = ""
            self._wishes.send(Complete(chat))

    def _ask(self) -> None:
        if self._chat is not None:
            self._asked = self._chat.chat.id
            self._wishes.send(Complete(self._asked, self._text.before(), self._text.after(), self._first))

    def _look_further(self) -> None:
        first = self.offers.first_in_sight()
        if self.is_open() and first != self._first and not self._is_late():
            self._first = first
            uncounted = (
                offer.tokens is None and not offer.problem and offer.named
                for offer in self.offers.model.items[first : first + MOST_ROWS + 1]
            )
            if any(uncounted):
                self._ask()

    def _begun_now(self) -> TypedName | None:
        if self._text.textCursor().hasSelection() or self._text.is_composing:
            return None
        rest = self._text.after()[:1]
        return typed_name(self._text.before()) if not rest or rest.isspace() or rest in ",.;:!?)" else None

    def _say(self, row: int) -> None:
        if self.is_open() and 0 <= row < len(self.offers.model.items):
            self._announce(self.offers.model.spoken_of(self.offers.model.items[row]))

    def _announce(self, words: str) -> None:
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self._text, words))
