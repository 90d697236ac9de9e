"""Below an answer: how many of its facts stand in the request, and on a click where each of them does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QKeyEvent, QPainter, QPaintEvent, QPen, QPolygonF, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from workbench.domain.answer_facts import AnswerFact, AnswerFacts, FactPlace, FactState
from workbench.domain.segment import LayerName
from workbench.ui import formatting
from workbench.ui.chat.text.prose import paint_double
from workbench.ui.chat.text.selection import Mark
from workbench.ui.influence_figures import fact_count_words, shortened_before
from workbench.ui.look.fonts import line_height, metrics
from workbench.ui.look.painting import Run, paint_text
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.look.theme import Theme, theme_of
from workbench.ui.look.tones import Tone, name_by_kind
from workbench.ui.translation import tr
from workbench.ui.widgets.badge import Badge, LayerTag
from workbench.ui.widgets.buttons import button, on_click, tool_button
from workbench.ui.widgets.card import Card, Hairline, Panel, PanelLook
from workbench.ui.widgets.found_words import fact_colour
from workbench.ui.widgets.labels import ElidedLabel, label, set_text
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.widgets.stack import Stack, StackItem

LINE_PX, LEGEND_PX, ABSENT_PX, LOW_PX, TEXT_PX = 28, 18, 42, 28, 19
MOST_ABSENT = 6
"""Absent facts that have a card of their own; the rest is reached by the keys."""
_NARROW = 430
WAVE = (-1.5, 0.0, 1.5, 0.0)
"""How far a wavy line stands above its middle, from one pixel to the next."""


class FactLook(NamedTuple):
    """How a state is drawn: the line under the words, its colour where it is not the layer's, and its words."""

    line: str
    token: str
    tone: Tone
    icon: str


LOOKS: Mapping[FactState, FactLook] = {
    "found": FactLook("solid", "", "ok", "check"),
    "question": FactLook("dashed", "L5_USER", "neutral", "user"),
    "earlier_answer": FactLook("wavy", "L4_STRIP", "warn", "chat"),
    "computed": FactLook("double", "t2", "neutral", "hash"),
    "absent": FactLook("dotted", "errline", "err", "help"),
}


class Back(NamedTuple):
    """What became of a text that was cut: whether the next request has it, else what bringing it back adds to that.

    `tokens` is None while nobody knows.
    """

    is_back: bool
    tokens: int | None = None


Backs = Mapping[str, Back]
"""By the key of what was cut."""
NO_BACKS: Backs = {}


def fact_marks(found: AnswerFacts, chosen: int | None) -> tuple[Mark, ...]:
    """The lines under an answer's facts, in the order of their places; the chosen one has a ground."""
    marks = [
        Mark(*span, number == chosen, (LOOKS[fact.state].line, _token(fact)))
        for number, fact in enumerate(found.facts)
        for span in fact.spans
    ]
    # Of two in one place, as a line in a quoted block, the narrower one is drawn.
    return tuple(sorted(marks, key=lambda mark: (mark.end - mark.start, mark.start)))


def _token(fact: AnswerFact) -> str:
    return LOOKS[fact.state].token or (fact.where[0].layer if fact.where else "t2")


def state_words(state: FactState) -> str:
    """What a state is called."""
    return {
        "found": tr("in the request"),
        "question": tr("your words"),
        "earlier_answer": tr("only in an earlier answer"),
        "computed": tr("computed"),
        "absent": tr("not in the request"),
    }[state]


def quiet_words(found: AnswerFacts) -> tuple[str, str, str]:
    """How many facts there are, where they stand, and those that stand nowhere."""
    if found.problem:
        return "", found.problem, ""
    counts, head = found.counts, fact_count_words(len(found.facts))
    if not counts["absent"] and not counts["earlier_answer"]:
        return tr("{what},").format(what=head), tr("all in the request or computed"), ""
    said = [
        (counts["found"] + counts["question"], tr("{n} in the request")),
        (counts["earlier_answer"], tr("{n} only in earlier answers")),
        (counts["computed"], tr("{n} computed")),
        (counts["absent"], tr("{n} not:")),
    ]
    words = formatting.clauses(words.format(n=formatting.tokens(count)) for count, words in said if count)
    absent = ", ".join(shown(fact.text, 40) for fact in found.absent[:3])
    return tr("{what}:").format(what=head), words, absent + ("…" if counts["absent"] > 3 else "")


