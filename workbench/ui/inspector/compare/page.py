"""The page that holds the request beside itself under other settings; no model is asked."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QScrollArea, QStackedWidget, QWidget

from workbench.domain.files.attachment import PRIORITY_LOW, Artifact
from workbench.domain.files.file_names import short_path
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.settings.preset import applied, free_name
from workbench.domain.shown.comparison import Comparison, ComparisonColumn
from workbench.domain.shown.turn_view import TurnRow
from workbench.domain.turn import TurnInputs
from workbench.domain.variant import AS_SENT, MOST_VARIANTS, NEXT, Variant, variant_between
from workbench.engine.state import ChatState, WorkbenchState
from workbench.engine.tuning_intents import CompareVariants, DiffVariant
from workbench.ui import formatting
from workbench.ui.inspector.compare.asking import AnswersSection
from workbench.ui.inspector.compare.cells import layout_word, patch_words, price_words, shown_columns
from workbench.ui.inspector.compare.columns import ColumnsView
from workbench.ui.inspector.compare.updates import UpdatesView
from workbench.ui.inspector.pages import Page
from workbench.ui.inspector.what_if.controls import WhatIfSlider
from workbench.ui.inspector.what_if.values import (
    RESERVE,
    Value,
    WindowSize,
    tried_settings,
    value_of,
    window_size_of,
    with_value,
)
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.model_button import model_name, model_names
from workbench.ui.offers import Offer, Offering
from workbench.ui.steps import apply_variant
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.card import Panel
from workbench.ui.widgets.choice import Check, Choice, Field, NumberField, TextField
from workbench.ui.widgets.floating import Sheet
from workbench.ui.widgets.labels import ElidedLabel, label, set_text, set_token
from workbench.ui.widgets.motion import single_shot
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.widgets.stack import EmptyState, scroll_area, transparent
from workbench.ui.wishes import KeepPreset, Wishes

# A variant is put together: a name, and what it changes of the chat.


WIDTH, LONGEST, TEXT_HEIGHT, LIST_HEIGHT = 560, 60, 76, 132
SLIDERS = ("context_window", "history.threshold")
TEMPERATURES = (0.0, 0.3, 0.7, 1.0, 1.5)


class VariantSheet(Sheet):
    """Controls that stand as the request was built that is compared; what is moved is the variant.

    Signals:
        made: the variant.
    """

    made = Signal(object)

    def __init__(
        self, state: WorkbenchState, chat: ChatState, taken: tuple[str, ...], parent: QWidget | None = None
    ) -> None:
        super().__init__(tr("New variant"), WIDTH, 0, parent)
        self._state, self._chat, self._taken = state, chat, taken
        self._inputs = _inputs_of_sent(chat)
        self._base: ContextSettings = chat.chat.settings if self._inputs is None else self._inputs.settings
        self._settings = self._base
        view = chat.opened or chat.view
        self._size = WindowSize(0) if view is None else window_size_of(view, None)
        self.name = Field(tr("Name, for instance Small budget"))
        self.name.setAccessibleName(tr("Name of the variant"))
        self.name.setMaxLength(LONGEST)
        self.preset, self.model, self.layout_choice = Choice(), Choice(), Choice()
        self.temperature = Choice()
        self._tried = tried_settings(type(self._base))
        self.sliders = {name: WhatIfSlider(*self._tried[name]) for name in SLIDERS}
        self.files: list[_FileRow] = []
        self.words = TextField()
        self.words.setAccessibleName(tr("Instructions for this chat"))
        self.said = label("", "small", "t2", wrap=True)
        self._arrange()
        self._connect()
        self._show()

    # --- what is wanted -----------------------------------------------------------------------------------

    def variant(self) -> Variant:
        """What was put together; its name is what it changes where none was given."""
        own = self._settings
        text = self.words.toPlainText()
        if text != own.persona.user:
            own = replace(own, persona=replace(own.persona, user=text))
        found = variant_between("", self._base, own)
        found = replace(
            found,
            priorities={row.key: row.priority.value() for row in self.files if row.has_other_priority()},
            attached={row.key: row.sent.isChecked() for row in self.files if row.is_toggled()},
        )
        name = " ".join(self.name.text().split()) or self._told(found)[:LONGEST]
        return replace(found, name=free_name(name, dict.fromkeys(self._taken)))

    def _told(self, variant: Variant) -> str:
        return patch_words(variant.patch, value_of(self._settings, self._tried[RESERVE][0], self._size))

    # --- putting together ---------------------------------------------------------------------------------

    def _arrange(self) -> None:
        self.body.addWidget(self.name)
        self._fill_choices()
        pairs = (
            (tr("Start from the preset"), self.preset),
            (tr("Model"), self.model),
            (tr("Layout"), self.layout_choice),
            (tr("Temperature"), self.temperature),
        )
        for words, control in pairs:
            control.setAccessibleName(words)
            control.setMaximumWidth(WIDTH - 200)
            fill(columns(self.body, spacing=8), (label(words), 1), control)
        fill(columns(self.body, spacing=20), *((one, 1) for one in self.sliders.values()))
        self._arrange_files()
        self.words.setPlainText(self._settings.persona.user)
        self.words.setFixedHeight(TEXT_HEIGHT)
        fill(rows(self.body, spacing=4), label(tr("Instructions for this chat"), "small", "t2"), self.words)
        self.body.addWidget(self.said)
        self.cancel = on_click(button(tr("Cancel"), shortcut_hint=tr("Esc")), self.reject)
        self.go = on_click(button(tr("Compare"), "primary"), self._make)
        fill(self.foot, STRETCH, self.cancel, self.go)

    def _arrange_files(self) -> None:
        attached = _attached(self._chat, self._inputs)
        if not attached:
            return
        content = transparent()
        down = rows(content, spacing=4)
        tuning = self._chat.conversation.tuning if self._inputs is None else self._inputs.tuning
        for one in attached:
            self.files.append(_FileRow(one, one.key not in tuning.excluded))
            down.addWidget(self.files[-1])
        height = content.sizeHint().height()
        if height > LIST_HEIGHT:
            down.setContentsMargins(0, 0, 8, 0)  # the scroll bar stands there
        down.addStretch(1)
        area = scroll_area(content, tr("Attachments"))
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the rows in it take it
        area.setFixedHeight(min(LIST_HEIGHT, height))
        words = tr("Attachments: sent or left out, and priority (0 pins, 10 is dropped first)")
        fill(rows(self.body, spacing=4), label(words, "small", "t2"), area)

    def _fill_choices(self) -> None:
        self.preset.addItem(tr("none"), "")
        for name in self._state.presets:
            self.preset.addItem(shown(name, 48), name)
        for name in model_names(self._state, self._settings.model):
            self.model.addItem(model_name(name), name)
        for layout in self._tried["layout"][1].choices:
            self.layout_choice.addItem(layout_word(layout), layout)
        own = self._settings.parameters.temperature
        self.temperature.addItem(tr("not set"), "")
        for value in sorted({*TEMPERATURES, *(() if own is None else (own,))}):
            self.temperature.addItem(formatting.score(value, 2), f"{value:g}")

    def _connect(self) -> None:
        self.preset.activated.connect(lambda _index: self._take_preset())
        self.model.activated.connect(
            lambda _index: self._take(replace(self._settings, model=self.model.chosen()))
        )
        layout = self._tried["layout"][0]
        self.layout_choice.activated.connect(
            lambda _index: self._take(layout.with_value(self._settings, self.layout_choice.chosen()))
        )
        self.temperature.activated.connect(lambda _index: self._take_temperature())
        for slider in self.sliders.values():
            slider.changed.connect(self._move)
        for row in self.files:
            row.changed.connect(self._show)
        self.words.textChanged.connect(self._show)
        self.name.returnPressed.connect(self._make)

    # --- what is moved ------------------------------------------------------------------------------------

    def _take_preset(self) -> None:
        preset = self._state.presets.get(self.preset.chosen())
        wanted = self._base if preset is None else applied(preset, self._base)
        if self.model.findData(wanted.model) < 0:
            self.model.addItem(model_name(wanted.model), wanted.model)
        if not self.name.text() and preset is not None:
            self.name.setText(self.preset.chosen())
        self.words.setPlainText(wanted.persona.user)
        self._take(wanted)

    def _take_temperature(self) -> None:
        chosen = self.temperature.chosen()
        wanted = replace(self._settings.parameters, temperature=float(chosen) if chosen else None)
        self._take(replace(self._settings, parameters=wanted))

    def _move(self, name: str, value: Value) -> None:
        self._take(with_value(self._base, self._settings, self._tried[name][0], value, self._size))

    def _take(self, settings: ContextSettings) -> None:
        self._settings = settings
        self._show()

    def _show(self) -> None:
        base, wanted = self._base, self._settings
        self.model.choose(wanted.model)
        self.layout_choice.choose(wanted.layout)
        own = wanted.parameters.temperature
        self.temperature.choose("" if own is None else f"{own:g}")
        for slider in self.sliders.values():
            slider.show_settings(base, wanted, self._size)
        found = self.variant()
        self.go.setEnabled(bool(found.patch))
        words = self._told(found) if found.patch else tr("Change something to compare it.")
        set_text(self.said, words)

    def _make(self) -> None:
        if self.go.isEnabled():
            self.made.emit(self.variant())
            self.accept()


def _inputs_of_sent(chat: ChatState) -> TurnInputs | None:
    """What the sent request that is compared started from; None where that is the next one."""
    opened, comparison = chat.opened, chat.comparison
    if opened is None or comparison is None or comparison.turn != opened.turn:
        return None
    return comparison.asked


def _attached(chat: ChatState, asked: TurnInputs | None) -> tuple[Artifact, ...]:
    """What the request that is compared may hold: what was attached after it was sent cannot be left out of it."""
    attached = chat.conversation.attached if asked is None else asked.attached
    if chat.opened is None:
        return attached
    there = {key for layer in chat.opened.layers for row in layer.rows for key in row.members}
    return tuple(one for one in attached if one.key in there)


class _FileRow(QWidget):
    """One attachment: whether it is sent, and its priority.

    Signals:
        changed: one of both is another.
    """

    changed = Signal()

    def __init__(self, artifact: Artifact, is_sent: bool) -> None:
        super().__init__()
        self.key, self._is_sent, self._priority = artifact.key, is_sent, artifact.priority
        name = shown(short_path(artifact.title or artifact.key), 48)
        self.sent = Check(name.replace("&", "&&"))
        self.sent.setChecked(is_sent)
        self.sent.setAccessibleName(tr("Send {name}").format(name=name))
        self.priority = NumberField(0, PRIORITY_LOW)
        self.priority.setValue(artifact.priority)
        self.priority.setAccessibleName(tr("Priority of {name}").format(name=name))
        fill(columns(self, spacing=8), self.sent, STRETCH, self.priority)
        self.sent.toggled.connect(lambda _on: self.changed.emit())
        self.priority.valueChanged.connect(lambda _value: self.changed.emit())

    def is_toggled(self) -> bool:
        """Whether it is sent where it is not, or the other way round."""
        return self.sent.isChecked() != self._is_sent

    def has_other_priority(self) -> bool:
        """Whether its priority is another."""
        return self.priority.value() != self._priority


HEAD_HEIGHT, FOOT_HEIGHT, LINE_HEIGHT, WIDE_PX = 48, 52, 28, 780
SETTLE_MS, SIDE = 150, 16


class ComparePage(Page):
    """Follows the request that is shown; what is compared stands in the chat's state."""

    def __init__(self, wishes: Wishes | None = None) -> None:
        super().__init__(wishes)
        self._state: WorkbenchState | None = None
        self._chat: ChatState | None = None
        self._asked: tuple[object, ...] = ()
        self._comparison: Comparison | None = None
        self._brought: tuple[str, str] | None = None
        self.title = label("", "ui_heading")
        self.line = ElidedLabel("", "small", "t3")
        self.add = on_click(button(tr("Variant"), icon="plus", size="small"), self.open_sheet)
        self.add.setAccessibleName(tr("Add a variant"))
        self.view = ColumnsView()
        self.empty = EmptyState("diff", "", "", tr("Variant"))
        self.updates = UpdatesView(self.wishes)
        self.answers = AnswersSection(self.view, self.wishes)
        self.name = label("", "ui_label")
        self.price = ElidedLabel("", "small", "warn")
        self.branch = on_click(button(tr("Make a branch"), "ghost", icon="branch"), self.answers.take)
        self.diff = on_click(button(tr("Difference"), "ghost", icon="diff"), self._show_diff)
        self.keep = on_click(button(tr("Keep as preset…"), icon="save"), self._keep)
        self.apply = on_click(button(tr("Apply to chat"), "primary"), self._apply)
        self.sheet: VariantSheet | None = None
        self._stack = QStackedWidget()
        self._settle = single_shot(self, self._ask, SETTLE_MS)
        self._reveal = single_shot(self, self._show_chosen, 0)
        self._place()
        self._connect()
        self.setFocusProxy(self.view)

    # --- what is shown ------------------------------------------------------------------------------------

    def show_state(self, state: WorkbenchState, chat: ChatState | None) -> None:
        self._state, self._chat = state, chat
        if not self.isVisible():
            return
        if chat is not None and chat.chat.filed.watched is not None:
            self._stack.setCurrentWidget(self.updates)
            self.updates.show_state(state, chat)
            return
        self._follow()
        comparison = None if chat is None else chat.comparison
        if comparison is not self._comparison:
            self._comparison = comparison
            self.view.show_columns(() if comparison is None else shown_columns(comparison))
        self.answers.show_state(state, chat, self._turn(), self.variants())
        self._bring_back()
        self._say()
        self._show_foot()

    def let_go(self, newest: ChatState | None) -> None:
        if not self._settle.isActive():
            self._state = self._chat = None
            self._asked = self._asked and (*self._asked[:2], None)
            self.answers.let_go()

    def _turn(self) -> TurnRow | None:
        """The sent turn that is compared; None for the next request."""
        chat = self._chat
        if chat is None or chat.opened is None:
            return None
        return next((row for row in reversed(chat.turns) if row.number == chat.opened.turn), None)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._state is not None:
            self.show_state(self._state, self._chat)

    def variants(self) -> tuple[Variant, ...]:
        """Those that are compared now."""
        return () if self._chat is None or self._chat.comparison is None else self._chat.comparison.variants

    def chosen(self) -> Variant | None:
        """The variant whose column is chosen; None for the first column."""
        place, variants = self.view.place(), self.variants()
        return variants[place - 1] if 0 < place <= len(variants) else None

    def _is_filled(self) -> bool:
        """Whether there is something beside the request: a variant, or answers that were asked for before."""
        return bool(self.variants()) or self.answers.found is not None

    def entry(self) -> QWidget:
        if self._stack.currentWidget() is self.updates:
            return self.updates.entry()
        return self.view if self._is_filled() else self.empty.button

    # --- what is compared ---------------------------------------------------------------------------------

    def _follow(self) -> None:
        """Have it worked out whenever another request is shown, a moment later while it is being written."""
        chat = self._chat
        if chat is None:
            return
        turn = None if chat.opened is None else chat.opened.turn
        wanted = (chat.chat.id, turn, chat.view if turn is None else chat.turns)
        known, self._asked = self._asked, wanted
        if known[:2] != wanted[:2]:
            self._ask()
        elif known[2] is not wanted[2]:
            self._settle.start()

    def _ask(self, variants: tuple[Variant, ...] | None = None) -> None:
        self._settle.stop()
        chat = self._chat
        if chat is not None:
            turn = None if chat.opened is None else chat.opened.turn
            self.wishes.send(CompareVariants(chat.chat.id, turn, variants))

    def open_sheet(self) -> None:
        """Put another variant together."""
        if self._state is None or self._chat is None or len(self.variants()) >= MOST_VARIANTS:
            return
        taken = (AS_SENT, NEXT, *(one.name for one in self.variants()))
        self.sheet = VariantSheet(self._state, self._chat, taken, self.window())
        self.sheet.made.connect(self._take)
        self.sheet.open()

    def _take(self, variant: Variant) -> None:
        self._ask((*self.variants(), variant))

    def _bring_back(self) -> None:
        """The columns of what was asked of a turn before, where none is there: once, so that they can be removed."""
        chat, turn, found = self._chat, self._turn(), self.answers.found
        if chat is None or turn is None or found is None or self._brought == (chat.chat.id, turn.question):
            return
        if chat.comparison is not None and chat.comparison.turn == turn.number:
            self._brought = (chat.chat.id, turn.question)
            if found.variants and not self.variants():
                self._ask(found.variants)

    def _add_asked(self, missing: tuple[Variant, ...]) -> None:
        """Columns for what was asked; where there is no room for all, others leave."""
        asked = {one.name for one in missing}
        asked |= set() if self.answers.found is None else {one.name for one in self.answers.found.variants}
        held = sorted(self.variants(), key=lambda one: one.name not in asked)
        kept = {one.name for one in held[: MOST_VARIANTS - len(missing)]}
        self._ask((*(one for one in self.variants() if one.name in kept), *missing)[:MOST_VARIANTS])

    def _remove(self, place: int) -> None:
        self._ask(tuple(one for at, one in enumerate(self.variants(), 1) if at != place))

    # --- what is done with one ----------------------------------------------------------------------------

    def _show_diff(self) -> None:
        variant = self.chosen()
        if self._chat is not None and variant is not None and self._column() is not None:
            self.wishes.send(DiffVariant(self._chat.chat.id, variant.name))
            self.wishes.run("diff")

    def _keep(self) -> None:
        variant = self.chosen()
        if self._chat is not None and variant is not None:
            self.wishes.run(KeepPreset(variant.apply_to_settings(self._chat.chat.settings), variant.name))

    def _apply(self) -> None:
        variant = self.chosen()
        if self._chat is not None and variant is not None:
            self.wishes.do(apply_variant(self._chat, variant))

    def _offer(self) -> Offer | None:
        variant = self.chosen()
        step = None if self._chat is None or variant is None else apply_variant(self._chat, variant)
        if step is None:
            return None
        line = tr("The chat is built this way from its next request on. You can undo it.")
        return Offer(step.title, step.do, line, icon="check")

    # --- words --------------------------------------------------------------------------------------------

    def _column(self) -> ComparisonColumn | None:
        variant, comparison = self.chosen(), self._comparison
        return None if variant is None or comparison is None else comparison.column(variant.name)

    def _say(self) -> None:
        chat, comparison = self._chat, self._comparison
        if chat is None:
            self._stack.setCurrentIndex(1)
            self.empty.say(tr("No chat is open"), tr("Open a chat to compare its requests."))
            return
        turn = None if chat.opened is None else chat.opened.turn
        there = self._is_filled()
        self._stack.setCurrentIndex(0 if there else 1)
        title = tr("Next request under other settings")
        if turn is not None:
            title = tr("Turn {n} under other settings").format(n=formatting.tokens(turn))
        set_text(self.title, title)
        self.line.setText(self._progress(comparison))
        full = len(self.variants()) >= MOST_VARIANTS
        self.add.setEnabled(not full)
        why = tr("There are {n} variants. Remove one first.").format(n=MOST_VARIANTS)
        self.add.setToolTip(tip(why if full else tr("Add a column with other settings.")))
        if not there:
            told = tr("Add a variant: another model, budget or layout. Its column shows what would be sent.")
            if turn is not None:
                told = tr(
                    "Add a variant: another model, budget or layout. Its column shows what would have been sent."
                )
            first = tr("No turn was sent yet, so the next request is compared. Add a variant to begin.")
            self.empty.say(title, told if chat.turns else first)

    def _progress(self, comparison: Comparison | None) -> str:
        if comparison is None or comparison.first is None:
            return tr("Being read…")
        if comparison.played < comparison.turns:
            done, whole = (formatting.tokens(n) for n in (comparison.played, comparison.turns))
            return tr("{done} of {all} requests built").format(done=done, all=whole)
        return tr("No model is asked. Played again from turn 1.")

    def _show_foot(self) -> None:
        variant, column = self.chosen(), self._column()
        self._foot.setVisible(self._is_filled() and self._chat is not None)
        built = variant is not None and column is not None
        words = tr("Choose a variant to apply it")
        set_text(self.name, words if variant is None else shown(variant.name, 40))
        self.price.setText("" if column is None else self._price(column))
        set_token(self.price, "warn" if column is None or column.fits else "err")
        step = None if self._chat is None or variant is None else apply_variant(self._chat, variant)
        self._show_taking()
        self.diff.setEnabled(built)
        self.keep.setEnabled(variant is not None and bool(variant.settings))
        self.apply.setEnabled(built and step is not None)
        same = tr("The chat is set so already.") if built and step is None else ""
        self.apply.setToolTip(tip(same or tr("Set the chat so from its next request on.")))
        kept = tr("Keep its settings under a name. Attachments and priorities stay with the chat.")
        bare = tr("It changes only attachments or priorities, and a preset has none.")
        self.keep.setToolTip(tip(bare if variant is not None and not variant.settings else kept))
        self.diff.setToolTip(tip(tr("Show what differs from the first column (Enter).")))

    def _to_answers(self) -> None:
        """Bring the grid into sight while it fills."""
        self._scroll.verticalScrollBar().setValue(self.answers.y())

    def _show_taking(self) -> None:
        """What becomes of the chosen answer."""
        sent = self._turn() is not None
        self.branch.setVisible(self.answers.found is not None)
        self.branch.setEnabled(self.answers.cell() is not None)
        self.branch.setText(tr("Make a branch") if sent else tr("Send with this answer"))
        taken = tr("Keep the chosen answer beside the others, with the settings it was made with.")
        first = tr("Your question counts as sent, with this answer and its settings. No model is asked.")
        self.branch.setToolTip(tip(taken if sent else first))

    def _price(self, column: ComparisonColumn) -> str:
        if not column.fits:
            return tr("doesn’t fit: over by {n}").format(n=formatting.token_words(column.over_tokens))
        words, turn = price_words(column), self._comparison.turn if self._comparison is not None else None
        return words if turn is None else tr("at turn {n}: {price}").format(n=turn, price=words)

    # --- putting together ---------------------------------------------------------------------------------

    def _place(self) -> None:
        head = QWidget()
        head.setFixedHeight(HEAD_HEIGHT)
        fill(columns(head, (16, 0, 16, 0), 8), self.title, (self.line, 1), self.add)
        inner = QWidget()
        fill(rows(inner, (SIDE, 0, SIDE, 12)), self.view, self.answers, STRETCH)
        inner.setAutoFillBackground(False)
        scroll = QScrollArea()
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidget(inner)
        scroll.setWidgetResizable(True)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.viewport().setAutoFillBackground(False)
        self._scroll = scroll
        self._foot = _Foot()
        fill(self._foot.told, self.name, (self.price, 1))
        fill(self._foot.done, STRETCH, self.branch, self.diff, self.keep, self.apply)
        full = QWidget()
        fill(rows(full), head, (scroll, 1), self._foot)
        self._stack.addWidget(full)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self.updates)
        columns(self).addWidget(self._stack)

    def _connect(self) -> None:
        for one in (self.view, self.answers.grid):
            self._scroll.horizontalScrollBar().valueChanged.connect(
                lambda at, one=one: one.set_offset(at - SIDE)
            )
        self.answers.grid.chosen.connect(self._show_foot)
        self.answers.more.connect(self._add_asked)
        # Later: the grid has no height before it is laid out.
        self.answers.begun.connect(self._to_answers, Qt.ConnectionType.QueuedConnection)
        self.empty.pressed.connect(self.open_sheet)
        self.view.chosen.connect(lambda _place: self._on_chosen())
        self.view.removed.connect(self._remove)
        self.view.opened.connect(lambda _place: self._show_diff())
        Offering(self.apply, self._offer, self.wishes.offer)

    def _on_chosen(self) -> None:
        self._show_foot()
        self._reveal.start()

    def _show_chosen(self) -> None:
        """Scroll to the chosen column, once there is room for all of them."""
        box, bar = self.view.box(self.view.place()), self._scroll.horizontalScrollBar()
        first, end = self.view.box(0).left(), self._scroll.viewport().width() - 2 * SIDE
        bar.setValue(round(min(bar.value(), box.left() - first)))
        bar.setValue(round(max(bar.value(), box.right() - end)))


class _Foot(Panel):
    """What can be done with the chosen column, under a hairline; where there is little room, in two lines.

    Attributes:
        told: what stands before the buttons. done: the buttons.
    """

    line_above = True

    def __init__(self) -> None:
        super().__init__()
        self._across = columns(self, (16, 0, 16, 0), 8)
        self.told, self.done = columns(self._across, spacing=8), columns(self._across, spacing=8)
        self._across.setStretchFactor(self.told, 1)
        self.setFixedHeight(FOOT_HEIGHT)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        narrow = self.width() < WIDE_PX
        down, across = QBoxLayout.Direction.TopToBottom, QBoxLayout.Direction.LeftToRight
        self._across.setDirection(down if narrow else across)
        self._across.setSpacing(0 if narrow else 8)
        self.setFixedHeight(FOOT_HEIGHT + LINE_HEIGHT if narrow else FOOT_HEIGHT)
