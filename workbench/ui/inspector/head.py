"""The head of the inspector: which request is shown, its digest, and undo."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import NamedTuple

from PySide6.QtCore import QRunnable, Qt, QThreadPool, Signal, SignalInstance
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QWidget

from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.ui import formatting
from workbench.ui.look.space import columns
from workbench.ui.look.tones import Tone
from workbench.ui.translation import tr
from workbench.ui.widgets.badge import Badge
from workbench.ui.widgets.buttons import on_click, tool_button
from workbench.ui.widgets.card import Hairline, Panel
from workbench.ui.widgets.guided import tell_figure
from workbench.ui.widgets.labels import ElidedLabel, key_words, label, set_text
from workbench.ui.widgets.motion import single_shot
from workbench.ui.widgets.plain import tip

# Which request the inspector shows, and how its head speaks of it.

DIGEST_LETTERS = 8


class BadgeWords(NamedTuple):
    """Tone, icon and word of a badge, and the sentence of its tooltip."""

    tone: Tone
    icon: str
    word: str
    told: str


def subtitle(view: EnvelopeView, sample: bool = False, edited: bool = False, answering: bool = False) -> str:
    """Text beside the title that says which request is shown: the next, a sent one, or an edit."""
    turn = formatting.tokens(view.turn)
    if edited:
        return tr("edit of turn {turn}, as it would be sent").format(turn=turn)
    if view.watched:
        words = tr("{turn}, as it came in at {time}") if view.as_came else tr("{turn}, as sent at {time}")
        words = words if view.was_sent or view.as_came else tr("{turn}, not sent")
        return words.format(turn=turn, time=formatting.clock(view.sent_utc))
    if view.standing != "next":
        words = tr("turn {turn}, sent {time}") if view.sent_utc else tr("turn {turn}, sent")
        words = words if view.was_sent or view.as_came else tr("{turn}, not sent")
        return words.format(turn=turn, time=formatting.clock(view.sent_utc))
    if answering:
        before = formatting.tokens(view.turn - 1)
        return tr("next, turn {turn}, without answer {before} yet").format(turn=turn, before=before)
    return (tr("sample chat, turn {turn}") if sample else tr("next, turn {turn}")).format(turn=turn)


def standing_badge(view: EnvelopeView, matches: bool) -> BadgeWords | None:
    """Badge of a request that is in flight, sent, or too large to send; None for any other."""
    if view.standing == "in_flight":
        if matches:
            told = tr("Sent exactly as shown.")
            return BadgeWords("accent", "play", tr("in flight, bytes match"), told)
        return BadgeWords("accent", "play", tr("in flight"), tr("This request is being answered."))
    if view.watched:
        return None  # the chat itself says that it can only be read
    if view.standing == "sent":
        told = tr("Sent earlier, read-only. Press × for the next request.")
        return BadgeWords("neutral", "lock", tr("read-only"), told)
    if view.over_tokens:
        told = tr("Sending is blocked: the request is over by {tokens}. Choose a fix.")
        words = told.format(tokens=formatting.token_words(view.over_tokens))
        return BadgeWords("err", "lock", tr("sending blocked"), words)
    return None


def is_same_request(one: EnvelopeView | None, other: EnvelopeView | None) -> bool:
    """Whether two views show the same request, perhaps changed in between."""
    return one is not None and other is not None and (one.turn, one.standing) == (other.turn, other.standing)


def digest_words(digest: str | None, narrow: bool) -> str:
    """The first letters of a digest, after `sha256` where there is room; dots while it is being computed."""
    if digest == "":
        return ""
    words = "{digest}…" if narrow else tr("sha256 {digest}…")
    return words.format(digest="·" * DIGEST_LETTERS if digest is None else digest[:DIGEST_LETTERS])


HEIGHT = 44
NARROW_PX = 680
COPIED_MS = 1_500
SETTLE_MS, PAINTED_MS = 150, 33
"""Debounce before the digest of a changed request is computed: it covers all bytes; another one is painted first."""
LONG_TOKENS = 30_000
"""The bytes of a longer request are written in another thread: those of 10,000 turns take a quarter of a second."""
PAUSE_SHARE = 6
"""A pause has to be so many times as long as the last digest took, which keys would have to wait for now and then."""


class _Digest(QRunnable):
    """Writes the bytes of a long request, and tells their digest."""

    def __init__(self, told: SignalInstance, view: EnvelopeView) -> None:
        super().__init__()
        self._told, self._view = told, view

    def run(self) -> None:
        began = time.thread_time()
        form = self._view.wire()
        took_ms = int((time.thread_time() - began) * 1000)
        with suppress(RuntimeError):  # the window is closed, and its head gone
            self._told.emit(self._view, "" if form is None else form.digest, took_ms)


class Head(Panel):
    """The line at the top of the inspector.

    Signals:
        undo_wished, redo_wished: the last tuning step is to be undone or redone.
        closed: back to the next request, from one that was opened.
        explain_wished: the user asks for an explanation of the window.
    """

    line_below = True

    closed = Signal()
    explain_wished = Signal()
    undo_wished = Signal()
    redo_wished = Signal()
    _told = Signal(object, str, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("surface")
        self.setFixedHeight(HEIGHT)
        self._view: EnvelopeView | None = None
        self._digest: str | None = ""
        self.place = ""
        self.subtitle = ElidedLabel("", "ui", "t2")
        self.badge = Badge()
        self.back = on_click(tool_button("x", tr("Back to the next request"), side=24), self.closed)
        self.digest = label("", "digest", "t3")
        self.copy = on_click(tool_button("copy", tr("Copy the digest")), self._copy)
        self.undo = on_click(tool_button("undo", tr("Undo")), self.undo_wished)
        self.redo = on_click(tool_button("redo", tr("Redo")), self.redo_wished)
        what = tr("What is this?")
        self.explain = on_click(
            tool_button("help", what, tr("Explain this window (Shift+F1)")), self.explain_wished
        )
        self._copied = single_shot(self, self._reset_copy_icon, COPIED_MS)
        self._settle = single_shot(self, self._find_digest, SETTLE_MS)
        self._writing, self._pause_ms = False, SETTLE_MS
        self._told.connect(self._on_told, Qt.ConnectionType.QueuedConnection)
        self._build_layout()
        self.set_undo(False, "", False, "")
        self.show_view(None)

    def _build_layout(self) -> None:
        row = columns(self, (12, 0, 12, 1), 8)
        row.addWidget(label(tr("Request"), "title"))
        row.addWidget(self.subtitle)
        row.addWidget(self.badge)
        row.addWidget(self.back)
        row.addStretch(1)
        row.addWidget(self.digest)
        row.addWidget(self.copy)
        between = Hairline(upright=True)
        between.setFixedHeight(20)
        row.addWidget(between)
        row.addWidget(self.undo)
        row.addWidget(self.redo)
        row.addWidget(self.explain)

    def show_view(
        self,
        view: EnvelopeView | None,
        sample: bool = False,
        matches: bool = False,
        edited: bool = False,
        answering: bool = False,
    ) -> None:
        """Show the subtitle, badge and digest of a request.

        `matches` says that its bytes are those that were shown before it was sent; `edited`, that it is what a question
        being edited would send; `answering`, that the turn before it is still being answered.
        """
        self._set_view(view)
        words = tr("new chat in {place}").format(place=self.place) if self.place else ""
        self.subtitle.setText(
            (words or subtitle(view, sample, edited, answering)) if view is not None else ""
        )
        self.subtitle.set_more(formatting.moment(view.sent_utc) if view is not None else "")
        badge = standing_badge(view, matches) if view is not None else None
        self.badge.setVisible(badge is not None)
        if badge is not None:
            self.badge.show_words(badge.tone, badge.icon, badge.word)
            self.badge.setToolTip(tip(badge.told))
        self.back.setVisible(view is not None and view.standing == "sent" and not view.watched)

    def set_undo(self, can_undo: bool, undo_text: str, can_redo: bool, redo_text: str) -> None:
        undo = tr("Undo: {what}").format(what=undo_text) if undo_text else tr("Undo")
        redo = tr("Redo: {what}").format(what=redo_text) if redo_text else tr("Redo")
        for made, can, words, keys in (
            (self.undo, can_undo, undo, "Ctrl+Alt+Z"),
            (self.redo, can_redo, redo, "Ctrl+Alt+Shift+Z"),
        ):
            made.setEnabled(can)
            made.setAccessibleName(words)
            made.setToolTip(tip(tr("{what} ({keys})").format(what=words, keys=key_words(keys))))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_digest()

    def _show_digest(self) -> None:
        set_text(self.digest, digest_words(self._digest, self.width() < NARROW_PX))
        # A label without a fixed size lays the whole window out again, twice with every key.
        self.digest.setFixedSize(self.digest.sizeHint().width(), HEIGHT - 1)
        told = tr("The SHA-256 of every byte of this request: {digest}.").format(digest=self._digest)
        tell_figure(self.digest, told if self._digest else "", "request")
        self.copy.setEnabled(self._digest != "")

    def _set_view(self, view: EnvelopeView | None) -> None:
        """Set the request; its digest is computed after painting, or debounced if it is the same request, changed."""
        before, self._view = self._view, view
        if view is before:
            return
        self._digest = "" if view is None else None
        self._settle.stop()
        if view is not None:
            self._settle.start(self._pause_ms if is_same_request(before, view) else PAINTED_MS)
        self._show_digest()

    def _find_digest(self) -> None:
        view = self._view
        if view is None or view.total_tokens < LONG_TOKENS:
            self._compute_digest()
        elif not self._writing:
            self._writing = True
            QThreadPool.globalInstance().start(_Digest(self._told, view))

    def _on_told(self, view: EnvelopeView, digest: str, took_ms: int) -> None:
        self._writing = False
        self._pause_ms = max(SETTLE_MS, PAUSE_SHARE * took_ms)
        if view is self._view:
            self._digest = digest
            self._show_digest()
        elif not self._settle.isActive():
            self._find_digest()

    def _compute_digest(self) -> None:
        self._settle.stop()
        form = self._view.wire() if self._view is not None else None
        self._digest = "" if form is None else form.digest
        self._show_digest()

    def _reset_copy_icon(self) -> None:
        self.copy.set_icon("copy")

    def _copy(self) -> None:
        if self._digest is None:
            self._compute_digest()
        QGuiApplication.clipboard().setText(self._digest or "")
        self.copy.set_icon("check", "ok")
        self._copied.start()