def place_words(place: FactPlace) -> str:
    """What a place is called: a file, or a turn of the chat."""
    if place.layer == "L4_STRIP" and place.turn:
        return tr("turn {n}").format(n=formatting.tokens(place.turn))
    if place.layer == "L5_USER" and place.key != "time":
        return name_by_kind("question")
    return tr("Current time") if place.key == "time" else name_by_kind(place.key) or place.segment


class QuietLine(PanelLook, QAbstractButton):
    """One line under an answer that unfolds its facts."""

    line_above = True

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.unfolded = False
        self._words = ("", "", "")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setToolTip(tip(tr("Show where the facts stand (Ctrl+Shift+K)")))

    def show_words(self, words: tuple[str, str, str], unfolded: bool) -> None:
        self._words, self.unfolded = words, unfolded
        head, said, absent = words
        self.setAccessibleName(f"{head} {said} {absent}".strip())
        self.setAccessibleDescription(tr("unfolded") if unfolded else tr("folded"))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, LINE_PX)

    def update_look(self) -> None:
        head, said, absent = self._words
        if absent and self.width() < _NARROW:
            said = said.rpartition(", ")[2]  # what is missing is what somebody looks for
        quiet = "t1" if self.underMouse() else "t2"
        chevron = "chevron-down" if self.unfolded else "chevron-right"
        self.runs = (
            Run(icon=chevron, token="t3", size=12, width=14, gap=4),
            Run(head, quiet, weight=500, gap=5 if head else 0),
            Run(said, quiet, gap=5),
            Run(absent, "err", weight=500),
        )
        wide = self.width() > _NARROW + 90
        self.end_runs = (
            (Run("Ctrl+Shift+K", "t3", "meta"),) if wide and (self.unfolded or self.underMouse()) else ()
        )


