"""A turn that failed, in its answer's place: what happened, what was kept, what to do; details on demand."""

from __future__ import annotations

from typing import Literal, NamedTuple

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from workbench.domain.answer import Failure, FailureKind
from workbench.domain.shown.turn_view import TurnRow
from workbench.ui import formatting
from workbench.ui.chat.fixes import FixList
from workbench.ui.chat.messages.feed import Failed, Unanswered
from workbench.ui.chat.messages.message_view import MessageView
from workbench.ui.chat.text.ink import Ink
from workbench.ui.look.painting import Run
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.look.tones import TONES, Tone
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import Button, button, on_click
from workbench.ui.widgets.card import Card, Hairline, Panel
from workbench.ui.widgets.labels import label, set_text
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.widgets.stack import StackItem

# Failed turns in words: what happened by its kind, and what a person can do about it.


LONGEST_MESSAGE = 600

Remedy = Literal["key", "add_key", "retry", "model", "edit", "settings", "over_cap"]


class FailureLook(NamedTuple):
    """The icon and title of a kind, and what is offered, the best first."""

    icon: str
    title: str
    remedies: tuple[Remedy, ...]


def failure_look(failure: Failure) -> FailureLook:
    """How a failure is shown, by its kind; a key that nobody gave was not refused."""
    if failure.keyless:
        return FailureLook("key", tr("No key yet"), ("add_key", "retry", "model"))
    looks: dict[FailureKind, FailureLook] = {
        "auth": FailureLook("key", tr("The key was refused"), ("key", "retry")),
        "rate": FailureLook("clock", tr("Too many requests"), ("retry", "model")),
        "server": FailureLook("server", tr("The server failed"), ("retry", "model")),
        "context": FailureLook("warn", tr("Too long for this model"), ("edit", "model")),
        "request": FailureLook("warn", tr("The request was refused"), ("edit", "retry")),
        "network": FailureLook("globe", tr("No connection"), ("retry", "model")),
        "tls": FailureLook("shield", tr("The connection isn’t secure"), ("settings", "retry")),
        "timeout": FailureLook("clock", tr("No answer in time"), ("retry", "model")),
        "protocol": FailureLook("warn", tr("The answer couldn’t be read"), ("retry", "model")),
        "cap": FailureLook("warn", tr("A cap on spending was reached"), ("over_cap", "model", "edit")),
        "too_big": FailureLook("warn", tr("The answer was too large"), ("retry", "edit")),
        "empty": FailureLook("info", tr("The answer was empty"), ("retry", "model")),
        "unavailable": FailureLook("chip", tr("The model isn’t available"), ("model", "retry")),
        "store": FailureLook("warn", tr("Couldn’t save"), ("retry",)),
        "internal": FailureLook("warn", tr("The program failed"), ("retry",)),
    }
    return looks[failure.kind]


def remedy_words(remedy: Remedy) -> tuple[str, str]:
    """A remedy's icon and words."""
    words: dict[Remedy, tuple[str, str]] = {
        "key": ("key", tr("Replace key…")),
        "add_key": ("key", tr("Add key…")),
        "retry": ("refresh", tr("Retry")),
        "model": ("chip", tr("Use another model…")),
        "edit": ("edit", tr("Edit by hand")),
        "settings": ("gear", tr("Server settings…")),
        "over_cap": ("send", tr("Send once over the cap")),
    }
    return words[remedy]


def failure_sentence(failure: Failure) -> str:
    """What happened, and where a key is missing what to press: this window has other ways than a command line."""
    said = shown(failure.message, LONGEST_MESSAGE)
    if not failure.keyless:
        return said
    return tr("{said} Your question is kept: press “Add key…”, then “Retry”.").format(said=said)


def details_of(failure: Failure, turn: TurnRow | None) -> str:
    """What else is known, for those who want to find out why; no key is ever in it."""
    lines = [tr("kind: {kind}").format(kind=failure.kind)]
    if failure.limit_tokens is not None:
        lines.append(tr("window: {n} tokens").format(n=formatting.tokens(failure.limit_tokens)))
    if failure.asked_tokens is not None:
        lines.append(tr("request: {n} tokens").format(n=formatting.tokens(failure.asked_tokens)))
    if failure.retry_after_s is not None:
        lines.append(tr("asked to wait: {s}").format(s=formatting.seconds(failure.retry_after_s * 1000)))
    if turn is not None:
        lines.append(tr("model: {name}").format(name=shown(turn.model)))
        sent = tr("turn {n}, sent at {time}, took {s}")
        lines.append(
            sent.format(
                n=turn.number, time=formatting.clock(turn.sent_utc), s=formatting.seconds(turn.total_ms)
            )
        )
    return "\n".join(lines)


def interruption(failure: Failure | None, turn: TurnRow | None) -> str:
    """Why an answer broke off, and what of it is kept."""
    why = shown(failure.message, 400) if failure is not None else tr("The answer was cut off.")
    if turn is None or turn.completion_tokens is None:
        return tr("{why} What arrived is kept.").format(why=why)
    kept = formatting.counted(turn.completion_tokens, tr("1 token is kept."), tr("{n} tokens are kept."))
    return f"{why} {kept}"


INDENT_PX = 40


