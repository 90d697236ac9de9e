"""The line in the composer that says which keys and passwords the next message would send, before it does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from PySide6.QtCore import QRectF
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.domain.keys.found_secret import FoundSecret
from workbench.domain.shown.envelope_view import EnvelopeView, SegmentRow
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.space import S2, STRETCH, columns, fill
from workbench.ui.widgets.buttons import button
from workbench.ui.widgets.labels import ElidedLabel
from workbench.ui.widgets.plain import shown
from workbench.ui.widgets.secrets import secret_words

ICON = 14
MOST_PLACES = 2


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


class SecretLine(QWidget):
    """Says what was found, as long as it is there; the button has it replaced from now on."""

    def __init__(self) -> None:
        super().__init__()
        self.words = ElidedLabel("", "small", "warn")
        self.replace = button(self.tr("Replace before sending"), "link", size="small")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.words.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        fill(columns(self, (ICON + 6, 0, 0, 0), S2), self.words, self.replace, STRETCH)
        self.hide()

    def show_found(self, places: tuple[SecretIn, ...]) -> None:
        """Say what is there; nothing is shown where nothing is."""
        words = self._words(places)
        if words == self.words.text():
            return
        self.words.setText(words)
        replaced = any(one.replaced for place in places for one in place.found)
        self.replace.setVisible(bool(places) and not replaced)
        self.setVisible(bool(places))
        if places:
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, words))

    def _words(self, places: tuple[SecretIn, ...]) -> str:
        said = [self._place(place) for place in places[:MOST_PLACES]]
        more = len(places) - len(said)
        if more > 0:
            said.append(self.tr("and {n} more").format(n=more))
        return "; ".join(said)

    def _place(self, place: SecretIn) -> str:
        name = shown(place.name, 40) if place.name else self.tr("Your message")
        return self.tr("{name}: {words}").format(name=name, words=secret_words(place.found))

    def paintEvent(self, _event: QPaintEvent) -> None:
        spot = QRectF(0, 0, ICON, self.height())
        paint_icon(QPainter(self), spot, "key", "warn", ICON)