class Legend(QWidget):
    """What the lines under the words mean, with counts."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._counts: Mapping[FactState, int] = {}
        self._layer: LayerName = "L3_TURN"
        self.setFixedHeight(LEGEND_PX)

    def show_facts(self, found: AnswerFacts) -> None:
        counts = self._counts = found.counts
        places = (fact.where[0].layer for fact in found.facts if fact.state == "found")
        self._layer = next(places, "L3_TURN")
        told = [f"{_legend_words(state)} {count}" for state, count in counts.items() if count]
        self.setAccessibleName(", ".join(told))
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme, painter, x = theme_of(self), QPainter(self), 18.0
        for state, count in self._counts.items():
            if not count:
                continue
            look = LOOKS[state]
            paint_line(painter, QRectF(x, 0, 16, LEGEND_PX), look.line, look.token or self._layer, theme)
            for text, weight, gap in ((_legend_words(state), 400, 5), (formatting.tokens(count), 500, 10)):
                width = metrics("meta", weight).horizontalAdvance(text)
                box = QRectF(x + 20, 0, width + 2, LEGEND_PX)
                paint_text(painter, box, text, "meta", "t2", weight)
                x += width + gap
            x += 20


def _legend_words(state: FactState) -> str:
    short = {"found": tr("in files and tools"), "earlier_answer": tr("earlier answer")}
    return short.get(state) or state_words(state)


def paint_line(painter: QPainter, box: QRectF, line: str, token: str, theme: Theme) -> None:
    """A sample of a line as it stands under words, in the middle of a box."""
    ink, middle = fact_colour(token, theme), box.center().y()
    if line == "double":
        paint_double(painter, box.adjusted(0, 0, 0, middle + 2 - box.bottom()), ink)
        return
    styles = {"dashed": Qt.PenStyle.DashLine, "dotted": Qt.PenStyle.DotLine}
    painter.setPen(QPen(ink, 1.5, styles.get(line, Qt.PenStyle.SolidLine), Qt.PenCapStyle.FlatCap))
    if line != "wavy":
        painter.drawLine(QPointF(box.left(), middle), QPointF(box.right(), middle))
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    wave = (QPointF(box.left() + x, middle + WAVE[x % len(WAVE)]) for x in range(int(box.width()) + 1))
    painter.drawPolyline(QPolygonF(list(wave)))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


class PlaceLine(Panel):
    """One line of a place with its number; a fact in it stands out, and is never cut."""

    padding = (12, 0, 12, 0)

    def __init__(self, chosen: bool) -> None:
        super().__init__()
        self._chosen, self.ground = chosen, "sel" if chosen else ""
        self.setFixedHeight(max(TEXT_PX, line_height("code")))

    def show_line(self, number: int, text: str, start: int = 0, end: int = 0) -> None:
        """Show a line; what stands between `start` and `end` of it is the fact."""
        text, cut = shortened_before(text, start)
        start, end = start - cut, end - cut
        before, fact, after = (
            shown(part.replace("\t", "  "), 240) for part in (text[:start], text[start:end], text[end:])
        )
        quiet = "t1" if self._chosen else "t3"
        figure = formatting.tokens(number) if number > 0 and (text or self._chosen) else ""
        runs = ((before, quiet, None), (fact, "accent_text", 600), (after.rstrip(), quiet, None))
        self.runs = (
            Run(figure, "t3", "code", gap=10),
            *(Run(words, token, "code", weight) for words, token, weight in runs if words),
        )
        self.setVisible(bool(text))
        self.setAccessibleName(f"{figure} {text}".strip())
        self.update()


class FactCard(Card):
    """The chosen fact with its place.

    Signals:
        stepped: by how many facts; asked: "layers", "payload" or "close".
    """

    stepped = Signal(int)
    asked = Signal(str)
    spoken_role = QAccessible.Role.Grouping

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__()
        if parent is not None:
            self.setParent(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.title, self.badge = ElidedLabel("", "ui_heading"), Badge()
        self.number = label("", "small", "t2")
        back, on = (
            tool_button("chevron-left", tr("Previous fact"), side=24),
            tool_button("chevron-right", tr("Next fact"), side=24),
        )
        close = tool_button("x", tr("Close"), side=24)
        on_click(back, lambda: self.stepped.emit(-1))
        on_click(on, lambda: self.stepped.emit(1))
        on_click(close, lambda: self.asked.emit("close"))
        self.tag, self.place = LayerTag("L3_TURN"), ElidedLabel("", "small", "t1")
        self.also = ElidedLabel("", "small", "t3")
        self.lines = [PlaceLine(chosen) for chosen in (False, True, False)]
        self.layers = button(tr("Show in Layers"), "primary", size="small")
        self.payload = button(tr("Show in Payload"), size="small")
        on_click(self.layers, lambda: self.asked.emit("layers"))
        on_click(self.payload, lambda: self.asked.emit("payload"))
        self.note = ElidedLabel(tr("“Not in the request” doesn’t mean wrong."), "small", "t3")
        down = rows(self, (1, 0, 1, 0), 0)
        fill(columns(down, (12, 7, 8, 7), 8), self.title, self.badge, STRETCH, back, self.number, on, close)
        down.addWidget(Hairline())
        self._where, self._text, self._foot = QWidget(), QWidget(), QWidget()
        fill(columns(self._where, (12, 8, 12, 6), 8), self.tag, self.place, STRETCH, self.also)
        fill(rows(self._text, (0, 4, 0, 6), 2), *self.lines)
        fill(columns(self._foot, (12, 7, 12, 7), 8), self.layers, self.payload, STRETCH, self.note)
        self._below = Hairline(), self._foot
        fill(down, self._where, self._text, *self._below)

    def show_fact(self, fact: AnswerFact, number: int, count: int, narrow: bool, back: bool = False) -> None:
        """Show a fact with its place, or where it was cut; `back`, the next request has that again."""
        look = LOOKS[fact.state]
        words = (look.tone, look.icon, state_words(fact.state))
        self.title.setText(shown(fact.text.replace("\n", " "), 80))
        self.badge.show_words(*(("ok", "check", tr("in the next request")) if back else words))
        set_text(self.number, tr("{n} of {all}").format(n=number + 1, all=count))
        place = fact.where[0] if fact.where else fact.cut
        self.tag.setVisible(place is not None)
        self._text.setVisible(place is not None)
        for one in (self.layers, self.payload):
            one.setVisible(bool(fact.where) and not (narrow and one is self.payload))
        says_so = fact.state == "absent" and not back
        self.note.setVisible(says_so)
        for part in self._below:
            part.setVisible(bool(fact.where) or says_so)
        self.also.setText(self._more(fact) if place is not None and not narrow else "")
        if place is None:
            self.place.setText(_without_place(fact))
        else:
            self.tag.set_layer(place.layer)
            self.place.setText(_line_words(place) if fact.where else _cut_words(place, back))
            above, here, below = self.lines
            above.show_line(place.line - 1, place.before)
            here.show_line(place.line, place.text, place.start, place.end)
            below.show_line(place.line + 1 if place.line else 0, place.after)
        self.setAccessibleName(f"{fact.text}, {self.badge.word()}")
        self.setAccessibleDescription(" ".join((self.place.text(), place.text if place is not None else "")))

    def _more(self, fact: AnswerFact) -> str:
        others = fact.where[1:]
        if not others:
            return ""
        first = place_words(others[0])
        named = tr("also {place}, line {n}").format(place=first, n=formatting.tokens(others[0].line))
        more = tr(" and {n} more").format(n=len(others) - 1) if len(others) > 1 else ""
        return named + more


def _without_place(fact: AnswerFact) -> str:
    if fact.state == "computed":
        return tr("Computed: {how}").format(how=fact.how)
    return tr("Not in the request: no file, tool or message of it has this.")


def _line_words(place: FactPlace) -> str:
    line = tr("line {n}").format(n=formatting.tokens(place.line)) if place.line else ""
    return " ".join(filter(None, (place_words(place), line)))


def _cut_words(cut: FactPlace, back: bool) -> str:
    words = tr("In the next request: {what}") if back else tr("Was cut: {what}")
    return words.format(what=_line_words(cut))


class AbsentCard(Card):
    """One fact that the request doesn't have, and where it was cut."""

    wanted = Signal()

    def __init__(self, fact: AnswerFact, may_change: bool) -> None:
        super().__init__()
        self.fact = fact
        self._may_change = may_change
        icon = Badge("err", "help", "")
        title = ElidedLabel(shown(fact.text.replace("\n", " "), 60), "ui_heading")
        self.words = ElidedLabel("", "small", "t2")
        self.back = button(tr("Bring it back"), icon="undo", size="small")
        on_click(self.back, self.wanted)
        self.tokens = label("", "small", "t3")
        fill(columns(self, (12, 0, 10, 0), 8), icon, title, (self.words, 1), self.tokens, self.back)
        self._title = title.text()
        self.show_back(Back(False))

    def show_back(self, back: Back, low: bool = False) -> None:
        """Say whether the next request has it again, else what bringing it back adds to that; `low`, in a line."""
        cut = self.fact.cut
        self.setFixedHeight(LOW_PX if low else ABSENT_PX)
        words = "" if low else tr("Not in the request. That doesn’t mean wrong.")
        if cut is not None:
            words = _cut_words(cut, back.is_back)
        self.words.setText(words)
        self.back.setVisible(cut is not None and self._may_change and not back.is_back)
        more = 0 if back.is_back else back.tokens or 0
        price = tr("≈ {n} tokens").format(n=formatting.signed_tokens(more))
        set_text(self.tokens, price if more else "")
        self.setAccessibleName(f"{self._title}. {words}")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.tokens.setVisible(self.width() >= _NARROW)


