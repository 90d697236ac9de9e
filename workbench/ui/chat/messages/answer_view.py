"""An answer in the transcript: what was said, what it cost, what tools did for it, and what can be done with it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QEvent, QPoint, QRect, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QEnterEvent,
    QGuiApplication,
    QKeyEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QScrollArea, QWidget

from workbench.domain.answer_facts import AnswerFacts
from workbench.domain.message import Message
from workbench.domain.probability import PROBABILITIES, LikelyWord, begun_with, likely_words
from workbench.domain.record import BEGUN_CHARS, noted_count
from workbench.domain.shown.envelope_view import PriceTag
from workbench.engine.state import EditedQuestion
from workbench.ui import formatting
from workbench.ui.chat.messages.answer_foot import BrokenBar, CarriedLine, FootLine
from workbench.ui.chat.messages.fact_panel import NO_BACKS, Backs, FactPanel, fact_marks
from workbench.ui.chat.messages.failure_card import interruption
from workbench.ui.chat.messages.feed import Answer, Call
from workbench.ui.chat.messages.message_head import (
    HeadWords,
    MessageButtons,
    MessageHead,
    offer_action,
    recalled_words,
)
from workbench.ui.chat.messages.message_head import (
    edited_words as _edited_words,
)
from workbench.ui.chat.messages.message_menu import (
    BETWEEN,
    MenuCallbacks,
    is_resumable,
    open_menu,
    why_not_continued,
)
from workbench.ui.chat.messages.message_view import MessageView, PutBackLine
from workbench.ui.chat.messages.quoted_line import Quote, QuotedLine
from workbench.ui.chat.messages.thinking import Thinking, thought_words
from workbench.ui.chat.messages.tool_line import (
    ToolLine,
    call_words,
    fate_of_record,
    record_text,
    unfold_line,
    unfolded,
)
from workbench.ui.chat.messages.usage_words import Group, usage_groups
from workbench.ui.chat.messages.version_editor import VersionEditor
from workbench.ui.chat.messages.word_card import DoubtLine, WordCard
from workbench.ui.chat.text.block_stack import BlockStack
from workbench.ui.chat.text.ink import Ink
from workbench.ui.chat.text.safe_browser import OWN_MENU
from workbench.ui.chat.text.selection import Mark
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.look.tones import state_word
from workbench.ui.model_button import model_name, not_continued_words
from workbench.ui.price_words import price_line, provider_words
from workbench.ui.translation import tr
from workbench.ui.widgets.plain import tip
from workbench.ui.widgets.stack import StackItem

THINKING_MS = "thinking_ms"
"""Where a message's metadata says how long was thought; not every provider's does."""


class AnswerView(MessageView):
    """One message of an answer; `body` is what is shown already where the answer has just arrived here.

    Signals:
        fact_wished: what is wanted of its facts ("open", "close", "choose", "layers", "payload", "back"), and which.
    """

    fact_wished = Signal(str, int)

    def __init__(self, ink: Ink, body: BlockStack | None = None, parent: QWidget | None = None) -> None:
        super().__init__(ink, parent=parent)
        self.setProperty(OWN_MENU, True)
        self.item: Answer | None = None
        self._revealed = False
        self.head = MessageHead(self)
        self.head.branch_wished.connect(lambda message: self.asked.emit("branch", message))
        self.body = body or BlockStack(ink, parent=self)
        self.body.link_wished.connect(self.link_wished)
        self.put_aside(self.head, self.body)
        self.foot: FootLine | None = None
        self.thinking: Thinking | None = None
        self.broken: BrokenBar | None = None
        self.words: tuple[LikelyWord, ...] = ()
        self.doubts: DoubtLine | None = None
        self._has_below = False
        self.word_card: WordCard | None = None
        self.body.word_pointed.connect(lambda number: self._open_word(number, hovering=True))
        self.carried: CarriedLine | None = None
        self._carried: tuple[tuple[Mark, ...], str] = ((), "")
        self.quoted: QuotedLine | None = None
        self.facts: FactPanel | None = None
        self._facts: tuple[AnswerFacts, int | None, tuple[Backs, bool]] | None = None
        self._back: PutBackLine | None = None
        self._lines: list[ToolLine] = []
        self._editors: dict[str, VersionEditor] = {}
        self.buttons = MessageButtons(self.head, self._on_chosen, self._look)
        self.buttons.on_reveal = self._on_reveal

    def show_item(self, item: object) -> None:
        assert isinstance(item, Answer)
        if self.item is not None and (self.item.key, self.item.version) != (item.key, item.version):
            if self._carried[0] or (self._facts is not None and self._facts[1] is not None):
                self.body.mark_carried(())  # of the answer that was here, in words of this one
            self._carried, self._facts = ((), ""), None
        self.item = item
        self._show_head(item)
        quiet = item.standing.quiet
        self.body.set_token("t3" if quiet else "t1")
        self.body.show_text(record_text(item.record))
        self._show_below(item)
        self._show_thinking(item)
        self._mark_carried()
        self._show_foot(item)
        self._show_quoted(item)
        self._show_calls(item)
        self._show_editors(item)
        self.buttons.fixed = item.fixed
        self.buttons.show_standing(item.standing, editable=False)
        self._arrange(item)
        self.update()

    def _show_below(self, item: Answer) -> None:
        """Lines below how the answer was begun, and below words that the model was not sure of."""
        notes, text = item.record.metadata, record_text(item.record)
        # Both are about the model's own words, and not about what a person made of them.
        begun = 0 if item.edited else noted_count(notes, BEGUN_CHARS) or 0
        self.words = likely_words(text, notes) if PROBABILITIES in notes and not item.edited else ()
        doubted = [word for word in self.words if word.is_doubted]
        had, self._has_below = self._has_below, bool(begun or self.words)
        if had or self._has_below:
            self.body.read_all()
            self.body.show_below(min(begun, len(text)), [(word.start, word.end) for word in doubted])
        marked = self.body.numbers_below() if doubted else set()
        if marked and self.doubts is None:
            self.doubts = DoubtLine(self)
            self.doubts.open.clicked.connect(lambda: self._open_word(min(self.body.numbers_below())))
        if self.doubts is not None:
            self.doubts.show_count(len(marked))

    def _open_word(self, doubt: int, *, hovering: bool = False) -> None:
        """Open the card of a word, the how-manieth of those that were doubted."""
        places = [number for number, word in enumerate(self.words) if word.is_doubted]
        item = self.item
        if item is None or doubt >= len(places):
            return
        if self.word_card is None:
            self.word_card = WordCard(self)
            self.word_card.wished.connect(self._continue_from)
            self.word_card.stepped.connect(self._go_to_word)
            self.word_card.closed.connect(lambda: self.body.choose_below(None))
        cost = item.turn.cost_usd if item.turn is not None else None
        why = not_continued_words(item.not_continued_by) if item.not_continued_by else ""
        shown = tuple(places[one] for one in sorted(self.body.numbers_below()) if one < len(places))
        price = formatting.usd(cost, about=True) if cost else ""
        self.word_card.show_words(self.words, shown, why, price)
        spot, room = self._place_of(doubt)
        self.word_card.open_at(places[doubt], spot, room, hovering=hovering)

    def _go_to_word(self, word: int) -> None:
        """The card shows another word: it goes there."""
        places = [number for number, one in enumerate(self.words) if one.is_doubted]
        if self.word_card is not None and word in places:
            self.word_card.lie_beside(*self._place_of(places.index(word)))

    def _place_of(self, doubt: int) -> tuple[QRect, QRect]:
        """Where a word stands on the screen, brought into sight and marked, and where the answer is seen."""
        self.body.choose_below(doubt)
        area: QWidget | None = self
        while area is not None and not isinstance(area, QScrollArea):
            area = area.parentWidget()
        if area is None:
            return self.body.box_below(doubt), self.screen().availableGeometry()
        middle = area.widget().mapFromGlobal(self.body.box_below(doubt).center())
        area.ensureVisible(middle.x(), middle.y(), 0, 12)
        seen = area.viewport()
        return self.body.box_below(doubt), QRect(seen.mapToGlobal(QPoint(0, 0)), seen.size())

    def _continue_from(self, word: int, candidate: int) -> None:
        if self.item is not None:
            chosen = self.words[word]
            begun = begun_with(record_text(self.item.record), chosen, chosen.candidates[candidate])
            self.asked.emit("continue", f"{self.item.key}{BETWEEN}{begun}")

    def mark_carried(self, marks: tuple[Mark, ...], name: str) -> None:
        """Mark the words that a piece of the request carried, and say which piece; none marks nothing.

        They are words of the model: a version that a person wrote has none of them.
        """
        if self.item is not None and self.item.edited:
            marks, name = (), ""
        if (marks, name) != self._carried:
            self._carried = (marks, name)
            self._mark_carried()
            if self.item is not None:
                self._arrange(self.item)

    def _mark_carried(self) -> None:
        marks, name = self._carried
        chosen = None if self._facts is None else self._facts[1]
        if self._facts is not None and chosen is not None:
            self.body.read_all()
            self.body.mark_carried(fact_marks(self._facts[0], chosen))
        elif marks or self.carried is not None or self._facts is not None:
            self.body.read_all()
            self.body.mark_carried(marks)
        if marks and self.carried is None:
            self.carried = CarriedLine(self)
        if self.carried is not None:
            self.carried.show_name(name if marks else "")

    def show_facts(
        self, found: AnswerFacts | None, number: int | None, backs: Backs = NO_BACKS, low: bool = False
    ) -> None:
        """Show how many of its facts stand in the request; with the number of one, where that does."""
        wanted = None
        if found is not None and (found.facts or found.problem):
            wanted = (found, number, (backs, low))
        if wanted == self._facts:
            return
        marked = self._facts is not None and self._facts[1] is not None
        self._facts = wanted
        if wanted is not None and self.item is not None:
            if self.facts is None:
                self.facts = FactPanel(self)
                self.facts.toggled.connect(lambda on: self.fact_wished.emit("open" if on else "close", 0))
                self.facts.chosen.connect(lambda at: self.fact_wished.emit("choose", at))
                self.facts.asked.connect(self.fact_wished)
            self.facts.show_facts(wanted[0], number, not self.item.fixed, wanted[2])
        if marked or number is not None:
            self._mark_carried()
        if self.item is not None:
            self._arrange(self.item)

    def is_untouched(self) -> bool:
        plain = self.thinking is None and self.broken is None and not self._lines and not self._editors
        return plain and self.holds_nothing(self.buttons, self.body)

    def bodies(self) -> dict[str, BlockStack]:
        thoughts = self.thinking.details() if self.thinking is not None else None
        return {"text": self.body, **({"thinking": thoughts} if thoughts else {}), **unfolded(self._lines)}

    def unfold(self, part: str) -> None:
        if part == "thinking" and self.thinking is not None:
            self.thinking.unfold()
        unfold_line(self._lines, part)

    def read_all(self) -> None:
        self.body.read_all()

    def tool_lines(self) -> tuple[ToolLine, ...]:
        return tuple(self._lines)

    def show_price(self, tag: PriceTag | None) -> None:
        if self.foot is not None:
            self.foot.show_price(None if tag is None else price_line(tag))

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.buttons.reveal(True)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.buttons.reveal(False)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self._open_menu(event.globalPos())

    def update_look(self) -> None:
        if self.item is None:
            return
        place, recalled = self.item.standing.place, bool(self.item.standing.recalled_for)
        self.set_look(place, recalled)
        if not recalled and place != "excluded":
            self.border = "line2" if place == "trimmed" and self._revealed else ""

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.is_marked() and not self.stripe:
            QPainter(self).fillRect(0, 0, 2, self.height(), colour("accent", theme_of(self)))

    def _show_head(self, item: Answer) -> None:
        name = model_name(item.model) if item.model else tr("Answer")
        time = formatting.clock(item.record.created_utc)
        state, badge, note = recalled_words(item.standing)
        pinned, quiet = item.standing.pinned, item.standing.quiet
        begun = (
            tr("begun by you") if item.record.metadata.get(BEGUN_CHARS) and not (note or item.edited) else ""
        )
        self.head.show_words(
            HeadWords(
                name,
                time,
                note or begun,
                "play" if begun else "",
                state,
                pinned,
                quiet,
                badge,
                formatting.moment(item.record.created_utc),
                item.edited,
            )
        )
        self.head.show_siblings(item.version or item.key, item.siblings)
        if self.head.siblings is not None:
            self.head.siblings.setEnabled(item.edit is None)
        spoken = tr("Answer by {name}, {time}").format(name=name, time=time)
        self.setAccessibleName(spoken if item.begins else tr("Answer, continued"))

    def _show_thinking(self, item: Answer) -> None:
        entry = item.record.entry
        thoughts = (
            "\n\n".join(thought.text for thought in entry.thinking) if isinstance(entry, Message) else ""
        )
        if not thoughts:
            return
        if self.thinking is None:
            self.thinking = Thinking(self.ink, self)
            self.thinking.link_wished.connect(self.link_wished)
        took = item.record.metadata.get(THINKING_MS)
        tokens = item.turn.reasoning_tokens if item.turn is not None else None
        words = thought_words(took if isinstance(took, int | float) else None, tokens)
        self.thinking.show_thoughts(thoughts, words)

    def _show_foot(self, item: Answer) -> None:
        if not item.ends:
            return
        if self.foot is None:
            self.foot = FootLine(self)
            self.foot.asked.connect(self._on_foot)
            self.buttons.watch(self.foot.edit, self.foot.copy, self.foot.regenerate, self.foot.more)
        state = item.record.state
        broke_off = state in ("interrupted", "running")
        # What a request cost and served is told with the words that it led to.
        groups: tuple[Group, ...] = ()
        if item.turn is not None and not item.edited:
            groups = usage_groups(item.turn, kept=state == "stopped")
        badge = None
        if state == "stopped":
            badge = ("stop", tr("the program was closed") if item.fixed else tr("stopped by you"))
        elif item.turn is not None and item.turn.finish_reason == "length":
            badge = ("info", tr("reached its limit"))
        elif item.turn is not None and item.turn.finish_reason == "refusal":
            badge = ("warn", tr("the model refused"))
        elif item.turn is not None and item.turn.finish_reason == "content_filter":
            badge = ("warn", tr("ended by a content filter"))
        said = provider_words(item.turn.says) if item.turn is not None else ""
        self.foot.fixed = item.fixed
        self.foot.show_foot(
            groups, badge, resumable=is_resumable(item) and not broke_off and not item.fixed, said=said
        )
        self.foot.regenerate.setEnabled(bool(item.question))
        if broke_off and self.broken is None:
            self.broken = BrokenBar(self)
            self.broken.asked.connect(self._on_chosen)
        if broke_off and self.broken is not None:
            failure = item.turn.failure if item.turn is not None else None
            self.broken.show_words(interruption(failure, item.turn), item.fixed)
        _allow(why_not_continued(item), self.foot.resume, self.broken and self.broken.resume)

    def _show_quoted(self, item: Answer) -> None:
        if self.quoted is None and _quotes(item):
            self.quoted = QuotedLine(self)
            self.quoted.wanted.connect(lambda key: self.asked.emit("quote", key))
        if self.quoted is not None:
            self.quoted.show_quotes(_quotes(item))
            self.forget(self.quoted)

    def _show_calls(self, item: Answer) -> None:
        while len(self._lines) < len(item.calls):
            line = ToolLine(self.ink, self)
            line.undo_wished.connect(
                lambda made=line: self._with_result(made, partial(self.asked.emit, "undo"))
            )
            line.agent_wished.connect(lambda made=line: self._open_agent(made))
            line.edit_wished.connect(lambda made=line: self._with_result(made, self.edit))
            self._lines.append(line)
        for line, call in zip(self._lines, item.calls, strict=False):
            _show_call(line, call, item.fixed)

    def _arrange(self, item: Answer) -> None:
        self.set_margins(
            (12, 10, 12, 10) if item.standing.place or item.standing.recalled_for else (0, 0, 0, 0)
        )
        own = self._editors.get(item.key)
        self.body.setVisible(own is None)
        above: list[tuple[QWidget | None, int, bool]] = [
            (self.head, 0, item.begins or item.edited or item.edit is not None),
            (self.thinking, 1, True),
            (own, 4, True),
            (self.body, 4, own is None and bool(self.body.source)),
            (self.doubts, 2, self.doubts is not None and not self.doubts.isHidden()),
            (self.carried, 4, bool(self._carried[0])),
            (self.broken, 8, item.record.state in ("interrupted", "running")),
            (self._put_back() if item.standing.place == "excluded" else None, 6, True),
        ]
        foot = [
            (self.foot, 2, item.ends and own is None),
            (self.quoted, 4, item.ends and own is None and bool(_quotes(item))),
            (self.facts, 2, self._facts is not None and own is None),
        ]
        calls: list[tuple[QWidget | None, int, bool]] = []
        for line, call in zip(self._lines, item.calls, strict=False):
            editor = None if call.result is None else self._editors.get(call.result.id)
            calls += [(line, 8, True), (editor, 4, True)]
        # Another program's figures are those of the whole answer: they stand below what it calls.
        rows = [*above, *calls, *foot] if item.fixed else [*above, *foot, *calls]
        # A view is used again: what this answer has no place for may stand where another one had it.
        self.put_aside(*(widget for widget, _, shown in rows if widget is not None and not shown))
        self.set_stack_items(
            [StackItem(widget, gap) for widget, gap, shown in rows if widget is not None and shown]
        )

    def edit(self, key: str = "") -> None:
        """Give the answer, or a tool's result of it by its id, other words; they stand beside what was said."""
        for message, said, edit in self._editable():
            if message == (key or (self.item.key if self.item is not None else "")) and edit is None and said:
                self.editing.emit(message, said)

    def editor(self, key: str = "") -> VersionEditor | None:
        return self._editors.get(key or (self.item.key if self.item is not None else ""))

    def _editable(self) -> list[tuple[str, str, EditedQuestion | None]]:
        """What can be edited here: its id, its words as they are shown, and what they are being changed to."""
        item = self.item
        if item is None or item.fixed or item.record.state == "running":
            return []
        results = [(one.result, one.edit) for one in item.calls if one.result is not None]
        return [(one.id, record_text(one), edit) for one, edit in ((item.record, item.edit), *results)]

    def _show_editors(self, item: Answer) -> None:
        wanted = {key: (said, edit) for key, said, edit in self._editable() if edit is not None}
        for key in [key for key in self._editors if key not in wanted]:
            self._editors.pop(key).deleteLater()
            self.setFocus(Qt.FocusReason.OtherFocusReason)
        for key, (said, edit) in wanted.items():
            made = self._editors.get(key)
            if made is None:
                made = self._editors[key] = VersionEditor(
                    said, edit.text, self, role="chat" if key == item.key else "code"
                )
                made.typed.connect(partial(self.editing.emit, key))
                made.saved.connect(partial(self.edited.emit, key))
                made.cancelled.connect(partial(self.editing.emit, key, None))
                made.text.setFocus(Qt.FocusReason.OtherFocusReason)
            if edit.text == made.text.toPlainText():
                made.show_price(edit.tag or PriceTag())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_E and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            self.edit()
            return
        super().keyPressEvent(event)

    def _put_back(self) -> PutBackLine:
        if self._back is None:
            self._back = PutBackLine(self)
            self._back.pressed.connect(lambda: self._on_chosen("put_back"))
        return self._back

    def _with_result(self, line: ToolLine, act: Callable[[str], None]) -> None:
        """Do something with the result that a line shows, by its id."""
        if self.item is not None and line in self._lines:
            result = self.item.calls[self._lines.index(line)].result
            if result is not None:
                act(result.id)

    def _open_agent(self, line: ToolLine) -> None:
        if self.item is not None and line in self._lines:
            self.asked.emit("open_chat", self.item.calls[self._lines.index(line)].began)

    def _on_foot(self, action: str) -> None:
        if action == "more" and self.foot is not None:
            self._open_menu(self.foot.more.mapToGlobal(self.foot.more.rect().bottomLeft()))
        else:
            self._on_chosen(action)

    def _open_menu(self, at: QPoint) -> None:
        if self.item is not None:
            open_menu(self, self.item, at, MenuCallbacks(self._on_chosen, self._look))

    def _look(self, action: str, at: QRect | None) -> None:
        if self.item is not None:
            self.looked_at.emit(action, self.item.key, at)

    def _on_reveal(self, revealed: bool) -> None:
        """A message that is sent trimmed shows what bringing it back costs, while it is looked at."""
        item, self._revealed = self.item, revealed
        if item is None or item.standing.place != "trimmed":
            revealed = False
        self._show_untrim(revealed)
        self.update()
        if item is not None and item.standing.place == "trimmed":
            self.hovered.emit(item.key, revealed)

    def _show_untrim(self, shown: bool) -> None:
        if self.foot is None:
            return
        if shown and self.foot.untrim is None:
            made = self.foot.make_untrim()
            offer_action(made, lambda: "untrim", self._look)
            self.buttons.watch(made)
            QWidget.setTabOrder(made, self.foot.copy)
        self.foot.show_untrim(shown)

    def _on_chosen(self, action: str) -> None:
        item = self.item
        if item is None:
            return
        match action:
            case "copy" | "copy_markdown":
                source = record_text(item.record)
                plain = self.body.text() if self.body.is_whole() else source
                QGuiApplication.clipboard().setText(plain if action == "copy" else source)
                if self.foot is not None:
                    self.foot.copy.say_done(tr("Copied"))
            case "regenerate":
                self.asked.emit(action, item.question)
            case "edit":
                self.edit()
            case _:
                self.asked.emit(action, item.key)


def _allow(why_not: str, *buttons: QWidget | None) -> None:
    """Buttons that can be pressed, or say why they can't."""
    for button in filter(None, buttons):
        button.setEnabled(not why_not)
        button.setToolTip(tip(why_not))


def _show_call(line: ToolLine, call: Call, fixed: bool) -> None:
    result = call.result
    text = record_text(result) if result is not None else ""
    fate = fate_of_record(result)
    words = call_words(call.call, fate, text, result.created_utc if result is not None else "")
    if call.edited:
        words = words._replace(note=" · ".join(filter(None, (words.note, _edited_words()))))
    if call.trimmed:
        words = words._replace(note=" · ".join(filter(None, (words.note, state_word("trimmed")))))
    line.show_call(words, call.call.arguments, text, undoable=fate == "changed")
    line.show_agent(bool(call.began))
    line.show_editable(result is not None and not fixed)


def _quotes(item: Answer) -> tuple[Quote, ...]:
    """What its request quoted from followed folders; an answer in a person's own words quotes nothing."""
    return () if item.turn is None or item.edited else item.turn.quoted
