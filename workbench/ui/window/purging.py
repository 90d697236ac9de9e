"""What becomes of something that is detached from a log: it stays until the next rebuild, unless it is purged."""

from __future__ import annotations

from PySide6.QtCore import QObject

from workbench.domain.files.file_names import short_path
from workbench.engine.intents import DetachArtifacts, PriceStep
from workbench.engine.state import ChatState
from workbench.engine.tuning_intents import TuneLog
from workbench.ui import steps
from workbench.ui.offers import Offer, Offering
from workbench.ui.price_words import price_in_short
from workbench.ui.steps import Step
from workbench.ui.widgets.plain import shown
from workbench.ui.window.session import Session

KEY = "purge"
LONGEST_NAME = 24


class Purging(QObject):
    """Says it in the toast, with the way out and its price."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session, self._toast = session, session.window.toast
        self._keys: tuple[str, ...] = ()
        self._chat = self._what = self._words = ""
        session.stepped.connect(self._on_step)
        session.rendered.connect(self._priced)
        Offering(self._toast.action, self._offer, session.window.wishes.offer)

    def _on_step(self, step: Step, before: ChatState | None) -> None:
        gone = [key for intent in step.do if isinstance(intent, DetachArtifacts) for key in intent.keys]
        purged = {key for one in step.do if isinstance(one, TuneLog) for key in one.purge}
        left = steps.stays_in_log(before, gone) if before is not None else ()
        stays = tuple(key for key in gone if key in purged or key in left)
        self._keys = ()
        if before is None or not stays:
            return
        self._chat, self._what = step.chat, _named(before, stays)
        if purged.issuperset(stays):
            words = self.tr(
                "{what} was removed from the next request on: a key or a password is marked in it"
            )
            self._toast.say("shield", words.format(what=self._what), self.tr("Undo"), self._undo)
            return
        self._keys = tuple(key for key in stays if key not in purged)
        self._words = self.tr("{what} stays until the next rebuild").format(what=self._what)
        self._toast.say("clock", self._words, self.tr("Remove now"), self._purge)
        self._session.send(PriceStep(self._chat, KEY, self._step()))

    def _step(self) -> tuple[TuneLog, ...]:
        return (TuneLog(self._chat, purge=frozenset(self._keys)),)

    def _purge(self) -> None:
        chat = self._session.expected(self._chat)
        if chat is not None and self._keys:
            self._session.do_step(steps.purge(chat, self._keys, self._what))
            self._session.send(PriceStep(self._chat))

    def _undo(self) -> None:
        self._session.window.wishes.run("undo")

    def _offer(self) -> Offer | None:
        if not self._keys or self._toast.text() != self._words:
            return None
        line = self.tr("Rebuilds the request without it, with the next question.")
        return Offer(
            self.tr("Remove {what} from the log").format(what=self._what), self._step(), line, icon="trash"
        )

    def _priced(self) -> None:
        """Say what purging costs, as soon as that is known of the request without the attachment."""
        chat = self._session.state.open.get(self._chat)
        if not self._keys or chat is None or chat.price is None or chat.price.key != KEY:
            return
        attached = {artifact.key for artifact in chat.conversation.attached}
        if attached.isdisjoint(self._keys) and self._toast.text() == self._words:
            price = price_in_short(chat.price.tag)
            words = self.tr("Remove now: {price}").format(price=price) if price else self.tr("Remove now")
            self._toast.name_action(words)


def _named(chat: ChatState, keys: tuple[str, ...]) -> str:
    names = {artifact.key: artifact.title or artifact.told for artifact in chat.conversation.attached}
    first = shown(short_path(names.get(keys[0], keys[0])), LONGEST_NAME)
    return first if len(keys) == 1 else f"{first} +{len(keys) - 1}"
