"""The messages of a chat that have widgets: a window into all of them, which is made larger when one scrolls."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from workbench.domain.summary import OUTLINE
from workbench.ui import formatting
from workbench.ui.chat.messages.answer_view import AnswerView
from workbench.ui.chat.messages.arriving_view import ArrivingView
from workbench.ui.chat.messages.failure_card import FailureView, UnansweredView
from workbench.ui.chat.messages.feed import (
    Answer,
    Arriving,
    DayMark,
    Failed,
    Item,
    Note,
    Question,
    RequestMark,
    SummaryMark,
    TrimMark,
    Unanswered,
)
from workbench.ui.chat.messages.message_head import offer_action
from workbench.ui.chat.messages.message_view import MessageView, NoteView
from workbench.ui.chat.messages.question_view import QuestionView
from workbench.ui.chat.messages.tool_line import record_text
from workbench.ui.chat.text.block_stack import BlockStack
from workbench.ui.chat.text.ink import Ink
from workbench.ui.chat.watched.request_line import RequestLine
from workbench.ui.look.fonts import font, metrics
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import dashed_pen, elided, set_text_style
from workbench.ui.look.space import columns, fill
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.model_button import model_name
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import QuietButton
from workbench.ui.widgets.stack import Stack, StackItem, tell_height

# The line below the last message that is sent shortened: how many are, and what they still cost.


HEIGHT, NOTE_HEIGHT = 24, 16
PADDING = 8


class TrimRule(MessageView):
    """A dashed rule with its words, and a button that brings everything above back."""

    def __init__(self, ink: Ink, parent: QWidget | None = None) -> None:
        super().__init__(ink, parent=parent)
        self.item: TrimMark | None = None
        self.line = RuleLine()
        self.untrim = QuietButton("undo", tr("Untrim all of them"), 24)
        self.untrim.setParent(self.line)
        self.untrim.clicked.connect(self._on_untrim)
        offer_action(self.untrim, lambda: "untrim", self._look)
        self.line.end = self.untrim
        self.set_stack_items([StackItem(self.line)])

    def show_item(self, item: object) -> None:
        assert isinstance(item, TrimMark)
        self.item = item
        # Of what is trimmed something stays, of what left nothing does.
        one, several = (
            tr("1 message above is dropped"),
            tr("{n} messages above are dropped"),
        )
        if item.tokens:
            one = tr("1 message above is trimmed, {tokens}")
            several = tr("{n} messages above are trimmed, {tokens}")
        words = formatting.counted(len(item.members), one, several)
        words = words.replace("{tokens}", formatting.token_words(item.tokens))
        if item.back == 1:
            words = tr("{cut}; 1 recalled in full").format(cut=words)
        elif item.back:
            back = formatting.tokens(item.back)
            words = tr("{cut}; {n} recalled in full").format(cut=words, n=back)
        note = self._why(item)
        self.line.show_words(words, note)
        self.setAccessibleName(f"{words}. {note}" if note else words)

    def _why(self, item: TrimMark) -> str:
        if item.threshold_tokens is None:
            turn = formatting.tokens(item.since_turn)
            return tr("cut before turn {turn}").format(turn=turn) if item.since_turn else ""
        over = formatting.tokens(item.threshold_tokens)
        if not item.since_turn:
            return tr("cut for the next request: it would be over {n} tokens").format(n=over)
        words = tr("cut before turn {turn}: the request was over {n} tokens")
        return words.format(turn=formatting.tokens(item.since_turn), n=over)

    def _look(self, action: str, at: QRect | None) -> None:
        if self.item is not None:
            self.looked_at.emit(action, self.item.members[0], at)

    def _on_untrim(self) -> None:
        if self.item is not None:
            self.asked.emit("untrim", self.item.members[0])


class RuleLine(QWidget):
    """An icon and words in the middle of a dashed line; a mark before the note warns, where the icon does.

    Without an icon the line is whole: nothing is cut there.
    """

    def __init__(self, icon: str = "cut", token: str = "warn") -> None:
        super().__init__()
        self._icon, self._token = icon, token
        self._words = self._note = ""
        self.end: QWidget | None = None

    def words(self) -> str:
        return self._words

    def show_words(self, words: str, note: str = "") -> None:
        other_height = bool(note) != bool(self._note)
        self._words, self._note = words, note
        if other_height:
            tell_height(self)
        self.update()

    def note(self) -> str:
        return self._note

    def sizeHint(self) -> QSize:
        return QSize(200, HEIGHT + (NOTE_HEIGHT if self._note else 0))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, theme = QPainter(self), theme_of(self)
        end = self.end.sizeHint().width() + PADDING if self.end is not None else 0
        room = self.width() - end
        text = elided(font("meta"), self._words, room - 60)
        lead = 20 if self._icon else 0
        width = metrics("meta").horizontalAdvance(text) + lead
        left = max(0.0, (room - width) / 2)
        middle = HEIGHT / 2
        painter.setPen(dashed_pen(theme.line2, 1, 3, 3) if self._icon else colour("line", theme))
        painter.drawLine(0, round(middle), round(left - PADDING), round(middle))
        painter.drawLine(round(left + width + PADDING), round(middle), round(room), round(middle))
        if self._icon:
            paint_icon(painter, QRectF(left, 0, 14, HEIGHT), self._icon, self._token, 12)
        set_text_style(painter, font("meta"), colour("t2", theme))
        measure = metrics("meta")
        painter.drawText(round(left + lead), round(middle + (measure.ascent() - measure.descent()) / 2), text)
        if self._note:
            self._paint_note(painter, room)

    def _paint_note(self, painter: QPainter, room: float) -> None:
        text = elided(font("meta"), self._note, room - 40)
        width = metrics("meta").horizontalAdvance(text) + 14
        left, top = max(0.0, (room - width) / 2), float(HEIGHT - 2)
        middle = top + NOTE_HEIGHT / 2 - 1
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour("errline", theme_of(self)))
        if self._token == "warn":
            painter.drawPolygon(
                [QPointF(left, middle - 3), QPointF(left + 8, middle - 3), QPointF(left + 4, middle + 4)]
            )
        painter.setPen(colour("t2", theme_of(self)))
        painter.drawText(QRectF(left + 14, top, width, NOTE_HEIGHT), Qt.AlignmentFlag.AlignVCenter, text)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.end is not None:
            size = self.end.sizeHint()
            self.end.setGeometry(
                self.width() - size.width(), (HEIGHT - size.height()) // 2, size.width(), size.height()
            )


GAP_PX, NEAR_GAP_PX = 16, 8
LIVE = 60
"""So many messages have widgets; those far away lose theirs, and get others when they come near."""
SPARE = 12
"""So many widgets that show nothing are kept: to fill one takes half as long as to make one, and none is taken down."""
INDENT = 12


class FeedColumn(Stack):
    """Widgets for the items from `first` up to `last`; an item that stays the same keeps its widget."""

    asked = Signal(str, str)
    edited = Signal(str, str)
    editing = Signal(str, object)
    link_wished = Signal(str)
    looked_at = Signal(str, str, object)
    hovered = Signal(str, bool)

    def __init__(self, ink: Ink, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._ink = ink
        self._items: tuple[Item, ...] = ()
        self._views: dict[str, MessageView] = {}
        self._shown: dict[str, Item] = {}
        self._marked: frozenset[str] = frozenset()
        self._spare: list[MessageView] = []
        self.first = self.last = 0

    def items(self) -> tuple[Item, ...]:
        return self._items

    def view(self, key: str) -> MessageView | None:
        return self._views.get(key)

    def views(self) -> tuple[MessageView, ...]:
        """The widgets there are, in order; while another chat is filled in, some are still to come."""
        found = (self._views.get(item.key) for item in self._items[self.first : self.last])
        return tuple(view for view in found if view is not None)

    def reaches_end(self) -> bool:
        return self.last >= len(self._items)

    def open_at(self, items: tuple[Item, ...], place: int) -> None:
        """Begin anew with other items; none of them has a widget yet."""
        self._drop(set(self._views))
        self._items = items
        self.first = self.last = max(0, min(place, len(items)))
        self._arrange()

    def show_items(self, items: tuple[Item, ...]) -> None:
        """Show these; what is not in sight and has no widget is only remembered."""
        before = [item.key for item in self._items[self.first : self.last]]
        at_end, live = self.reaches_end(), max(1, len(before))
        places = {item.key: place for place, item in enumerate(items)}
        kept = [places[key] for key in before if key in places]
        from_the_top = self.first == 0
        self._items = items
        if at_end:
            self.last = len(items)
            # A question may come to stand above its answer, which was there first.
            self.first = 0 if from_the_top else min(kept) if kept else max(0, self.last - live)
            self.first = max(self.first, self.last - live - LIVE)
        else:
            self.first = min(kept) if kept else 0
            self.last = max(kept) + 1 if kept else min(len(items), live)
        self._fill()

    def show_arriving(self, item: Arriving) -> bool:
        """Show how far the answer is; False where it is not shown at all, and everything must be looked at."""
        view = self._views.get(item.key)
        if view is None or not self._items or self._items[-1].key != item.key:
            return False
        self._items = (*self._items[:-1], item)
        self._shown[item.key] = item
        view.show_item(item)
        return True

    def make_earlier(self) -> bool:
        """Give the item above the first one its widget; False where there is none."""
        if self.first == 0:
            return False
        self.first -= 1
        self._fill()
        return True

    def make_later(self) -> bool:
        """Give the item below the last one its widget; False where there is none."""
        if self.reaches_end():
            return False
        self.last += 1
        self._fill()
        return True

    def leave_one(self, room: int, *, below: bool) -> int:
        """Take the widget that is farthest below, or above, where there are enough; how high it was.

        One that is higher than the `room` stays: without it, what is near would have to be made again at once.
        """
        if self.last - self.first <= LIVE:
            return 0
        taken = self._views[self._items[self.last - 1 if below else self.first].key].height() + GAP_PX
        if taken > room:
            return 0
        self.first, self.last = (self.first, self.last - 1) if below else (self.first + 1, self.last)
        self._fill()
        return taken

    def leave_old(self) -> None:
        """Take the widgets of items that are far above; called where the end is in sight."""
        if self.reaches_end() and self.last - self.first > 2 * LIVE:
            self.first = self.last - LIVE
            self._fill()

    def mark(self, keys: Iterable[str]) -> None:
        self._marked = frozenset(keys)
        for key, view in self._views.items():
            view.set_marked(key in self._marked)

    def _fill(self) -> None:
        wanted = self._items[self.first : self.last]
        bodies = self._arriving_view()
        # First: what one item has no need of any more is there for the next.
        kept = {item.key for item in wanted}
        self._drop({key for key, view in self._views.items() if key not in kept and view is not bodies})
        for item in wanted:
            view = self._views.get(item.key)
            if view is None:
                view = self._views[item.key] = self._made(item, bodies)
            known = self._shown.get(item.key)
            if known is not item and known != item:
                self._shown[item.key] = item
                view.show_item(item)
        self._drop(set(self._views) - kept)
        self._arrange()

    def _arriving_view(self) -> ArrivingView | None:
        gone = [
            view
            for key, view in self._views.items()
            if isinstance(view, ArrivingView) and all(item.key != key for item in self._items[-1:])
        ]
        return gone[0] if gone else None

    def _made(self, item: Item, arrived: ArrivingView | None) -> MessageView:
        """A new widget; an answer that has just arrived takes over the blocks that were shown while it grew."""
        made: MessageView
        if isinstance(item, Answer):
            body = arrived.take_body(record_text(item.record)) if arrived is not None else None
            spare = self._spare_of(AnswerView) if body is None else None
            made = spare or AnswerView(self._ink, body, self)
        else:
            spare = self._spare_of(_CLASSES[type(item)])
            made = spare or _CLASSES[type(item)](self._ink, parent=self)
        made.set_marked(item.key in self._marked)
        if spare is None:
            self._listen_to(made)
        return made

    def _spare_of(self, kind: type[MessageView]) -> MessageView | None:
        found = next((view for view in self._spare if type(view) is kind), None)
        if found is not None:
            self._spare.remove(found)
        return found

    def _listen_to(self, made: MessageView) -> None:
        made.asked.connect(self.asked)
        made.edited.connect(self.edited)
        made.editing.connect(self.editing)
        made.link_wished.connect(self.link_wished)
        made.looked_at.connect(self.looked_at)
        made.hovered.connect(self.hovered)

    def _drop(self, keys: set[str]) -> None:
        for key in keys:
            view = self._views.pop(key)
            self._shown.pop(key, None)
            view.hide()
            self.forget(view)
            if view.is_untouched():
                for body in view.bodies().values():
                    body.mark_words(None)
                self._spare.append(view)
            else:
                view.deleteLater()

    def leave_spare(self) -> bool:
        """Take down one of the widgets that show nothing, where there are too many; False where there are not."""
        if len(self._spare) <= SPARE:
            return False
        self._spare.pop().deleteLater()
        return True

    def _arrange(self) -> None:
        places: list[StackItem] = []
        before: Item | None = None
        for item in self._items[self.first : self.last]:
            places.append(StackItem(self._views[item.key], _gap(before, item)))
            before = item
        self.set_stack_items(places)


def _gap(before: Item | None, item: Item) -> int:
    """Messages of one answer stand close together."""
    if isinstance(item, Answer) and not item.begins:
        return NEAR_GAP_PX
    if isinstance(item, Arriving) and isinstance(before, Answer):
        return NEAR_GAP_PX
    return GAP_PX


class SummaryRule(MessageView):
    """A dashed rule with its words, a button that unfolds the summary, and one that undoes it."""

    def __init__(self, ink: Ink, parent: QWidget | None = None) -> None:
        super().__init__(ink, parent=parent)
        self.item: SummaryMark | None = None
        self.line = RuleLine("compact", "t2")
        self.read = QuietButton("eye", tr("Read the summary"), 24)
        self.read.clicked.connect(self._turn)
        self.undo = QuietButton("undo", tr("Undo this summary"), 24)
        self.undo.clicked.connect(self._on_undo)
        offer_action(self.undo, lambda: "undo_summary", self._look)
        ends = QWidget(self.line)
        fill(columns(ends, spacing=2), self.read, self.undo)
        self.line.end = ends
        self.body = BlockStack(ink, verbatim=True, parent=self)
        self.body.set_token("t2")
        self.body.hide()
        self.set_stack_items([StackItem(self.line)])

    def show_item(self, item: object) -> None:
        assert isinstance(item, SummaryMark)
        self.item = item
        one = item.summary
        words = formatting.counted(
            len(one.replaces),
            tr("1 message above is sent as a summary"),
            tr("{n} messages above are sent as a summary"),
        )
        note = tr("made of their own sentences")
        if one.made_by != OUTLINE:
            note = tr("written by {model}").format(model=model_name(one.made_by))
        self.line.show_words(words, note)
        self.setAccessibleName(f"{words}, {note}")
        self.body.show_text(one.text)

    def bodies(self) -> dict[str, BlockStack]:
        return {"text": self.body} if not self.body.isHidden() else {}

    def _turn(self) -> None:
        folded = self.body.isHidden()
        places = [StackItem(self.line), StackItem(self.body, 6, INDENT)] if folded else [StackItem(self.line)]
        self.set_stack_items(places)
        self.body.setVisible(folded)

    def _look(self, action: str, at: QRect | None) -> None:
        if self.item is not None:
            self.looked_at.emit(action, self.item.summary.id, at)

    def _on_undo(self) -> None:
        if self.item is not None:
            self.asked.emit("undo_summary", self.item.summary.id)


class DayRule(MessageView):
    """A day between two lines."""

    def __init__(self, ink: Ink, parent: QWidget | None = None) -> None:
        super().__init__(ink, parent=parent)
        self.line = RuleLine("", "t3")
        self.set_stack_items([StackItem(self.line)])

    def show_item(self, item: object) -> None:
        assert isinstance(item, DayMark)
        words = item.day[:1].upper() + item.day[1:]
        self.line.show_words(words)
        self.setAccessibleName(words)


_CLASSES: dict[type[Item], type[MessageView]] = {
    Question: QuestionView,
    Note: NoteView,
    Failed: FailureView,
    Unanswered: UnansweredView,
    TrimMark: TrimRule,
    SummaryMark: SummaryRule,
    RequestMark: RequestLine,
    DayMark: DayRule,
    Arriving: ArrivingView,
}
