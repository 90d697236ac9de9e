"""The bands above the text of the composer: messages that wait, keys and passwords in it, and that it does not fit."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.domain.caching import KeptWarm
from workbench.domain.secrets import FoundSecret
from workbench.domain.shown.envelope_view import EnvelopeView, SegmentRow
from workbench.engine.intents import SendQueued, SteerQueued, SteerWay, TakeQueued
from workbench.engine.state import ChatState, Fix
from workbench.ui import formatting
from workbench.ui.chat.fixes import FixList
from workbench.ui.look.fonts import font
from workbench.ui.look.painting import Run
from workbench.ui.look.space import S1, S2, STRETCH, columns, fill, rows
from workbench.ui.translation import listed, tr
from workbench.ui.widgets.buttons import button, on_click, tool_button
from workbench.ui.widgets.card import LeadingIcon, Panel
from workbench.ui.widgets.found_words import secret_words
from workbench.ui.widgets.labels import ElidedLabel, label, set_text
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.widgets.segmented import Segmented
from workbench.ui.widgets.warm_clock import WarmClock, time_left

ICON, LONGEST = 14, 400
MOST_PLACES = 2
BAND_HEIGHT = 36


class QueuedLine(Panel):
    """One message that waits, and the turn that it will be; 0 where nobody knows. A `step` is of the present one."""

    leading = LeadingIcon("clock", "t3", ICON, (0, 0, ICON, 0))

    def __init__(self, text: str, number: int, turn: int, *, step: bool = False) -> None:
        super().__init__()
        words = shown(" ".join(text.split()), LONGEST)
        self.words = ElidedLabel(words, "small", "t2")
        self.words.setToolTip(tip(words))
        self.turn = label(tr("Turn {n}").format(n=formatting.tokens(turn)) if turn else "", "small", "t3")
        after = tr("Sent as turn {n} when turn {before} is answered.")
        told = after.format(n=formatting.tokens(turn), before=formatting.tokens(turn - 1)) if turn > 1 else ""
        if step:
            self.turn.setText(tr("This turn"))
            told = tr("Sent with the results of the tools that are running.")
        self.turn.setToolTip(tip(told))
        self.turn.setVisible(bool(turn) or step)
        self.edit = tool_button("edit", tr("Edit queued message {n}").format(n=number), tr("Edit"), side=20)
        self.remove = tool_button(
            "x", tr("Remove queued message {n}").format(n=number), tr("Don’t send this"), side=20
        )
        self.setAccessibleName(tr("Queued message {n}: {words}").format(n=number, words=words))
        self.setAccessibleDescription(told)
        fill(columns(self, (ICON + 6, 0, 0, 0), S1), self.turn, (self.words, 1), self.edit, self.remove)


class QueuedLines(QWidget):
    """All messages that wait, in order; where they are held, why, and the way to send them.

    Signals:
        changed: what the engine is to do with them. rebuilt: there are other lines.
    """

    changed = Signal(object)
    rebuilt = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._chat = ""
        self._shown: tuple[tuple[tuple[int, str], ...], bool, int, tuple[int, ...]] = ((), False, 0, ())
        self.lines: list[QueuedLine] = []
        self.why = ElidedLabel("", "small", "warn")
        self.send = button(tr("Send now"), "link", size="small")
        self.send.clicked.connect(lambda: self.changed.emit(SendQueued(self._chat)))
        self.why.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.way = Segmented(
            (
                ("answer", tr("After the answer")),
                ("step", tr("After this step")),
                ("instead", tr("Instead")),
            )
        )
        self.way.setAccessibleName(tr("When the newest queued message is sent"))
        self.way.setToolTip(
            tip(
                tr(
                    "After this step: with the results of the tools that are running (Alt+Return). "
                    "Instead: stop the answer, and send this (Alt+Shift+Return)."
                )
            )
        )
        self.way.chosen.connect(self._choose)
        self._down = rows(self, (2, 0, 2, S2), S1)
        self._head = QWidget()
        fill(columns(self._head, spacing=S2), self.way, self.why, self.send, STRETCH)
        self._down.addWidget(self._head)
        self.hide()

    def show_state(self, chat: ChatState | None) -> None:
        self._chat = chat.chat.id if chat is not None else ""
        wanted = (
            (_keyed(chat), chat.held, _next_turn(chat), chat.queued_steps)
            if chat is not None
            else ((), False, 0, ())
        )
        if wanted == self._shown:
            return
        self._shown = wanted
        queued, held, first, steps = wanted
        for line in self.lines:
            self._down.removeWidget(line)
            line.hide()
            line.deleteLater()
        early = 0
        self.lines = []
        for at, (key, text) in enumerate(queued):
            early += key in steps
            places = (at + 1, first and first + at - early)
            self.lines.append(self._line(text, key, places, step=key in steps))
        words = tr("Not sent: the previous answer didn’t finish.") if held else ""
        self.why.setText(words)
        self._head.setVisible(bool(queued))
        for part in (self.why, self.send):
            part.setVisible(held)
        self.way.setVisible(not held)
        self.way.set_current("step" if queued and queued[-1][0] in steps else "answer")
        self.setVisible(bool(queued))
        self.rebuilt.emit()
        said = words or tr("{n} queued").format(n=len(queued))
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, said))

    def in_order(self) -> list[QWidget]:
        lines: list[QWidget] = [one for line in self.lines for one in (line.edit, line.remove)]
        return [self.way, self.send, *lines] if lines else []

    def _choose(self, way: SteerWay) -> None:
        """Steer the newest message: it is the one that was just written."""
        if queued := self._shown[0]:
            self.changed.emit(SteerQueued(self._chat, queued[-1][0], way))

    def _line(self, text: str, key: int, places: tuple[int, int], *, step: bool) -> QueuedLine:
        made = QueuedLine(text, *places, step=step)
        made.edit.clicked.connect(partial(self._take, key, True))
        made.remove.clicked.connect(partial(self._take, key, False))
        self._down.addWidget(made)
        return made

    def _take(self, key: int, back: bool, _checked: bool = False) -> None:
        self.changed.emit(TakeQueued(self._chat, key, back))


def _keyed(chat: ChatState) -> tuple[tuple[int, str], ...]:
    return tuple(zip(chat.queued_keys, chat.queued, strict=True))


def _next_turn(chat: ChatState) -> int:
    """Which turn the first message that waits will be: the one after what is being answered, or was last."""
    if not chat.queued:
        return 0
    if chat.running is not None:
        return chat.running.number and chat.running.number + 1
    return max((turn.number for turn in chat.turns), default=0) + 1


class SecretIn(NamedTuple):
    """What was found in one part of a request; the draft itself has no name."""

    name: str
    found: tuple[FoundSecret, ...]


def secrets_of_message(view: EnvelopeView | None) -> tuple[SecretIn, ...]:
    """What the next message would send: in its own words first, then in what it brings and in what is attached."""
    return () if view is None else tuple(sorted(_found(view), key=lambda one: one.name != ""))


def _found(view: EnvelopeView) -> Iterator[SecretIn]:
    for layer in view.layers:
        for row in layer.rows if layer.name != "L4_STRIP" else ():
            if row.secrets and _is_of_message(row):
                name = "" if layer.name == "L5_USER" else row.name or row.key.id
                yield SecretIn(name, row.secrets)


def _is_of_message(row: SegmentRow) -> bool:
    return row.key.layer in ("L3_TURN", "L5_USER") or (row.key.layer == "L2_PREVIOUS" and row.tunable)


def is_read(chat: ChatState | None, text: str) -> bool:
    """Whether what was found in a chat's next message was found in these very words."""
    return chat is not None and chat.draft == chat.next_words == text


