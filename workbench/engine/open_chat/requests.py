"""What is kept of one open chat between two looks at its next request."""

from __future__ import annotations

from dataclasses import replace

from workbench.context.explain.row_facts import turns_of_attachments
from workbench.domain.memo import ByIdentity, Memo
from workbench.domain.message import Message
from workbench.domain.shown.envelope_view import RequestMoment
from workbench.engine.assembly.building import is_much_longer, prepare_beside, takes_long
from workbench.engine.assembly.prepare import Ask, Builder, Prepared, prepare_turn
from workbench.engine.assembly.preview import Preview
from workbench.engine.conversation import Conversation
from workbench.engine.intents import TrySettings
from workbench.engine.shown.request_view import Lenses, RequestViewer, Scene
from workbench.engine.state import ChatState
from workbench.ports.models import PriceList

DRAFT_ID = "draft"
FURTHER_WORDS = (400, 30)
"""How much longer a question is made to see whether something else changes by it; less where it does."""


class ShownRequest:
    """One request that is shown again and again, and how it was shown last.

    Attributes:
        busy: whether it is being built beside the loop. missed: whether it was asked for meanwhile.
    """

    def __init__(self, builder: Builder, viewer: RequestViewer) -> None:
        self._builder = builder
        self.viewer = viewer
        self.busy = self.missed = False
        self.start_over()

    def start_over(self) -> None:
        """Counts have become better: build everything anew."""
        self._preview = Preview(self._builder)
        self._delivered: tuple[Conversation, Ask, Prepared] | None = None

    def quickly(self, conversation: Conversation, ask: Ask) -> Prepared | None:
        """The request, where it can be had at once; None where building it would hold up the loop."""
        delivered, self._delivered = self._delivered, None
        if delivered is not None and delivered[0] is conversation and delivered[1] == ask:
            return delivered[2]
        last = self._preview.last
        if is_much_longer(ask, last):
            return None
        known = self._preview.unchanged(conversation, ask) or self._preview.retyped(conversation, ask)
        if known is None and takes_long(conversation, ask, last):
            return None
        prepared = known or prepare_turn(conversation, ask, self._builder)
        self._preview.keep(conversation, ask, prepared)
        return prepared

    async def look_further(self, conversation: Conversation, ask: Ask, prepared: Prepared) -> None:
        """Build it with a question, and with longer ones, while nobody types: then letters need no build."""
        preview = self._preview
        question = ask.question or Message(DRAFT_ID, "user", ("x",))
        if ask.question is None:
            ask = replace(ask, question=question)
            prepared = await prepare_beside(conversation, ask, self._builder)
            preview.expect(conversation, ask, prepared)
        envelope = prepared.built.envelope
        for words in FURTHER_WORDS if envelope.sized and envelope.fits else ():
            longer = replace(ask, question=replace(question, texts=(*question.texts, " x" * words)))
            built = await prepare_beside(conversation, longer, self._builder)
            if preview.widen(conversation, longer, built):
                return

    async def built_beside(self, conversation: Conversation, ask: Ask) -> Prepared:
        """Build it beside the loop; what began before everything was to be built anew is not kept."""
        preview = self._preview
        prepared = await prepare_beside(conversation, ask, self._builder)
        if preview is self._preview:
            self.deliver(conversation, ask, prepared)
        return prepared

    def deliver(self, conversation: Conversation, ask: Ask, prepared: Prepared) -> None:
        """Take a request that was built elsewhere."""
        self._delivered = (conversation, ask, prepared)
        self._preview.keep(conversation, ask, prepared)


class OpenRequests:
    """The next request of an open chat; beside it the same for settings that are tried out, an edit, a step's price.

    Attributes:
        tried: settings or a workspace that are tried out; None where none are.
    """

    def __init__(self, builder: Builder, prices: PriceList, lenses: Lenses | None = None) -> None:
        self.next, self.trial, self.edit, self.priced = (
            ShownRequest(builder, RequestViewer(builder, prices, lenses)) for _ in range(4)
        )
        self.tried: TrySettings | None = None
        self._memo = Memo()

    def start_over(self) -> None:
        """Counts have become better: build everything anew."""
        for request in (self.next, self.trial, self.edit, self.priced):
            request.start_over()

    def scene(self, state: ChatState, standing: RequestMoment = "next", sent_utc: str = "") -> Scene:
        """What is around the chat's request."""
        records = state.records
        first = self._memo.kept("attached in", (ByIdentity(records),), lambda: turns_of_attachments(records))
        return Scene(first, state.disk, standing, sent_utc)
