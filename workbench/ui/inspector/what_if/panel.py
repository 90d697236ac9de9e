"""The What-if panel: other settings, tried out on the next request before anything is changed."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QWidget

from workbench.domain.envelope import WireLayout
from workbench.domain.model import CacheSeen, ModelLearnt
from workbench.domain.settings.context_settings import ContextSettings, Layout, PersonaSources
from workbench.domain.settings.control import WhatIf
from workbench.domain.variant import variant_between
from workbench.engine.intents import TrySettings
from workbench.engine.state import ChatState, WorkbenchState
from workbench.ui import formatting, steps
from workbench.ui.inspector.rows.cause_words import cause_words
from workbench.ui.inspector.what_if.controls import WhatIfChoice, WhatIfSlider
from workbench.ui.inspector.what_if.outcome_words import (
    SentenceText,
    change_words,
    choice_words,
    idle_sentence,
    trial_sentence,
    value_words,
)
from workbench.ui.inspector.what_if.values import (
    WindowSize,
    is_number,
    tried_settings,
    value_of,
    window_size_of,
    with_value,
)
from workbench.ui.look.space import columns, fill, rows
from workbench.ui.look.tones import TONES
from workbench.ui.model_button import model_name
from workbench.ui.offers import Offer, Offering
from workbench.ui.translation import listed, tr
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.guided import tell_figure
from workbench.ui.widgets.labels import ElidedLabel, IconSpot, label, set_text, set_token
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.wishes import CompareRequest, Wishes

# Where a request's parts stand, in one sentence, and the button that begins a log anew.


ICON, GAP = 14, 6


def layout_words(chosen: Layout, layout: WireLayout, model: str, seen: CacheSeen | None = None) -> str:
    """The layout of a chat's request in a sentence, and why if `auto` chose it; `seen` is how its cache behaved."""
    if layout == "append_only":
        if chosen == "auto":
            words = tr("Append-only: keeps {model}’s cache; rebuilt when due or free.")
            return words.format(model=shown(model_name(model)))
        return tr("Append-only: what was sent stays where it was sent; rebuilt when that is due or free.")
    if chosen == "auto" and seen is not None:
        return tr("Layered: the cache rules of {model} aren’t known. {seen}").format(
            model=shown(model_name(model)), seen=seen_words(seen)
        )
    if chosen == "auto":
        words = tr("Layered: no prompt cache of {model} is known, so nothing is lost by keeping it in order.")
        return words.format(model=shown(model_name(model)))
    return tr("Layered: Library comes before History; a change re-reads everything after it.")


def seen_words(seen: CacheSeen) -> str:
    """How a server's cache was observed to behave, for models whose cache rules are not known."""
    last, whole = formatting.tokens(seen.last_tokens), formatting.tokens(seen.last_prompt_tokens)
    least = formatting.tokens(seen.least_tokens)
    if seen.step_tokens is None:
        words = tr(
            "Forecasts go by what was observed: {n} of {all} tokens served last time, never fewer than {least}."
        )
        return words.format(n=last, all=whole, least=least)
    words = tr(
        "Forecasts go by what was observed: {n} of {all} tokens served last time, in steps of {step}, never fewer than "
        "{least}."
    )
    return words.format(n=last, all=whole, least=least, step=formatting.tokens(seen.step_tokens))


