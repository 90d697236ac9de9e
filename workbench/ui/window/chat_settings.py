"""Opens what can be set for the current chat: parameters, presets, settings for one message, and summaries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QWidget

from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.settings.preset import free_name, with_persona
from workbench.domain.shown.envelope_view import PriceTag
from workbench.domain.summary import Summary, SummaryWish
from workbench.engine.intents import ChangeSettings, PriceStep
from workbench.engine.program_intents import (
    EndSummary,
    ExportPresets,
    ImportPresets,
    MakeSummary,
    OfferSummary,
    SavePreset,
)
from workbench.ui.steps import apply_settings, apply_summary
from workbench.ui.translation import tr
from workbench.ui.widgets.file_chooser import choose_file, save_file
from workbench.ui.widgets.plain import shown
from workbench.ui.window.session import Session
from workbench.ui.wishes import Summarise

if TYPE_CHECKING:
    from workbench.ui.dialogs.summary import SummarySheet
    from workbench.ui.parameters.once import OncePopup
    from workbench.ui.parameters.popup import ParametersPopup
    from workbench.ui.parameters.presets import PresetsDialog

PRICED = "summary"
"""Key under which the price of applying a summary is asked for."""


class ChatSettings(QObject):
    """Opens these popups and dialogs over a session's window, and applies what is chosen in them."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session, self._window = session, session.window
        self._parameters: ParametersPopup | None = None
        self._presets: PresetsDialog | None = None
        self._once: OncePopup | None = None
        session.rendered.connect(self._update)
        below = session.over
        session.over = lambda words: self.say(words) or below(words)

    def parameters(self, below: QWidget) -> None:
        from workbench.ui.parameters.popup import ParametersPopup

        if self._parameters is None:
            self._parameters = ParametersPopup(self._window.wishes, self._window)
            self._parameters.wanted.connect(self.change)
        if self._session.chat is not None:
            self._parameters.show_state(self._session.state, self._session.chat)
            self._parameters.open_under(below)
            self._parameters.parts.editor.more.setFocus(Qt.FocusReason.PopupFocusReason)

    def change(self, wanted: ChangeSettings) -> None:
        opened = self._session.state.open.get(wanted.chat)
        if opened is not None:
            title = _change_title(wanted.before or opened.chat.settings, wanted.settings)
            self._session.do_step(apply_settings(opened, wanted.settings, title, wanted.before))

    def presets(self) -> None:
        from workbench.ui.parameters.presets import PresetsDialog

        if self._presets is None:
            made = self._presets = PresetsDialog(self._window.wishes, self._window)
            made.apply_wished.connect(self._apply)
            made.save_wished.connect(self._save)
            made.export_wished.connect(self._choose_export)
            made.import_wished.connect(self._choose_import)
        self._presets.show_state(self._session.state, self._session.chat)
        self._presets.open()

    def keep(self, settings: ContextSettings, name: str) -> None:
        """Open the presets dialog and ask for a name under which to save these settings."""
        self.presets()
        if self._presets is not None:
            self._presets.keep(settings, free_name(name, self._session.state.presets))

    def say(self, words: str) -> bool:
        if self._presets is None or not self._presets.isVisible():
            return False
        self._presets.say(words)
        return True

    def once(self, above: QWidget) -> None:
        from workbench.ui.parameters.once import OncePopup

        chat = self._session.chat
        if chat is None:
            return
        if self._once is None:
            self._once = OncePopup(self._window)
            self._once.tried.connect(self._session.try_settings)
            self._once.sent.connect(self._window.chat.composer.send)
        self._once.begin(self._session.state, chat)
        self._once.open_over(above)
        self._once.model.setFocus(Qt.FocusReason.PopupFocusReason)

    def _apply(self, settings: ContextSettings, name: str) -> None:
        chat, fresh = self._session.chat, self._session.given.new_chat_settings
        if chat is not None:
            told = bool(settings.tools)
            wanted = with_persona(settings, fresh(not told).persona.default, fresh(told).persona.default)
            self._session.do_step(
                apply_settings(chat, wanted, tr("Apply the preset {name}").format(name=shown(name)))
            )

    def _save(self, name: str, settings: ContextSettings | None) -> None:
        chat, fresh = self._session.chat, self._session.given.new_chat_settings
        if chat is not None:
            own = settings or chat.chat.settings
            plain = with_persona(own, fresh(True).persona.default, fresh(False).persona.default)
            self._session.send(SavePreset(name, plain))

    def _choose_export(self, name: str) -> None:
        title, send = tr("Export a preset"), self._session.send
        save_file(self._presets, title, f"{name}.json", lambda path: send(ExportPresets((name,), path)))

    def _choose_import(self) -> None:
        title, send = tr("Import presets"), self._session.send
        choose_file(self._presets, title, lambda path: send(ImportPresets(path)))

    def _update(self) -> None:
        state, chat = self._session.state, self._session.chat
        if self._parameters is not None and chat is not None:
            self._parameters.show_state(state, chat)
        if self._once is not None and self._once.isVisible() and chat is not None:
            self._once.show_state(state, chat)
        if self._presets is not None and self._presets.isVisible():
            self._presets.show_state(state, chat)


def _change_title(before: ContextSettings, after: ContextSettings) -> str:
    old, new = before.parameters.given, after.parameters.given
    for name in (*new, *old):
        if old.get(name) != new.get(name):
            return (tr("Set {name}") if name in new else tr("Unset {name}")).format(name=name)
    if before.history != after.history or before.sections != after.sections:
        return tr("Change recall")
    return tr("Set the longest reply")


class Summarising(QObject):
    """Opens the summary dialog, one at a time, and updates it with every new state."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._sheet: SummarySheet | None = None
        self._chat = ""
        self._priced: Summary | None = None
        session.rendered.connect(self._update)

    def open(self, wish: Summarise) -> None:
        from workbench.ui.dialogs.summary import SummarySheet

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

    def _update(self) -> None:
        view = self._session.state.summary
        if self._sheet is None:
            return
        self._price(view.summary if view is not None else None)
        self._sheet.show_view(view, self._price_tag())

    def _price(self, summary: Summary | None) -> None:
        """Ask for the price of applying a summary, once per summary."""
        chat = self._session.state.open.get(self._chat)
        if summary is self._priced or chat is None:
            return
        self._priced = summary
        step = () if summary is None else apply_summary(chat, summary).do
        self._session.send(PriceStep(self._chat, PRICED, step) if step else PriceStep(self._chat))

    def _price_tag(self) -> PriceTag | None:
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