class FactPanel(Stack):
    """The quiet line, and unfolded the legend, the card of the chosen fact and the absent ones.

    Signals:
        toggled: it shall be folded or unfolded; chosen: the number of a fact.
        asked: "layers", "payload" or "back", and the number of the fact.
    """

    toggled = Signal(bool)
    chosen = Signal(int)
    asked = Signal(str, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._found, self._number, self._may_change = AnswerFacts(), 0, True
        self._backs, self._low = NO_BACKS, False
        self.line = QuietLine(self)
        self.line.clicked.connect(lambda: self.toggled.emit(not self.line.unfolded))
        self.legend, self.card = Legend(self), FactCard(self)
        self.put_aside(self.legend, self.card)
        self.card.stepped.connect(self.step)
        self.card.asked.connect(self._on_card)
        self.card.installEventFilter(self)
        self.absent: list[AbsentCard] = []
        self._narrow = False

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._narrow is not (self.width() < _NARROW):
            number = self._number if self.line.unfolded else None
            self.show_facts(self._found, number, self._may_change, (self._backs, self._low))

    def show_facts(
        self, found: AnswerFacts, number: int | None, may_change: bool, now: tuple[Backs, bool]
    ) -> None:
        """Show the facts of an answer; folded where no number of a fact is given.

        `now` is what became of what was cut, and whether there is little height: then absent ones take a line each.
        """
        other = found is not self._found or may_change is not self._may_change
        self._found, self._may_change = found, may_change
        self._backs, self._low = now
        self._narrow = max(self.width(), self.parentWidget().width()) < _NARROW
        unfolded = number is not None and bool(found.facts)
        self.line.show_words(quiet_words(found), unfolded)
        self.line.setEnabled(bool(found.facts))
        places = [StackItem(self.line)]
        if unfolded and number is not None:
            narrow = self._narrow
            self._number = min(number, len(found.facts) - 1)
            self.legend.show_facts(found)
            fact = found.facts[self._number]
            self.card.show_fact(fact, self._number, len(found.facts), narrow, self._back_of(fact).is_back)
            self._make_absent(other)
            for one in self.absent:
                one.show_back(self._back_of(one.fact), self._low)
            places += [] if narrow else [StackItem(self.legend)]
            gap = 2 if self._low else 6
            places += [StackItem(self.card, gap), *(StackItem(one, gap) for one in self.absent)]
        self.set_stack_items(places)
        self.remeasure()

    def _back_of(self, fact: AnswerFact) -> Back:
        return self._backs.get("" if fact.cut is None else fact.cut.key, Back(False))

    def _make_absent(self, other: bool) -> None:
        wanted = self._found.absent[:MOST_ABSENT]
        if not other and [one.fact for one in self.absent] == list(wanted):
            return
        for old in self.absent:
            old.hide()
            old.deleteLater()
        self.absent = [AbsentCard(fact, self._may_change) for fact in wanted]
        for made in self.absent:
            number = self._found.facts.index(made.fact)
            made.wanted.connect(lambda at=number: self.asked.emit("back", at))

    def step(self, by: int) -> None:
        """Choose the next fact, or the one before; the first follows the last."""
        if self._found.facts:
            self.chosen.emit((self._number + by) % len(self._found.facts))

    def next_absent(self) -> None:
        count = len(self._found.facts)
        after = [(self._number + by) % count for by in range(1, count + 1)]
        found = next((at for at in after if self._found.facts[at].state == "absent"), None)
        if found is not None:
            self.chosen.emit(found)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.card and event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            return self._on_key(event)
        return super().eventFilter(watched, event)

    def _on_key(self, event: QKeyEvent) -> bool:
        """The letters work on the card alone, so that they never take one from the composer."""
        key = Qt.Key
        fact = self._found.facts[self._number]
        acts: dict[Qt.Key, Callable[[], None]] = {
            key.Key_Left: lambda: self.step(-1),
            key.Key_Right: lambda: self.step(1),
            key.Key_A: self.next_absent,
            key.Key_Return: lambda: self._on_card("layers"),
            key.Key_Enter: lambda: self._on_card("layers"),
            key.Key_P: lambda: self._on_card("payload"),
            key.Key_B: lambda: self._bring_back(fact),
            key.Key_Escape: lambda: self._on_card("close"),
        }
        act = acts.get(key(event.key())) if not event.modifiers() else None
        if act is None:
            return False
        act()
        return True

    def _bring_back(self, fact: AnswerFact) -> None:
        if fact.cut is not None and self._may_change and not self._back_of(fact).is_back:
            self.asked.emit("back", self._number)

    def _on_card(self, action: str) -> None:
        if action == "close":
            self.toggled.emit(False)
            self.line.setFocus(Qt.FocusReason.OtherFocusReason)
        elif self._found.facts[self._number].where:
            self.asked.emit(action, self._number)
