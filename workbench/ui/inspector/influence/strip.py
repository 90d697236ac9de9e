"""The strip under the tabs: what is measured, how far that is, how far to trust it, and what can be done next."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.domain.files.file_names import short_path
from workbench.domain.influence import CouldGo, Influence, InfluenceWish, PieceInfluence
from workbench.domain.shown.influence_view import (
    InfluenceView,
    KeptInfluence,
    changed_since,
    live_on,
    result_on,
)
from workbench.engine.intents import PriceStep
from workbench.engine.program_intents import MeasureInfluence, StopInfluence
from workbench.engine.state import ChatState, WorkbenchState
from workbench.ui import formatting
from workbench.ui.inspector.influence import words
from workbench.ui.inspector.influence.words import value_text
from workbench.ui.inspector.rows.row_words import row_name
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.price_words import price_line
from workbench.ui.steps import Step, leave_out_members
from workbench.ui.translation import tr
from workbench.ui.widgets.badge import Badge
from workbench.ui.widgets.buttons import button
from workbench.ui.widgets.card import LeadingIcon, Panel
from workbench.ui.widgets.labels import ElidedLabel, label, set_text, set_token
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.widgets.progress import ProgressLine
from workbench.ui.wishes import Wishes

HEIGHT = 58


class InfluenceStrip(Panel):
    """One measurement of the answer of the turn that is looked at; without any it takes no room.

    Signals:
        sorted: whether the rows are to be sorted by influence.
    """

    ground = "surface"
    line_below = True

    spoken_role = QAccessible.Role.Grouping
    sort_wanted = Signal(bool)

    def __init__(self, wishes: Wishes | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.wishes = wishes or Wishes(self)
        self._chat = ""
        self._kept: KeptInfluence | None = None
        self._live: InfluenceView | None = None
        self._put_off: InfluenceView | None = None
        self.result: Influence | None = None
        self.stale = False
        self.changed: tuple[str, ...] = ()
        self._names: tuple[str, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._make()
        self._arrange()
        self._connect()
        self.hide()

    def _make(self) -> None:
        self.title = label("", "ui_heading")
        self.badge = Badge()
        self.line = ElidedLabel("", "small", "t2")
        self.notes = label("", "small", "t2", wrap=True)
        self.progress = ProgressLine()
        self.progress.setAccessibleName(tr("Requests done"))
        # Its room stays, so that nothing below moves when a measurement begins or ends.
        policy = self.progress.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.progress.setSizePolicy(policy)
        self.start = button(tr("Measure"), "primary", size="small")
        self.put_off = button(tr("Cancel"), "ghost", size="small")
        self.stop = button(tr("Stop"), icon="stop", size="small")
        self.again = button(tr("Measure again…"), icon="refresh", size="small")
        self.finer = button(tr("Each piece…"), size="small")
        self.finer.setToolTip(tip(tr("Measure each piece alone; you see what it takes first.")))
        self.sentences = button(tr("Sentences…"), size="small")
        self.sentences.setToolTip(
            tip(tr("Measure the strongest pieces sentence by sentence; you see what it takes first."))
        )
        self.sort = button(tr("Sort by influence"), size="small")
        self.sort.setCheckable(True)
        self.sort.setToolTip(tip(tr("Sort the rows by influence, without layers (I)")))
        self._buttons = (
            self.start,
            self.put_off,
            self.stop,
            self.again,
            self.finer,
            self.sentences,
            self.sort,
        )

    def _arrange(self) -> None:
        across = columns(self, (16, 10, 14, 5), 8)
        told = rows(across, spacing=2)
        fill(columns(told, spacing=8), self.title, self.badge, STRETCH)
        fill(told, self.line, self.notes, self.progress)
        across.setStretchFactor(told, 1)
        fill(across, *self._buttons)

    def _connect(self) -> None:
        self.start.clicked.connect(self._begin)
        self.put_off.clicked.connect(self._dismiss)
        self.stop.clicked.connect(lambda: self.wishes.send(StopInfluence()))
        self.again.clicked.connect(lambda: self._offer(InfluenceWish()))
        self.finer.clicked.connect(self._look_finer)
        self.sentences.clicked.connect(lambda: self._offer(InfluenceWish(sentences=True)))
        self.sort.toggled.connect(self._on_sort)

    # --- what is shown ------------------------------------------------------------------------------------

    def show_state(self, state: WorkbenchState, chat: ChatState | None) -> None:
        """Show what is known of the answer of the turn that is opened; of any other request there is nothing."""
        kept = chat.influence if chat is not None and chat.shown is chat.opened else None
        if kept is None or chat is None:
            self._kept = self._live = self.result = None
            self.hide()
            return
        key = chat.chat.id
        live = live_on(kept, state.influence, key)
        result, stale = result_on(kept, state.influence, key)
        same_turn = self._kept is not None and (self._chat, self._kept.message) == (key, kept.message)
        if same_turn and result is None and self.result is not None:
            result = self.result  # measured a moment ago, and a second round did not come to an end
        if same_turn and live is None:
            live = self._live  # another answer is measured meanwhile, and tells of itself
        self._chat, self._kept, self._live = key, kept, live
        self.result, self.stale = result, stale
        self._look_for_changes(chat, kept)
        self._show()

    def _look_for_changes(self, chat: ChatState, kept: KeptInfluence) -> None:
        """What the next request says in other words by now, which the figures are not about."""
        view = chat.view
        self.changed, self._names = (), ()
        if chat.opened is not None and view is not None:
            self.changed = changed_since(kept, chat.opened, view, chat.conversation.attached)
            named = {row.key.id: row_name(row) for layer in view.layers for row in layer.rows}
            self._names = tuple(named.get(key, shown(short_path(key))) for key in self.changed)

    def showing(self) -> InfluenceView | None:
        """The measurement that is offered, under way or failed."""
        live = self._live
        if live is None or live is self._put_off or live.stage == "done":
            return None
        return live if live.stage != "failed" or live.problem else None

    def ranked(self) -> Influence | None:
        """The result, where there is a ranking in it to show."""
        found = self.result
        return found if found is not None and found.pieces and found.carried else None

    def toggle_sort(self) -> None:
        if self.sort.isVisibleTo(self):
            self.sort.toggle()

    def _show(self) -> None:
        kept, now = self._kept, self.showing()
        there = kept is not None and (now is not None or self.result is not None)
        if kept is None or not there:
            self.hide()
            return
        set_text(self.title, words.title(kept.turn))
        stage = now.stage if now is not None else "done"
        self.progress.setVisible(stage == "working")
        self._show_buttons(stage)
        if now is not None:
            self._show_now(now)
        elif self.result is not None:
            self._show_result(self.result)
        self.setAccessibleName(self.title.text())
        told = (self.badge.word(), self.line.text(), self.notes.text())
        self.setAccessibleDescription(". ".join(part for part in told if part))
        self.show()

    def _show_buttons(self, stage: str) -> None:
        done, found = stage == "done", self.result
        ranked = self.ranked() is not None
        self.start.setVisible(stage == "offered")
        self.put_off.setVisible(stage in ("offered", "failed"))
        self.stop.setVisible(stage == "working")
        whole = found is not None and found.complete and not self.stale
        self.again.setVisible(stage == "failed" or (done and not whole))
        self.finer.setVisible(done and whole and found is not None and found.finer is not None)
        bare = found is not None and not any(one.sentences for one in found.pieces)
        exact = found is not None and found.method != "asking"
        self.sentences.setVisible(done and whole and ranked and bare and exact)
        self.sort.setVisible(ranked)

    def _show_now(self, now: InfluenceView) -> None:
        kept_too = self.result is not None
        match now.stage:
            case "offered":
                self.badge.show_words("neutral", "", "")
                self._say(words.offer_words(now))
            case "working":
                ranked = tr("ranked; reliability follows") if now.result is not None else ""
                self.badge.show_words("accent", "", ranked)
                self.progress.set_fraction(now.done / now.planned if now.planned else None)
                self._say(words.progress_words(now))
            case _:
                self.badge.show_words("err", "warn", tr("not measured"))
                ending = tr("The earlier result is still shown.") if kept_too else ""
                self._say("", f"{now.problem} {ending}".strip(), "err")

    def _show_result(self, result: Influence) -> None:
        self.badge.show_words(*words.trust_words(result))
        self.badge.setToolTip(tip(words.trust_tip(result)))
        if self.stale:
            self.badge.show_words("warn", "warn", tr("out of date"))
        notes = words.notes_words(result)
        if not result.carried:
            notes = f"{words.nothing_words(result)} {notes}".strip()
        token = "t2" if result.carried else "t1"
        if self._names:
            notes, token = f"{words.changed_words(self._names)} {notes}".strip(), "warn"
        self._say(words.result_words(result, self.stale), notes, token)

    def _say(self, line: str, notes: str = "", token: str = "t2") -> None:
        set_text(self.line, line)
        self.line.setVisible(bool(line))
        set_text(self.notes, notes)
        set_token(self.notes, token)
        self.notes.setVisible(bool(notes))

    # --- what is wished -----------------------------------------------------------------------------------

    def _offer(self, wish: InfluenceWish) -> None:
        self._send(wish, offer=True)

    def _look_finer(self) -> None:
        if self.result is not None and self.result.finer is not None:
            self._offer(InfluenceWish(most_pieces=self.result.finer.pieces))

    def _begin(self) -> None:
        if self._live is not None:
            self._send(replace(self._live.wish), offer=False)

    def _send(self, wish: InfluenceWish, offer: bool) -> None:
        kept = self._kept
        if kept is not None:
            self._put_off = None
            self.wishes.send(MeasureInfluence(self._chat, kept.question, kept.reply, wish, offer))

    def _dismiss(self) -> None:
        self._put_off = self._live
        self._show()

    def _on_sort(self, on: bool) -> None:
        self.sort.set_icon("check" if on else "")
        self.sort_wanted.emit(on)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, HEIGHT)


# A line that offers to leave out what did next to nothing for an answer, with its price.


COULD_GO_HEIGHT = 36
PRICED = "influence:"


def suggested(result: Influence | None, stale: bool) -> CouldGo | None:
    """What could go; nothing where the result is not to be trusted."""
    if result is None or stale or not result.carried or result.reliability.trust != "reliable":
        return None
    return result.could_go


def _is_there(piece: PieceInfluence, chat: ChatState, changed: Collection[str]) -> bool:
    """Whether the chat still has it, and in the words that were measured."""
    held = chat.conversation
    known = {one.key for one in held.attached} | {one.key for one in held.library}
    known |= {one.id for one in chat.records}
    return not known.isdisjoint(piece.members) and set(changed).isdisjoint(piece.members)


class CouldGoLine(Panel):
    """One suggestion; it asks what leaving it out costs, and does it as one step that can be undone."""

    spoken_role = QAccessible.Role.Grouping

    ground, line_token, dash = "accent_tint", "accent", (3, 3)
    line_above = line_below = True
    leading = LeadingIcon("bulb", "accent_text", box=(14, 0, 18, 0))

    def __init__(self, wishes: Wishes | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.wishes = wishes or Wishes(self)
        self._chat: ChatState | None = None
        self._members: tuple[str, ...] = ()
        self._priced: tuple[object, ...] = ()
        self.words = ElidedLabel("", "ui")
        self.price = label("", "small", "t2")
        self.leave_out = button(tr("Leave out"), icon="eye-off", size="small")
        self.leave_out.clicked.connect(self._on_leave_out)
        fill(columns(self, (40, 0, 14, 0), 10), (self.words, 1), self.price, self.leave_out)
        self.setFixedHeight(COULD_GO_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.hide()

    def show_result(
        self, chat: ChatState | None, result: Influence | None, stale: bool, changed: Collection[str] = ()
    ) -> None:
        """Show the suggestion of a result for the next request of a chat; `changed` is sent in other words by now."""
        idle = suggested(result, stale)
        self._chat = chat
        piece = next((one for one in result.pieces if idle and one.id == idle.id), None) if result else None
        if chat is None or idle is None or piece is None or not _is_there(piece, chat, changed):
            self._members, self._priced = (), ()
            self.hide()
            return
        self._members = piece.members
        words = tr("{name} could go: {tokens}, influence {figure}").format(
            name=piece.name,
            tokens=formatting.token_words(idle.tokens),
            figure=value_text(idle.per_answer_token),
        )
        self.words.setText(words)
        out = self.is_out()
        self.leave_out.setText(tr("Put back") if out else tr("Leave out"))
        spoken = tr("Put back {name}") if out else tr("Leave out {name}")
        self.leave_out.setAccessibleName(spoken.format(name=piece.name))
        self._show_price(chat)
        self.setAccessibleName(words)
        self.setAccessibleDescription(self.price.text())
        self.show()

    def is_out(self) -> bool:
        """Whether it is left out of the next request already."""
        return self._chat is not None and leave_out_members(self._chat, self._members, True) is None

    def step(self) -> Step | None:
        """What leaving it out of the next request is, or putting it back where that is done already."""
        chat = self._chat
        return None if chat is None else leave_out_members(chat, self._members, not self.is_out())

    def _show_price(self, chat: ChatState) -> None:
        step = self.step()
        if self.is_out() or step is None:
            set_text(self.price, tr("left out of the next request"))
            set_token(self.price, "t2")
            self._priced = ()
            return
        key = f"{PRICED}{self._members[0]}"
        wanted = (chat.chat.id, self._members, chat.conversation.tuning)
        if wanted != self._priced:
            self._priced = wanted
            set_text(self.price, "")
            self.wishes.send(PriceStep(chat.chat.id, key, step.do))
        if chat.price is not None and chat.price.key == key and chat.price.tag is not None:
            told = price_line(chat.price.tag)
            set_text(self.price, told.words)
            set_token(self.price, told.tone if told.tone in ("ok", "warn", "err") else "t2")

    def _on_leave_out(self) -> None:
        self.wishes.do(self.step())