class LayoutLine(QWidget):
    """A line with the request's layout, why it is rebuilt if it is, and the button Rebuild now."""

    def __init__(self, wishes: Wishes, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._wishes = wishes
        self._chat: ChatState | None = None
        self.words = ElidedLabel("", "small", "t2")
        self.rebuild = button(tr("Rebuild now"), "ghost", "refresh", size="small")
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
            words = tr("{why}. {layout}").format(why=cause_words("rebuilt", view.rebuilt), layout=words)
        set_text(self.words, words)
        self.rebuild.setVisible(steps.can_rebuild(chat))
        wanted = chat.conversation.rebuild_wanted
        self.rebuild.setText(tr("Don’t rebuild") if wanted else tr("Rebuild now"))

    def _on_rebuild(self) -> None:
        if self._chat is not None:
            self._wishes.do(steps.rebuild(self._chat))

    def _offer(self) -> Offer | None:
        step = steps.rebuild(self._chat) if self._chat is not None else None
        if step is None:
            return None
        line = tr(
            "Rebuilds the request with the next question: moves files to Library, removes what is detached."
        )
        return Offer(step.title, step.do, line, tr("Ctrl+Shift+R"), "refresh")


class Sentence(QWidget):
    """A sentence with an optional icon before it."""

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
        token = "t3" if said.tone == "neutral" else TONES[said.tone].text
        set_token(self.words, token)
        self._mark.show_icon(said.icon, token)
        self.setAccessibleName(said.words)


COLUMN_STRETCH = (15, 13, 14)
IN_A_ROW = 4
WIDE_PX = 640


class WhatIfPanel(QWidget):
    """Controls for settings; their effect is a ghost in the bar above and a sentence here, until applied as a step.

    Signals:
        summarised: the changes being tried out, in a few words.
    """

    summarised = Signal(str)

    def __init__(
        self,
        wishes: Wishes | None = None,
        parent: QWidget | None = None,
        made: type[ContextSettings] = ContextSettings,
    ) -> None:
        super().__init__(parent)
        self.wishes = wishes or Wishes(self)
        self._chat: ChatState | None = None
        self._size = WindowSize(0)
        self._wanted: ContextSettings | None = None
        self._awaited = False
        self._narrow: bool | None = None
        self._made, self._settings = made, tried_settings(made)
        self.controls: dict[str, WhatIfSlider | WhatIfChoice] = {}
        # Sliders first: so Tab goes, and so several changes are named.
        for name, (one, tried) in sorted(self._settings.items(), key=lambda item: not is_number(item[1][0])):
            self.controls[name] = (
                WhatIfSlider(one, tried, self) if is_number(one) else WhatIfChoice(one, tried)
            )
        self.reset = on_click(button(tr("Reset"), "ghost"), lambda: self._try(None))
        self.compare = on_click(button(tr("Compare"), "link", size="small"), self._compare)
        self.compare.setToolTip(tip(tr("Compare the next request with and without this.")))
        self.apply = on_click(button(tr("Apply"), "secondary"), self._apply)
        self.sentence = Sentence(self)
        told = tr("Counted from the request these settings would make; it isn’t sent.")
        tell_figure(self.sentence, told, "budget")
        self.layout_line = LayoutLine(self.wishes, self)
        self._build_layout()
        for name, control in self.controls.items():
            control.changed.connect(self._change)
            hints = (words.hint for words in self._settings[name][1].choices.values())
            if isinstance(control, WhatIfChoice) and any(hints):
                control.offer_by(partial(self._offer, name), self.wishes.offer)
        self._show()

    def show_chat(self, state: WorkbenchState, chat: ChatState | None) -> None:
        before, self._chat = self._chat, chat
        if chat is None or before is None or chat.chat.id != before.chat.id:
            self._wanted, self._awaited = None, False
            if chat is not None:
                self._follow_trial(chat)
        elif chat.chat.settings != before.chat.settings and self._wanted is not None:
            self._try(None)  # it was built on settings that are no longer in force
        else:
            self._follow_trial(chat)
        if chat is not None and chat.view is not None:
            self._size = window_size_of(chat.view, _window_of(state, chat.chat.settings.model))
        model = "" if chat is None else chat.chat.settings.model
        self.layout_line.show_chat(chat, state.learnt.get(model))
        if _shows_the_same(before, chat):
            return
        self._show()

    def show_more(self, shown: bool) -> None:
        """Show or hide the controls below the first row."""
        for name in list(self._settings)[IN_A_ROW:]:
            self.controls[name].setVisible(shown)

    def wanted(self) -> ContextSettings | None:
        """The settings that are being tried out; None if there are none."""
        return self._wanted

    def summary(self) -> str:
        if self._chat is None or self._wanted is None:
            return tr("nothing changed")
        return listed(self._changes(self._chat.chat.settings, self._wanted)) or tr("nothing changed")

    # --- what is tried out --------------------------------------------------------------------------------

    def _change(self, name: str, value: Any) -> None:
        if self._chat is not None:
            base = self._chat.chat.settings
            tried, setting = self._wanted or base, self._settings[name][0]
            if is_number(setting):
                self._try(with_value(base, tried, setting, value, self._size))
            else:
                self._try(setting.with_value(tried, value))

    def _offer(self, name: str, value: object) -> Offer | None:
        """The offer of choosing a value, from which its price is previewed; None if it would change nothing."""
        if self._chat is None:
            return None
        setting, tried = self._settings[name]
        title = self._choice_title(tried, value)
        changed = setting.with_value(self._chat.chat.settings, value)
        step = steps.apply_settings(self._chat, changed, title)
        if step is None:
            return None
        return Offer(title, step.do, tr(tried.choices[value].hint), icon="layers")

    def _choice_title(self, tried: WhatIf, value: object) -> str:
        return tr("{name}: {value}").format(name=tr(tried.label), value=choice_words(tried, value))

    def _try(self, settings: ContextSettings | None) -> None:
        if self._chat is None:
            return
        self._wanted = None if settings == self._chat.chat.settings else settings
        self._awaited = True
        self.wishes.send(TrySettings(self._chat.chat.id, self._wanted))
        self._show()

    def _apply(self) -> None:
        if self._chat is None or self._wanted is None:
            return
        changes = self._changes(self._chat.chat.settings, self._wanted)
        step = steps.apply_settings(self._chat, self._wanted, changes[0] if len(changes) == 1 else "")
        if step is not None:
            self.wishes.do(step)
        self._try(None)

    def _compare(self) -> None:
        """Add the tried settings as a variant on the Compare page."""
        if self._chat is not None and self._wanted is not None:
            name = tr("What if")
            self.wishes.run(
                CompareRequest(variant=variant_between(name, self._chat.chat.settings, self._wanted))
            )

    def _follow_trial(self, chat: ChatState) -> None:
        """Follow a trial that something else started (the palette does), but ignore late results of earlier trials."""
        tried = chat.trial.settings if chat.trial is not None else None
        if tried is not None and _without_instructions(tried) == _without_instructions(chat.chat.settings):
            tried = None  # instructions are being written: their editor says so
        if tried == self._wanted:
            self._awaited = False
        elif not self._awaited:
            self._wanted = tried

    # --- showing ------------------------------------------------------------------------------------------

    def _show(self) -> None:
        chat = self._chat
        self.setEnabled(chat is not None)
        base = chat.chat.settings if chat is not None else self._made()
        wanted = self._wanted or base
        for control in self.controls.values():
            control.show_settings(base, wanted, self._size)
        changed = self._wanted is not None
        self.reset.setEnabled(changed)
        self.compare.setVisible(changed)
        self.apply.setEnabled(changed)
        self.apply.set_kind("primary" if changed else "secondary")
        if chat is None or self._wanted is None:
            self.sentence.say(idle_sentence())
        elif chat.view is not None and chat.trial is not None and chat.trial.settings == self._wanted:
            self.sentence.say(trial_sentence(chat.view, chat.trial))
        self.summarised.emit(self.summary())

    def _changes(self, base: ContextSettings, wanted: ContextSettings) -> list[str]:
        found = []
        for name in self.controls:
            setting, tried = self._settings[name]
            if not is_number(setting):
                if setting.value(base) != setting.value(wanted):
                    found.append(self._choice_title(tried, setting.value(wanted)))
                continue
            before, after = (value_of(one, setting, self._size) for one in (base, wanted))
            if before != after:
                words = change_words(value_words(setting, before), value_words(setting, after))
                found.append(tr("{name} {change}").format(name=tr(tried.label), change=words))
        return found

    # --- putting together -----------------------------------------------------------------------------------

    def _build_layout(self) -> None:
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(20)
        grid.setVerticalSpacing(6)
        for place, name in enumerate(self._settings):
            grid.addWidget(self.controls[name], *divmod(place, IN_A_ROW))
        for column, stretch in enumerate(COLUMN_STRETCH):
            grid.setColumnStretch(column, stretch)
        self._grid = grid
        self._buttons = QWidget()
        fill(columns(self._buttons, spacing=4), self.reset, self.apply)
        down = rows(self, spacing=4)
        down.addLayout(grid)
        self._foot = columns(down, spacing=12)
        self._foot.addWidget(self.sentence, 1)
        self._foot.addWidget(self.compare, 0, Qt.AlignmentFlag.AlignTop)
        down.addWidget(self.layout_line)
        self._place_buttons(narrow=False)
        self.show_more(False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the buttons beside the sentence if the panel is narrow, to leave room for the sliders."""
        super().resizeEvent(event)
        self._place_buttons(narrow=self.width() < WIDE_PX)

    def _place_buttons(self, narrow: bool) -> None:
        if narrow is self._narrow:
            return
        self._narrow = narrow
        self._grid.removeWidget(self._buttons)
        self._foot.removeWidget(self._buttons)
        if narrow:
            self._foot.addWidget(self._buttons, 0, Qt.AlignmentFlag.AlignTop)
        else:
            centre = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
            self._grid.addWidget(self._buttons, 0, 4, centre)


def _without_instructions(settings: ContextSettings) -> ContextSettings:
    return replace(
        settings, persona=PersonaSources(), system_prompt="", project_instructions="", user_memory=""
    )


def _window_of(state: WorkbenchState, model: str) -> int | None:
    for listing in state.models or ():
        if listing.name == model and listing.card is not None:
            return listing.card.context_window_tokens
    return None


def _shows_the_same(before: ChatState | None, after: ChatState | None) -> bool:
    """Whether nothing that the panel shows has changed: settings, trial, limit and reply reserve."""
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