class FailureView(MessageView):
    """The card of a failed turn.

    What is asked: "key", "add_key", "retry" (with the question), "model", "edit", "settings", "rebuild", "over_cap",
    or "fix" with its place.
    """

    def __init__(self, ink: Ink, parent: QWidget | None = None) -> None:
        super().__init__(ink, parent=parent)
        self.item: Failed | None = None
        self.card: FailureCard | None = None

    def show_item(self, item: object) -> None:
        assert isinstance(item, Failed)
        if item == self.item:
            return
        self.item = item
        old, self.card = self.card, FailureCard(item)
        self.card.asked.connect(self._on_asked)
        self.setAccessibleName(self.card.accessibleName())
        self.set_stack_items([StackItem(self.card)])
        if old is not None:
            old.deleteLater()

    def _on_asked(self, action: str, subject: str) -> None:
        self.asked.emit(action, subject)


class FailureCard(Card):
    """Head, sentence, fixes, and a row of remedies, of which the first is the one that stands out."""

    asked = Signal(str, str)

    def __init__(self, item: Failed) -> None:
        super().__init__("err")
        self._item = item
        look = failure_look(item.failure)
        self.head = CardHead("err", look.icon, look.title, item.failure.kind)
        self.sentence = label(failure_sentence(item.failure), "small", "t2", wrap=True)
        self.details: QLabel = label("", "digest", "t2", wrap=True)
        self.setAccessibleName(f"{look.title}. {self.sentence.text()}")
        self.buttons: dict[str, Button] = {}
        self.fold = on_click(button(tr("Details"), "ghost", "chevron-right", size="small"), self._toggle)
        self.fixes: FixList | None = None
        down = fill(rows(self, (1, 1, 1, 1)), self.head, indented(self.sentence), Hairline())
        if item.fixes:
            self.fixes = FixList()
            self.fixes.show_fixes(item.fixes)
            self.fixes.applied.connect(lambda fix: self.asked.emit("fix", str(item.fixes.index(fix))))
            down.addWidget(self.fixes)
        across = columns(down, (12, 8, 8, 8), 8)
        if not item.fixed:
            self._add_remedies(look.remedies)
        for made in self.buttons.values():
            across.addWidget(made)
        fill(across, STRETCH, self.fold)
        self._details_row = QWidget()
        self._details_row.setLayout(indented(self.details))
        self._details_row.hide()
        down.addWidget(self._details_row)

    def is_unfolded(self) -> bool:
        return not self._details_row.isHidden()

    def _add_remedies(self, remedies: tuple[Remedy, ...]) -> None:
        item = self._item
        if item.proposed_tokens is not None:
            words = tr("Send again with {n} tokens").format(n=formatting.tokens(item.proposed_tokens))
            self._add("rebuild", "send", words)
        for remedy in remedies:
            if remedy != "retry" or item.question:
                self._add(remedy, *remedy_words(remedy))

    def _add(self, action: str, icon: str, words: str) -> None:
        leads = not self.buttons and action in ("key", "add_key", "rebuild", "over_cap")
        made = button(words, "primary" if leads else "secondary", "" if leads else icon, size="small")
        made.clicked.connect(lambda: self.asked.emit(action, self._item.question))
        self.buttons[action] = made

    def _toggle(self) -> None:
        unfolded = not self.is_unfolded()
        set_text(self.details, details_of(self._item.failure, self._item.turn))
        self._details_row.setVisible(unfolded)
        self.fold.set_icon("chevron-down" if unfolded else "chevron-right")
        self.updateGeometry()


class UnansweredView(MessageView):
    """In the place of an answer that was stopped before its first word: what happened, and "regenerate" is asked."""

    def __init__(self, ink: Ink, parent: QWidget | None = None) -> None:
        super().__init__(ink, parent=parent)
        self.item: Unanswered | None = None
        self.card = Card("neutral", "surface")
        self.words = label("", "small", "t2", wrap=True)
        self.answer = on_click(button(tr("Answer"), icon="play", size="small"), self._on_answer)
        fill(columns(self.card, (12, 7, 8, 7), 8), (self.words, 1), self.answer)
        self.set_stack_items([StackItem(self.card)])

    def show_item(self, item: object) -> None:
        assert isinstance(item, Unanswered)
        self.item = item
        words = (
            tr("You stopped it before the answer started. Your question is kept.")
            if item.stopped
            else tr("The program ended before the answer started. Your question is kept.")
        )
        if item.fixed:
            words = (
                tr("The program left before an answer came.")
                if item.stopped
                else tr("The connection ended before an answer came.")
            )
        set_text(self.words, words)
        self.answer.setVisible(not item.fixed)
        self.answer.setToolTip(tip(tr("Answer this question now")))
        self.setAccessibleName(words)

    def _on_answer(self) -> None:
        if self.item is not None:
            self.asked.emit("regenerate", self.item.question)


class CardHead(Panel):
    """An icon, a title, and at the end the kind in small letters."""

    padding = (12, 2, 12, 0)

    def __init__(self, tone: Tone, icon: str, title: str, kind: str = "") -> None:
        super().__init__()
        self._title = title
        self.runs = (
            Run(icon=icon, token=TONES[tone].text, size=16, gap=11),
            Run(title, role="ui", weight=600),
        )
        self.end_runs = (Run(kind, "t3", "digest", gap=8),)
        self.setFixedHeight(36)

    def title(self) -> str:
        return self._title


def indented(text: QWidget, bottom: int = 10) -> QHBoxLayout:
    """A text that begins below its card's title, on whichever side that is."""
    across = fill(columns(None, (12, 0, 12, bottom)), INDENT_PX - 13, (text, 1))
    return across
