"""What if: other settings, tried out on the next request before anything is changed."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QWidget

from workbench.domain.envelope import WireLayout
from workbench.domain.model import CacheSeen, ModelLearnt
from workbench.domain.settings.preferences import ContextSettings, FreshnessChoice, Layout, PersonaSources
from workbench.domain.variant import variant_between
from workbench.engine.intents import TrySettings
from workbench.engine.state import ChatState, WorkbenchState
from workbench.ui import formatting, steps
from workbench.ui.inspector.rows.cause_words import cause_words
from workbench.ui.inspector.what_if.controls import Option, WhatIfChoice, WhatIfControl
from workbench.ui.inspector.what_if.knobs import KNOBS, Knob, Room, Value, read, room_of, turned_from
from workbench.ui.inspector.what_if.outcome_words import (
    SentenceText,
    change_words,
    idle_sentence,
    knob_name,
    trial_sentence,
    value_words,
)
from workbench.ui.look.space import columns, fill, rows
from workbench.ui.look.tones import tone_token
from workbench.ui.model_button import model_name
from workbench.ui.offers import Offer, Offering
from workbench.ui.translation import translator
from workbench.ui.widgets.buttons import button, on_click, set_kind
from workbench.ui.widgets.guided import tell_figure
from workbench.ui.widgets.labels import ElidedLabel, IconSpot, label, set_text, set_token
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.wishes import CompareRequest, Wishes

# Where a request's parts stand, in one sentence, and the button that begins a log anew.


_tr = translator("LayoutLine")
ICON, GAP = 14, 6


def layout_words(chosen: Layout, layout: WireLayout, model: str, seen: CacheSeen | None = None) -> str:
    """What the layout of a chat is, and why, where `auto` chose it; `seen` is what its cache was seen to do."""
    if layout == "append_only":
        if chosen == "auto":
            words = _tr("Append-only: keeps {model}’s cache; rebuilt when due or free.")
            return words.format(model=shown(model_name(model)))
        return _tr("Append-only: what was sent stays where it was sent; rebuilt when that is due or free.")
    if chosen == "auto" and seen is not None:
        return _tr("Layered: the cache rules of {model} aren’t known. {seen}").format(
            model=shown(model_name(model)), seen=seen_words(seen)
        )
    if chosen == "auto":
        words = _tr(
            "Layered: no prompt cache of {model} is known, so nothing is lost by keeping it in order."
        )
        return words.format(model=shown(model_name(model)))
    return _tr("Layered: Library comes before History; a change re-reads everything after it.")


def seen_words(seen: CacheSeen) -> str:
    """What a server's cache was seen to do: observed, and no rule."""
    last, whole = formatting.tokens(seen.last_tokens), formatting.tokens(seen.last_prompt_tokens)
    least = formatting.tokens(seen.least_tokens)
    if seen.step_tokens is None:
        words = _tr(
            "Forecasts go by what was observed: {n} of {all} tokens served last time, never fewer than {least}."
        )
        return words.format(n=last, all=whole, least=least)
    words = _tr(
        "Forecasts go by what was observed: {n} of {all} tokens served last time, in steps of {step}, never fewer than "
        "{least}."
    )
    return words.format(n=last, all=whole, least=least, step=formatting.tokens(seen.step_tokens))


