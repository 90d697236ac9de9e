"""The words of an answer that the chosen piece of its request carried, marked where they stand."""

from __future__ import annotations

from workbench.domain.influence import Influence, PieceInfluence
from workbench.domain.shown.envelope_view import RowKey
from workbench.domain.shown.influence_view import KeptInfluence, result_on
from workbench.engine.state import ChatState, WorkbenchState
from workbench.ui.chat.messages.answer_view import AnswerView
from workbench.ui.chat.messages.feed import key_of
from workbench.ui.chat.text.aligned import Mark
from workbench.ui.chat.transcript.following_scroll import FollowingScroll
from workbench.ui.influence_figures import piece_at

_STRONG = 0.5
"""Words with at least this part of the strongest words' nats are underlined."""


class CarriedWords:
    """Keeps the marks of one answer, which may come into sight later."""

    def __init__(self, area: FollowingScroll) -> None:
        self._area = area
        self._state: WorkbenchState | None = None
        self._chat: ChatState | None = None
        self._key: RowKey | None = None
        self._marked = ""
        self._newest: tuple[str, Influence] | None = None

    def choose(self, key: RowKey | None) -> None:
        """Another row is chosen; its words come into sight."""
        if key != self._key:
            self._key = key
            self.mark(seek=True)

    def show_state(self, state: WorkbenchState, chat: ChatState | None) -> None:
        self._state, self._chat = state, chat
        self.mark()

    def mark(self, seek: bool = False) -> None:
        """Mark what is chosen now; what was marked before is not any more."""
        kept, piece = self._chosen()
        column = self._area.column
        key = key_of(column.items(), kept.message) if kept is not None and piece is not None else ""
        old = column.view(self._marked) if self._marked and self._marked != key else None
        if isinstance(old, AnswerView):
            old.mark_carried((), "")
        self._marked = key
        view = column.view(key) if key else None
        if seek and key and (view is None or view.visibleRegion().isEmpty()):
            self._area.to_message(key)
            view = column.view(key)
        if isinstance(view, AnswerView) and kept is not None and piece is not None:
            view.mark_carried(_marks(piece, kept.offset), piece.name)

    def _chosen(self) -> tuple[KeptInfluence | None, PieceInfluence | None]:
        state, chat = self._state, self._chat
        kept = chat.influence if chat is not None and chat.shown is chat.opened else None
        if state is None or chat is None or kept is None or chat.opened is None or self._key is None:
            return None, None
        result, _ = result_on(kept, state.influence, chat.chat.id)
        if result is not None:
            self._newest = (kept.message, result)
        elif self._newest is not None and self._newest[0] == kept.message:
            result = self._newest[1]  # measured a moment ago, and a second round is offered or under way
        piece = piece_at(self._key, result, chat.opened) if result is not None and result.carried else None
        return kept, piece if piece is not None and piece.carried else None


def _marks(piece: PieceInfluence, offset: int) -> tuple[Mark, ...]:
    most = max(one.nats for one in piece.carried)
    return tuple(
        Mark(one.start + offset, one.end + offset, one.nats >= _STRONG * most)
        for one in sorted(piece.carried, key=lambda one: one.start)
    )
