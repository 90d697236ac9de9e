"""Controls that say what they cost before they are pressed: each offers its step while somebody looks at it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from PySide6.QtCore import QEvent, QObject, QPoint, QRect
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from workbench.engine.intents import Priceable
from workbench.ui.look.focus_ring import came_by_keyboard

_ENDS = (
    QEvent.Type.Leave, QEvent.Type.FocusOut, QEvent.Type.MouseButtonPress, QEvent.Type.Hide, QEvent.Type.KeyPress,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Offer:
    """What a control would do.

    Attributes:
        title: what it is, in a few words; line: what it does, in a sentence; key: the key that does it, if one does.
        step: the very intents that it would send.
        at: where it stands on the screen.
    """

    title: str
    step: tuple[Priceable, ...]
    line: str = ""
    key: str = ""
    icon: str = ""
    at: QRect = field(default_factory=QRect)


MakeOffer = Callable[[], Offer | None]
TakeOffer = Callable[[Offer | None], None]


class Offering(QObject):
    """Watches one widget; what it offers is made when somebody looks, so that it is about what is there then."""

    def __init__(self, widget: QWidget, make: MakeOffer, take: TakeOffer) -> None:
        super().__init__(widget)
        self._widget, self._make, self._take = widget, make, take
        self._given = False
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Offer, or offer no longer; the widget's own tooltip makes room for the price."""
        kind = event.type()
        if kind == QEvent.Type.Enter or (kind == QEvent.Type.FocusIn and came_by_keyboard(self._widget)):
            self._offer()
        elif kind in _ENDS and self._given:
            self._given = False
            self._take(None)
        return kind == QEvent.Type.ToolTip and self._given

    def _offer(self) -> None:
        made = self._make() if self._widget.isEnabled() else None
        if made is not None:
            self._given = True
            self._take(standing_at(made, self._widget, self._widget.rect()))


def standing_at(offer: Offer, widget: QWidget, rect: QRect) -> Offer:
    """The offer with its place on the screen."""
    corner = widget.mapToGlobal(QPoint(rect.left(), rect.top()))
    return replace(offer, at=QRect(corner, rect.size()))


def offer_menu(menu: QMenu, make: Callable[[QAction], Offer | None], take: TakeOffer) -> None:
    """Every entry of a menu offers while it is chosen, by pointer or by key."""

    def hovered(action: QAction) -> None:
        made = make(action)
        take(None if made is None else standing_at(made, menu, menu.actionGeometry(action)))

    menu.hovered.connect(hovered)
    menu.aboutToHide.connect(lambda: take(None))