class LayoutLine(QWidget):
    """The sentence, why this request is begun anew where it is, and Rebuild now."""

    def __init__(self, wishes: Wishes, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._wishes = wishes
        self._chat: ChatState | None = None
        self.words = ElidedLabel("", "small", "t2")
        self.rebuild = button(self.tr("Rebuild now"), "ghost", "refresh", size="small")
        self.rebuild.clicked.connect(self._on_rebuild)
        Offering(self.rebuild, self._offer, wishes.offer)
        fill(columns(self, spacing=8), (self.words, 1), self.rebuild)

    def show_chat(self, chat: ChatState | None, learnt: ModelLearnt | None = None) -> None:
        self._chat = chat
        view = chat.view if chat is not None else None
        self.setVisible(view is not None)
        if chat is None or view is None:
            return
        settings, seen = chat.chat.settings, None if learnt is None else learnt.seen
        words = layout_words(settings.layout, view.layout, settings.model, seen)
        if view.rebuilt is not None and view.rebuilt != "first":
            words = self.tr("{why}. {layout}").format(why=cause_words("rebuilt", view.rebuilt), layout=words)
        set_text(self.words, words)
        self.rebuild.setVisible(steps.can_rebuild(chat))
        wanted = chat.conversation.rebuild_wanted
        self.rebuild.setText(self.tr("Don’t rebuild") if wanted else self.tr("Rebuild now"))

    def _on_rebuild(self) -> None:
        if self._chat is not None:
            self._wishes.do(steps.rebuild(self._chat))

    def _offer(self) -> Offer | None:
        step = steps.rebuild(self._chat) if self._chat is not None else None
        if step is None:
            return None
        line = self.tr(
            "Rebuilds the request with the next question: moves files to Library, removes what is detached."
        )
        return Offer(step.title, step.do, line, self.tr("Ctrl+Shift+R"), "refresh")


class Sentence(QWidget):
    """An icon before a sentence; without one the sentence begins where the icon would."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._mark = IconSpot("", "t3", ICON, QSize(ICON, 16))
        self._mark.hide()
        self.words = label("", "small", "t3", wrap=True)
        self.words.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeading)
        row = columns(self, spacing=GAP)
        row.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.words, 1)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)

    def say(self, said: SentenceText) -> None:
        set_text(self.words, said.words)
        token = "t3" if said.tone == "neutral" else tone_token(said.tone)
        set_token(self.words, token)
        self._mark.show_icon(said.icon, token)
        self.setAccessibleName(said.words)


FIRST: tuple[Knob, ...] = ("budget", "trim_at", "keep_last")
MORE: tuple[Knob, ...] = ("last_n", "reserve", "attachments")
STRETCH = {"budget": 15, "trim_at": 13, "keep_last": 14}
WIDE_PX = 640
FRESHNESS: tuple[FreshnessChoice, ...] = ("refresh", "freeze", "auto")
LAYOUTS: tuple[Layout, ...] = ("layered", "append_only", "auto")


class WhatIf(QWidget):
    """Controls whose result is a ghost in the bar above, a sentence here, and a step once it is applied.

    Signals:
        summarised: what is being tried out, in a few words.
    """

    summarised = Signal(str)

    def __init__(self, wishes: Wishes | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.wishes = wishes or Wishes(self)
        self._chat: ChatState | None = None
        self._room = Room(0)
        self._wanted: ContextSettings | None = None
        self._awaited = False
        self._narrow: bool | None = None
        self.knobs: dict[Knob, WhatIfControl] = {knob: WhatIfControl(knob, self) for knob in KNOBS}
        self.layout_choice = WhatIfChoice(
            self.tr("Layout"), self.tr("How a request is laid out."), self._layouts()
        )
        self.freshness = WhatIfChoice(
            self.tr("Changed files"),
            self.tr("What happens when a file changes on disk."),
            self._freshness_options(),
        )
        self.reset = on_click(button(self.tr("Reset"), "ghost"), self._reset)
        self.compare = on_click(button(self.tr("Compare"), "link", size="small"), self._compare)
        self.compare.setToolTip(tip(self.tr("Compare the next request with and without this.")))
        self.apply = on_click(button(self.tr("Apply"), "secondary"), self._apply)
        self.sentence = Sentence(self)
        told = self.tr("Counted from the request these settings would make; it isn’t sent.")
        tell_figure(self.sentence, told, "budget")
        self.layout_line = LayoutLine(self.wishes, self)
        self._more: list[QWidget] = [*(self.knobs[knob] for knob in MORE), self.freshness]
        self._arrange()
        self._connect()
        self._show()

    def show_chat(self, state: WorkbenchState, chat: ChatState | None) -> None:
        before, self._chat = self._chat, chat
        if chat is None or before is None or chat.chat.id != before.chat.id:
            self._wanted, self._awaited = None, False
            if chat is not None:
                self._catch_up(chat)
        elif chat.chat.settings != before.chat.settings and self._wanted is not None:
            self._try(None)  # it was built on settings that are no longer in force
        else:
            self._catch_up(chat)
        if chat is not None and chat.view is not None:
            self._room = room_of(chat.view, _window_of(state, chat.chat.settings.model))
        model = "" if chat is None else chat.chat.settings.model
        self.layout_line.show_chat(chat, state.learnt.get(model))
        if _same(before, chat):
            return
        self._show()

    def show_more(self, shown: bool) -> None:
        for widget in self._more:
            widget.setVisible(shown)

    def wanted(self) -> ContextSettings | None:
        """The settings that are being tried out; None where nothing is."""
        return self._wanted

    def summary(self) -> str:
        if self._chat is None or self._wanted is None:
            return self.tr("nothing changed")
        return "; ".join(self._changes(self._chat.chat.settings, self._wanted)) or self.tr("nothing changed")

    # --- what is tried out --------------------------------------------------------------------------------

    def _turn(self, name: str, value: Value) -> None:
        knob = next(knob for knob in KNOBS if knob == name)
        if self._chat is not None:
            base = self._chat.chat.settings
            self._try(turned_from(base, self._wanted or base, knob, value, self._room))

    def _choose_freshness(self, value: str) -> None:
        if self._chat is not None:
            fresh = next(each for each in FRESHNESS if each == value)
            self._try(replace(self._wanted or self._chat.chat.settings, freshness=fresh))

    def _choose_layout(self, value: str) -> None:
        if self._chat is not None:
            layout = next(each for each in LAYOUTS if each == value)
            self._try(replace(self._wanted or self._chat.chat.settings, layout=layout))

    def _layout_offer(self, value: str) -> Offer | None:
        if self._chat is None:
            return None
        layout = next(each for each in LAYOUTS if each == value)
        title = self.tr("Layout: {name}").format(name=self._layout_word(layout))
        step = steps.apply_settings(self._chat, replace(self._chat.chat.settings, layout=layout), title)
        return None if step is None else Offer(title, step.do, self._layout_told(layout), icon="layers")

    def _layout_told(self, layout: Layout) -> str:
        told: dict[Layout, str] = {
            "layered": self.tr("The library before the conversation, each part in its place."),
            "append_only": self.tr("A log that only grows, so everything but the newest part stays cached."),
            "auto": self.tr("A log where the model has a prompt cache, else layered."),
        }
        return told[layout]

    def _try(self, settings: ContextSettings | None) -> None:
        if self._chat is None:
            return
        self._wanted = None if settings == self._chat.chat.settings else settings
        self._awaited = True
        self.wishes.send(TrySettings(self._chat.chat.id, self._wanted))
        self._show()

    def _reset(self) -> None:
        self._try(None)

    def _apply(self) -> None:
        if self._chat is None or self._wanted is None:
            return
        changes = self._changes(self._chat.chat.settings, self._wanted)
        step = steps.apply_settings(self._chat, self._wanted, changes[0] if len(changes) == 1 else "")
        if step is not None:
            self.wishes.do(step)
        self._try(None)

    def _compare(self) -> None:
        """Keep what is tried as a variant beside the request as it is."""
        if self._chat is not None and self._wanted is not None:
            name = self.tr("What if")
            self.wishes.run(
                CompareRequest(variant=variant_between(name, self._chat.chat.settings, self._wanted))
            )

    def _catch_up(self, chat: ChatState) -> None:
        """Follow what others try out (the palette does), but not an echo of what was wanted before."""
        tried = chat.trial.settings if chat.trial is not None else None
        if tried is not None and _but_for_words(tried) == _but_for_words(chat.chat.settings):
            tried = None  # instructions are being written: their editor says so
        if tried == self._wanted:
            self._awaited = False
        elif not self._awaited:
            self._wanted = tried

    # --- showing ------------------------------------------------------------------------------------------

    def _show(self) -> None:
        chat = self._chat
        self.setEnabled(chat is not None)
        base = chat.chat.settings if chat is not None else ContextSettings()
        wanted = self._wanted or base
        for knob, control in self.knobs.items():
            control.show_values(read(base, knob, self._room), read(wanted, knob, self._room), self._room)
        self.layout_choice.show_value(wanted.layout, changed=wanted.layout != base.layout)
        self.freshness.show_value(wanted.freshness, changed=wanted.freshness != base.freshness)
        changed = self._wanted is not None
        self.reset.setEnabled(changed)
        self.compare.setVisible(changed)
        self.apply.setEnabled(changed)
        set_kind(self.apply, "primary" if changed else "secondary")
        self._say(chat)
        self.summarised.emit(self.summary())

    def _say(self, chat: ChatState | None) -> None:
        if chat is None or self._wanted is None:
            self.sentence.say(idle_sentence())
        elif chat.view is not None and chat.trial is not None and chat.trial.settings == self._wanted:
            self.sentence.say(trial_sentence(chat.view, chat.trial))

    def _changes(self, base: ContextSettings, wanted: ContextSettings) -> list[str]:
        found = []
        for knob in KNOBS:
            before, after = read(base, knob, self._room), read(wanted, knob, self._room)
            if before != after:
                told = change_words(value_words(knob, before), value_words(knob, after))
                found.append(self.tr("{name} {change}").format(name=knob_name(knob), change=told))
        if base.layout != wanted.layout:
            found.append(self.tr("Layout: {name}").format(name=self._layout_word(wanted.layout)))
        if base.freshness != wanted.freshness:
            found.append(self.tr("Changed files: {how}").format(how=self._fresh_word(wanted.freshness)))
        return found

    def _fresh_word(self, freshness: FreshnessChoice) -> str:
        words: dict[FreshnessChoice, str] = {
            "refresh": self.tr("re-read"),
            "freeze": self.tr("keep the copy"),
            "auto": self.tr("automatic"),
        }
        return words[freshness]

    def _layouts(self) -> tuple[Option, ...]:
        return tuple(Option(each, self._layout_word(each)) for each in LAYOUTS)

    def _layout_word(self, layout: Layout) -> str:
        words: dict[Layout, str] = {
            "layered": self.tr("Layered"),
            "append_only": self.tr("Append-only"),
            "auto": self.tr("Automatic"),
        }
        return words[layout]

    def _freshness_options(self) -> tuple[Option, ...]:
        return tuple(Option(each, self._fresh_word(each)) for each in FRESHNESS)

    # --- putting together -----------------------------------------------------------------------------------

    def _arrange(self) -> None:
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(20)
        grid.setVerticalSpacing(6)
        for line, knobs in enumerate((FIRST, MORE)):
            for place, knob in enumerate(knobs):
                grid.addWidget(self.knobs[knob], line, place)
        for place, knob in enumerate(FIRST):
            grid.setColumnStretch(place, STRETCH[knob])
        grid.addWidget(self.layout_choice, 0, 3)
        grid.addWidget(self.freshness, 1, 3)
        self._grid = grid
        self._ends = QWidget()
        fill(columns(self._ends, spacing=4), self.reset, self.apply)
        down = rows(self, spacing=4)
        down.addLayout(grid)
        self._foot = columns(down, spacing=12)
        self._foot.addWidget(self.sentence, 1)
        self._foot.addWidget(self.compare, 0, Qt.AlignmentFlag.AlignTop)
        down.addWidget(self.layout_line)
        self._place_ends(narrow=False)
        self.show_more(False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """In a narrow panel the buttons stand beside the sentence, so that the sliders have room."""
        super().resizeEvent(event)
        self._place_ends(narrow=self.width() < WIDE_PX)

    def _place_ends(self, narrow: bool) -> None:
        if narrow is self._narrow:
            return
        self._narrow = narrow
        self._grid.removeWidget(self._ends)
        self._foot.removeWidget(self._ends)
        if narrow:
            self._foot.addWidget(self._ends, 0, Qt.AlignmentFlag.AlignTop)
        else:
            centre = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
            self._grid.addWidget(self._ends, 0, 4, centre)

    def _connect(self) -> None:
        for control in self.knobs.values():
            control.turned.connect(self._turn)
        self.freshness.chosen.connect(self._choose_freshness)
        self.layout_choice.chosen.connect(self._choose_layout)
        self.layout_choice.offer_by(self._layout_offer, self.wishes.offer)


def _but_for_words(settings: ContextSettings) -> ContextSettings:
    return replace(
        settings, persona=PersonaSources(), system_prompt="", project_instructions="", user_memory=""
    )


def _window_of(state: WorkbenchState, model: str) -> int | None:
    for listing in state.models or ():
        if listing.name == model and listing.card is not None:
            return listing.card.context_window_tokens
    return None


def _same(before: ChatState | None, after: ChatState | None) -> bool:
    """Whether nothing that the panel shows has changed: its settings, its trial, and the room it has."""
    if before is None or after is None:
        return before is after
    if before.view is None or after.view is None:
        return before is after
    return (
        before.chat is after.chat
        and before.trial is after.trial
        and before.view.limit_tokens == after.view.limit_tokens
        and before.view.reserve_tokens == after.view.reserve_tokens
    )