class SecretLine(Panel):
    """Says what was found, as long as it is there; it can be replaced in this message, or before every sending."""

    leading = LeadingIcon("key", "warn", ICON, (0, 0, ICON, 0))

    def __init__(self) -> None:
        super().__init__()
        self._cleaned: str | None = None
        self.words = ElidedLabel("", "small", "warn")
        self.replace = button(tr("Replace in this message"), "link", size="small")
        self.always = button(tr("Always replace"), "link", size="small")
        self.always.setToolTip(tr("From now on, keys and passwords are replaced in everything you send."))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.words.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        fill(columns(self, (ICON + 6, 0, 0, 0), S2), self.words, self.replace, self.always, STRETCH)
        self.hide()

    def show_found(self, places: tuple[SecretIn, ...]) -> None:
        words = self._words(places)
        if words == self.words.text():
            return
        self.words.setText(words)
        replaced = any(one.replaced for place in places for one in place.found)
        self.replace.setVisible(any(not place.name for place in places) and not replaced)
        self.always.setVisible(bool(places) and not replaced)
        self.setVisible(bool(places))
        if places:
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, words))

    def show_for(self, text: str, places: tuple[SecretIn, ...], current: bool) -> None:
        """Say what is in a message; of one that was just cleaned, only what was found since."""
        if text != self._cleaned or (places and current):
            self._cleaned = None
            self.show_found(places)

    def replaced(self, text: str, places: tuple[SecretIn, ...]) -> str:
        """The message without them; what was wanted once may be wanted always."""
        own = [one for place in places if not place.name for one in place.found]
        for one in sorted(own, key=lambda found: found.start, reverse=True):
            text = text[: one.start] + one.replacement + text[one.end :]
        self._cleaned = text
        self.words.setText(tr("Replaced in this message."))
        self.replace.hide()
        return text

    def _words(self, places: tuple[SecretIn, ...]) -> str:
        said = [self._place(place) for place in places[:MOST_PLACES]]
        more = len(places) - len(said)
        if more > 0:
            said.append(tr("and {n} more").format(n=more))
        return listed(said)

    def _place(self, place: SecretIn) -> str:
        name = shown(place.name, 40) if place.name else tr("Your message")
        return tr("{name}: {words}").format(name=name, words=secret_words(place.found))


