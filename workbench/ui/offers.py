"""Price previews: a control shows what its step would cost while it is hovered or focused."""

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
    """What a control would do, to be shown with its price.

    Attributes:
        title: what it does, in a few words; line: in a sentence; key: its shortcut, if it has one.
        step: the intents that it would send, which are priced.
        at: the control's rectangle on the screen.
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
    """Watches one widget, and makes its offer when the widget is hovered or focused, from the state at that time."""

    def __init__(self, widget: QWidget, make: MakeOffer, take: TakeOffer) -> None:
        super().__init__(widget)
        self._widget, self._make, self._take = widget, make, take
        self._shown = False
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Start or end the offer; while there is one, the widget's own tooltip is suppressed."""
        kind = event.type()
        if kind == QEvent.Type.Enter or (kind == QEvent.Type.FocusIn and came_by_keyboard(self._widget)):
            self._show_offer()
        elif kind in _ENDS and self._shown:
            self._shown = False
            self._take(None)
        return kind == QEvent.Type.ToolTip and self._shown

    def _show_offer(self) -> None:
        made = self._make() if self._widget.isEnabled() else None
        if made is not None:
            self._shown = True
            self._take(with_place(made, self._widget, self._widget.rect()))


def with_place(offer: Offer, widget: QWidget, rect: QRect) -> Offer:
    """The offer with the rectangle of its control on the screen."""
    corner = widget.mapToGlobal(QPoint(rect.left(), rect.top()))
    return replace(offer, at=QRect(corner, rect.size()))


def offer_menu(menu: QMenu, make: Callable[[QAction], Offer | None], take: TakeOffer) -> None:
    """Make every entry of a menu show its offer while it is highlighted."""

    def hovered(action: QAction) -> None:
        made = make(action)
        take(None if made is None else with_place(made, menu, menu.actionGeometry(action)))

    menu.hovered.connect(hovered)
    menu.aboutToHide.connect(lambda: take(None))
