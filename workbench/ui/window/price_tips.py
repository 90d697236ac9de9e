"""Shows what a control costs while it is pointed at or has the focus: asks the engine, and says what it answers."""

from __future__ import annotations

from PySide6.QtCore import QObject

from workbench.engine.intents import PriceStep
from workbench.ui.offers import Offer
from workbench.ui.widgets.price_tip import PriceTip
from workbench.ui.widgets.timer import single_shot
from workbench.ui.window.session import Session

WAIT_MS, NEXT_MS = 300, 60
"""Nothing is built for a control that the pointer only passes; with a tip in sight the next one comes at once."""


class PriceTips(QObject):
    """One tip for the whole window.

    Attributes:
        tip: the tip, once there was one.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._offer: Offer | None = None
        self._chat = self._key = ""
        self._count = 0
        self.tip: PriceTip | None = None
        self._wait = single_shot(self, self._ask)
        session.window.wishes.offered.connect(self.take)
        session.rendered.connect(self._answered)

    def take(self, offer: Offer | None) -> None:
        """A control is looked at, or none any longer."""
        seen = self.tip is not None and self.tip.isVisible()
        self._end()
        if offer is not None and self._session.chat is not None:
            self._offer = offer
            self._wait.start(NEXT_MS if seen else WAIT_MS)

    def close(self) -> None:
        self._session.window.wishes.offered.disconnect(self.take)
        self._session.rendered.disconnect(self._answered)
        self._key = ""
        self._end()

    def _end(self) -> None:
        self._wait.stop()
        self._offer = None
        if self.tip is not None:
            self.tip.hide()
        if self._key:
            self._session.send(PriceStep(self._chat))
            self._key = ""

    def _ask(self) -> None:
        offer, chat = self._offer, self._session.chat
        if offer is None or chat is None:
            return
        self._count += 1
        self._chat, self._key = chat.chat.id, f"tip {self._count}"
        self._session.send(PriceStep(self._chat, self._key, offer.step))
        if self.tip is None:
            self.tip = PriceTip(self._session.window)
        self.tip.show_offer(offer, None)

    def _answered(self) -> None:
        chat = self._session.state.open.get(self._chat)
        price = chat.price if chat is not None else None
        if self.tip is not None and self._offer is not None and price is not None and price.key == self._key:
            self.tip.show_offer(self._offer, price.tag)
