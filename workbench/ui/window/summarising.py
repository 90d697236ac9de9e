"""Opens the sheet of summaries, and does what is wanted in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from workbench.domain.shown.price_tag import PriceTag
from workbench.domain.summary import Summary, SummaryWish
from workbench.engine.intents import PriceStep
from workbench.engine.program_intents import EndSummary, MakeSummary, OfferSummary
from workbench.ui.steps import apply_summary
from workbench.ui.window.session import Session
from workbench.ui.wishes import Summarise

if TYPE_CHECKING:  # loaded when it is opened: the first paint does not need it
    from workbench.ui.summaries.sheet import SummarySheet

PRICED = "summary"
"""The price of applying one, by its key."""


class Summarising(QObject):
    """One sheet at a time, fed with every new state."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._sheet: SummarySheet | None = None
        self._chat = ""
        self._priced: Summary | None = None
        session.rendered.connect(self._feed)

    def open(self, wish: Summarise) -> None:
        """Look at a summary of earlier turns, or of something attached."""
        from workbench.ui.summaries.sheet import SummarySheet

        chat = self._session.chat
        if chat is None or self._sheet is not None:
            return
        self._chat = chat.chat.id
        wanted = SummaryWish(last_turn=wish.last_turn, artifact=wish.artifact)
        sheet = SummarySheet(wanted, chat.chat.settings.model, self._session.window)
        sheet.offered.connect(lambda one: self._session.send(OfferSummary(self._chat, one)))
        sheet.made.connect(lambda one: self._session.send(MakeSummary(self._chat, one)))
        sheet.stopped.connect(lambda: self._session.send(EndSummary()))
        sheet.applied.connect(self._apply)
        sheet.finished.connect(self._closed)
        self._sheet = sheet
        sheet.open()
        sheet.begin()

    def _feed(self) -> None:
        view = self._session.state.summary
        if self._sheet is None:
            return
        self._price(view.summary if view is not None else None)
        self._sheet.show_view(view, self._tag())

    def _price(self, summary: Summary | None) -> None:
        """Have it said what applying it costs, once for a summary."""
        chat = self._session.state.open.get(self._chat)
        if summary is self._priced or chat is None:
            return
        self._priced = summary
        step = () if summary is None else apply_summary(chat, summary).do
        self._session.send(PriceStep(self._chat, PRICED, step) if step else PriceStep(self._chat))

    def _tag(self) -> PriceTag | None:
        chat = self._session.state.open.get(self._chat)
        price = chat.price if chat is not None else None
        return price.tag if price is not None and price.key == PRICED else None

    def _apply(self) -> None:
        view, chat = self._session.state.summary, self._session.state.open.get(self._chat)
        if view is not None and view.summary is not None and chat is not None:
            self._session.do_step(apply_summary(chat, view.summary))

    def _closed(self) -> None:
        self._sheet, self._priced = None, None
        self._session.send(EndSummary(forget=True))
        self._session.send(PriceStep(self._chat))