class OverLimit(QWidget):
    """The overshoot and up to four fixes."""

    def __init__(self) -> None:
        super().__init__()
        self._over_tokens = 0
        self._shown: tuple[int, tuple[Fix, ...]] | None = None
        self.band, self.fixes = Panel(), FixList()
        self.band.line_below, self.band.padding = True, (12, 0, 12, 0)
        self.band.setFixedHeight(BAND_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        fill(rows(self), self.band, self.fixes)

    def show_over(self, over_tokens: int, fixes: tuple[Fix, ...]) -> None:
        wanted = (over_tokens, fixes if over_tokens else ())
        if wanted == self._shown:
            return
        self._shown, self._over_tokens = wanted, over_tokens
        self.fixes.show_fixes(wanted[1])
        strong, rest = self.words()
        self.band.runs = (
            Run(icon="warn", token="err", size=16, gap=8),
            Run(strong, "err", "ui", 600, gap=4),
            Run(rest, role="ui"),
        )
        self.setAccessibleName(f"{strong} {rest}")
        self.setVisible(over_tokens > 0)
        self.band.update()

    def words(self) -> tuple[str, str]:
        """What the band says: first what counts, then what can be done about it."""
        strong = tr("{tokens} over the limit.").format(tokens=formatting.token_words(self._over_tokens))
        if self.fixes.fix_rows():
            return strong, tr("Sending is blocked. Choose a fix:")
        return strong, tr("Sending is blocked. Shorten the message or detach something.")


COLD_HEIGHT, COLD_SOON_S, COLD_NARROW_PX = 38, 60, 520


class ColdLine(Panel):
    """Says within the last minute what it costs that the cache forgets the chat, and offers to keep it warm.

    While it is kept warm, until when at most, and how often it was done.

    Signals:
        wished: whether it is to be kept warm from now on.
    """

    wished = Signal(bool)
    ground, line_above = "warn_tint", True
    leading = LeadingIcon("clock", "warn", 16, (12, 0, 16, 0))

    def __init__(self, clock: WarmClock | None = None) -> None:
        super().__init__()
        self.clock = clock or WarmClock(self)
        self._kept: KeptWarm | None = None
        self._dismissed = ""
        self.strong, self.words = label("", "small", "warn"), ElidedLabel("", "small", "warn")
        self.strong.setFont(font("small", 600))
        self.price = label("", "small", "t2")
        self.act = on_click(button("", size="small"), self._act)
        self.close_it = on_click(tool_button("x", tr("Close"), side=20), self._dismiss)
        self.setFixedHeight(COLD_HEIGHT)
        self.clock.ticked.connect(self._write)
        fill(
            columns(self, (36, 0, 10, 0), S1),
            self.strong, (self.words, 1), self.price, S1, self.act, self.close_it,
        )  # fmt: skip
        self.hide()

    def show_kept(self, kept: KeptWarm | None) -> None:
        """Show what keeping the chat warm costs, or how far it is; None hides it."""
        if kept == self._kept:
            return
        self._kept = kept
        self._write()

    def _write(self) -> None:
        kept, was_hidden = self._kept, self.isHidden()
        left = 0 if kept is None else self.clock.left_s(kept.until_utc)
        offered = kept is not None and not kept.on and kept.pays and 0 < left <= COLD_SOON_S
        there = kept is not None and (kept.on or (offered and self._dismissed != kept.until_utc))
        self.clock.listen(self, kept is not None and not kept.on and left > 0)
        if kept is not None and there:
            self._show_words(kept, left)
        if was_hidden == there:
            self.setVisible(there)
            if there:
                said = f"{self.strong.text()} {self.words.text()}"
                QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, said))

    def _show_words(self, kept: KeptWarm, left: int) -> None:
        if kept.on:
            until = tr("Kept warm until {time},").format(time=formatting.clock(kept.kept_until_utc))
            set_text(self.strong, until)
            words = tr("{n} of {most}").format(n=kept.done, most=kept.most)
        else:
            set_text(self.strong, tr("Cold in {time}:").format(time=time_left(left)))
            tokens = formatting.token_words(kept.tokens)
            words = f"{tokens}, {formatting.dollars(kept.reread_usd)}" if kept.reread_usd else tokens
        self.words.setText(words)
        self.act.setText(tr("Stop") if kept.on else tr("Keep warm"))
        price = formatting.usd(kept.refresh_usd) if kept.refresh_usd else tr("no cost")
        set_text(self.price, tr("{price} each time").format(price=price))
        self.close_it.setVisible(not kept.on)
        told = tr(
            "Before the provider’s cache forgets this chat, its last request is sent again with the shortest answer. "
            "That pays up to {n} times in a row."
        )
        self.act.setToolTip(tip(f"{told.format(n=kept.most)} (Ctrl+Alt+W)"))
        self.setAccessibleName(f"{self.strong.text()} {words}")

    def _act(self) -> None:
        self.wished.emit(self._kept is None or not self._kept.on)

    def _dismiss(self) -> None:
        self._dismissed = "" if self._kept is None else self._kept.until_utc
        self._write()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.price.setVisible(event.size().width() >= COLD_NARROW_PX)
