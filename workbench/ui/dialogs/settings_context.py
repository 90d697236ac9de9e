"""Settings, how the requests of a new chat are built, and what a new chat starts with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QSignalBlocker

from workbench.engine.state import WorkbenchState
from workbench.ui.dialogs.settings_parts import Page, Setting
from workbench.ui.parameters.recalling import room_field
from workbench.ui.translation import translator
from workbench.ui.widgets.choice import Choice, NumberField, Switch

_tr = translator("ContextPage")

PERCENT = 100


class ChatPage(Page):
    """What a new chat starts with, and how long is waited for an answer."""

    def __init__(self) -> None:
        super().__init__(_tr("Chat"), _tr("Defaults for new chats. You can change them in each chat."))
        self.preset = Choice()
        self.first, self.idle = NumberField(0, 3_600, 10), NumberField(1, 3_600, 10)
        for field in (self.first, self.idle):
            field.setSuffix(_tr(" s"))
        self.first.setSpecialValueText(_tr("automatic"))
        self.add_card(Setting(_tr("Preset"), _tr("Named settings, for every new chat."), self.preset))
        self.add_heading(_tr("Waiting"))
        self.add_card(
            Setting(
                _tr("For the first word"), _tr("Automatic: 120 s, and 600 s on this computer."), self.first
            ),
            Setting(
                _tr("For the next word"), _tr("After that, the answer is saved as interrupted."), self.idle
            ),
        )
        self.file_mb, self.total_mb = NumberField(1, 1_000, 5), NumberField(1, 10_000, 50)
        self.ask_files = NumberField(1, 100_000, 50)
        for field in (self.file_mb, self.total_mb):
            field.setSuffix(_tr(" MB"))
        self.add_heading(_tr("Attaching"))
        self.add_card(
            Setting(_tr("Largest file"), _tr("A larger one is refused by name."), self.file_mb),
            Setting(_tr("Total at once"), _tr("All files of a folder together."), self.total_mb),
            Setting(
                _tr("Ask when there are more files than"),
                _tr("One question, with their tokens."),
                self.ask_files,
            ),
        )
        self.end()
        self.file_mb.valueChanged.connect(lambda value: self._limit(file_mb=value))
        self.total_mb.valueChanged.connect(lambda value: self._limit(total_mb=value))
        self.ask_files.valueChanged.connect(lambda value: self._limit(ask_files=value))
        self.preset.activated.connect(lambda _index: self._save(persona=self.preset.chosen()))
        self.first.valueChanged.connect(lambda value: self._wait(first_token_s=float(value) or None))
        self.idle.valueChanged.connect(lambda value: self._wait(idle_s=float(value)))

    def show_state(self, state: WorkbenchState) -> None:
        self._preferences = state.preferences
        names = ["", *state.presets]
        if [self.preset.itemData(place) for place in range(self.preset.count())] != names:
            self.preset.clear()
            for name in names:
                self.preset.addItem(name or _tr("none"), name)
        self.preset.choose(state.preferences.persona)
        _quietly(self.first, int(state.preferences.timeouts.first_token_s or 0))
        _quietly(self.idle, int(state.preferences.timeouts.idle_s))
        limits = state.preferences.attach
        _quietly(self.file_mb, limits.file_mb)
        _quietly(self.total_mb, limits.total_mb)
        _quietly(self.ask_files, limits.ask_files)

    def _limit(self, **changes: Any) -> None:
        self._save(attach=replace(self._preferences.attach, **changes))

    def _wait(self, **changes: Any) -> None:
        self._save(timeouts=replace(self._preferences.timeouts, **changes))


class ContextPage(Page):
    """How much goes into a request, and what gives way first; in the names of a trajectory's settings."""

    def __init__(self) -> None:
        super().__init__(
            _tr("Context defaults"),
            _tr("How requests of new chats are built. What if, below a request, previews each of them."),
        )
        self.whole = _optional(0, 4_000_000, 1_000, _tr("the model’s own"))
        self.reserve = _optional(0, 200_000, 500, _tr("a quarter, at most 16,000"))
        self.threshold = _optional(0, 100, 5, _tr("never"))
        self.threshold.setSuffix(" %")
        self.when_full = Choice(
            (
                ("exchanges", _tr("drop the oldest turns")),
                ("placeholders", _tr("keep questions, trim answers")),
            )
        )
        self.keep = NumberField(0, 1_000)
        self.last = _optional(0, 10_000, 1, _tr("all of them"))
        self.budget = _optional(0, 4_000_000, 1_000, _tr("no limit of their own"))
        self.recall, self.recall_chats, self.sections = Switch(), Switch(), Switch()
        self.recall_room = room_field()
        self.freshness = Choice(
            (
                ("auto", _tr("the cheaper one")),
                ("refresh", _tr("send the newest")),
                ("freeze", _tr("keep the cached copy")),
            )
        )
        self.layout_choice = Choice(
            (
                ("auto", _tr("the cheaper one")),
                ("append_only", _tr("append-only, kind to a cache")),
                ("layered", _tr("layered, strictly fresh")),
            )
        )
        self.detached = Choice(
            (
                ("leave", _tr("leave the request")),
                ("compact", _tr("keep a short copy in the library")),
            )
        )
        self.edits = Choice((("full", _tr("in full")), ("changes", _tr("as changes, where they are small"))))
        self.add_card(
            Setting(
                _tr("Window"), _tr("The most tokens a request and its answer may have together."), self.whole
            ),
            Setting(_tr("Reserve for the answer"), "", self.reserve),
            Setting(_tr("Attachments"), _tr("Their maximum share of a request."), self.budget),
            Setting(
                _tr("Detached files"),
                _tr("An append-only request with a known cache keeps its copy until it is rebuilt."),
                self.detached,
            ),
        )
        self.add_heading(_tr("History"))
        self.add_card(
            Setting(
                _tr("Trim when the request reaches"),
                _tr("Of what fits."),
                self.threshold,
            ),
            Setting(
                _tr("When a chat is full"),
                _tr("Trimmed messages are kept and can be recalled."),
                self.when_full,
            ),
            Setting(_tr("Newest answers kept"), _tr("While anything else can go."), self.keep),
            Setting(_tr("Maximum messages"), _tr("Only the newest; older ones are left out."), self.last),
        )
        self.add_heading(_tr("Recall"))
        self.add_card(
            Setting(
                _tr("Recall trimmed messages"),
                _tr("Messages that match the question are quoted. The cache is kept."),
                self.recall,
            ),
            Setting(_tr("Room for it, in tokens"), "", self.recall_room),
            Setting(
                _tr("Also from other chats of the workspace"),
                _tr("For chats in a workspace; archived ones count. A quote says in which chat it was said."),
                self.recall_chats,
            ),
            Setting(
                _tr("Sections of files by relevance"),
                _tr("For a file that doesn’t fit, sends the sections that match the question."),
                self.sections,
            ),
        )
        self.add_heading(_tr("The provider’s cache"))
        self.add_card(
            Setting(
                _tr("Layout"),
                _tr("The order of a request. Append-only keeps each part where it was first sent."),
                self.layout_choice,
            ),
            Setting(_tr("An edited file is sent"), _tr("In an append-only request."), self.edits),
            Setting(_tr("A changed file in the library"), _tr("In a layered request."), self.freshness),
        )
        self.end()
        self._follow()

    def show_state(self, state: WorkbenchState) -> None:
        """Show what is set; what is not has its default."""
        self._preferences = state.preferences
        context, history = state.preferences.context, _part(state.preferences.context, "history")
        _quietly(self.whole, int(context.get("context_window") or 0))
        _quietly(self.reserve, int(context.get("reserved_output_tokens") or 0))
        _quietly(self.budget, int(context.get("attachment_budget_tokens") or 0))
        threshold = history.get("threshold", 0.8)
        _quietly(self.threshold, round((threshold or 0) * PERCENT))
        _quietly(self.keep, int(history.get("keep_last_n_assistant", 10)))
        _quietly(self.last, int(history.get("last_n_messages") or 0))
        self.when_full.choose(str(history.get("when_full", "exchanges")))
        self.recall.setChecked(bool(history.get("recall", True)))
        self.recall_chats.setChecked(bool(history.get("recall_chats", False)))
        for control in (self.recall_room, self.recall_chats):
            control.setEnabled(self.recall.isChecked())
        _quietly(self.recall_room, int(history.get("recall_tokens") or 0))
        self.sections.setChecked(bool(_part(context, "sections").get("by_relevance", False)))
        self.freshness.choose(str(context.get("freshness", "auto")))
        self.layout_choice.choose(str(context.get("layout", "auto")))
        self.edits.choose(str(context.get("edits", "full")))
        self.detached.choose(str(_part(context, "library").get("detached", "leave")))

    def _follow(self) -> None:
        self.whole.valueChanged.connect(lambda n: self._set("context_window", n or None))
        self.reserve.valueChanged.connect(lambda n: self._set("reserved_output_tokens", n or None))
        self.budget.valueChanged.connect(lambda n: self._set("attachment_budget_tokens", n or None))
        self.threshold.valueChanged.connect(
            lambda n: self._set_history("threshold", n / PERCENT if n else None)
        )
        self.keep.valueChanged.connect(lambda n: self._set_history("keep_last_n_assistant", n))
        self.last.valueChanged.connect(lambda n: self._set_history("last_n_messages", n or None))
        self.when_full.activated.connect(lambda _: self._set_history("when_full", self.when_full.chosen()))
        self.recall.clicked.connect(lambda on: self._set_history("recall", on))
        self.recall_chats.clicked.connect(lambda on: self._set_history("recall_chats", on))
        self.recall_room.valueChanged.connect(lambda n: self._set_history("recall_tokens", n or None))
        self.sections.clicked.connect(lambda on: self._set_in("sections", "by_relevance", on))
        self.detached.activated.connect(lambda _: self._set_in("library", "detached", self.detached.chosen()))
        for name, choice in (
            ("freshness", self.freshness),
            ("layout", self.layout_choice),
            ("edits", self.edits),
        ):
            choice.activated.connect(
                lambda _index, name=name, choice=choice: self._set(name, choice.chosen())
            )

    def _set(self, name: str, value: object) -> None:
        self._save(context={**self._preferences.context, name: value})

    def _set_history(self, name: str, value: object) -> None:
        self._set_in("history", name, value)

    def _set_in(self, group: str, name: str, value: object) -> None:
        self._set(group, {**_part(self._preferences.context, group), name: value})


def _part(context: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = context.get(name)
    return found if isinstance(found, Mapping) else {}


def _optional(minimum: int, maximum: int, step: int, words: str) -> NumberField:
    """A number whose lowest value stands for a word."""
    field = NumberField(minimum, maximum, step)
    field.setSpecialValueText(words)
    field.setMinimumWidth(190)
    return field


def _quietly(field: NumberField, value: int) -> None:
    """Show a value without saying that somebody changed it; what is being typed is left alone."""
    if field.value() != value and not field.hasFocus():
        with QSignalBlocker(field):
            field.setValue(value)
