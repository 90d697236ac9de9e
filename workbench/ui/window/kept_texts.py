"""Opens the texts that the user keeps for later: instructions, remembered facts, and prompts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from workbench.domain.workspace import EVERYWHERE, Fact, Workspace
from workbench.engine.intents import ChangeSettings, PriceStep
from workbench.engine.state import SuggestedFacts
from workbench.engine.workspace_intents import OfferFacts, ReviseWorkspace, SuggestFacts
from workbench.ui import formatting
from workbench.ui.steps import revise_workspace
from workbench.ui.translation import tr
from workbench.ui.widgets.plain import shown
from workbench.ui.window.session import Session
from workbench.ui.wishes import CommandId, EditMemory, KeepPrompt, Remember

if TYPE_CHECKING:
    from workbench.ui.dialogs.facts import FactsDialog
    from workbench.ui.dialogs.prompts import PromptsDialog

WEIGHED = "prompt"
"""Key under which the price of a prompt is asked for."""


class KeptTexts(QObject):
    """Opens these dialogs over a session's window, and does what is chosen in them."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session, self._window = session, session.window
        self._facts: FactsDialog | None = None
        self._prompts: PromptsDialog | None = None
        self._followed: SuggestedFacts | None = session.state.suggestion
        session.rendered.connect(self._update)
        below = session.over
        session.over = lambda words: self.say(words) or below(words)

    def table(self) -> dict[CommandId, Callable[[], object]]:
        return {
            "edit-instructions": self._edit_instructions,
            "memory": lambda: self.run(EditMemory()),
            "remember": self._remember_selected,
            "suggest-facts": lambda: self._session.send(OfferFacts(self._session.chat_id)),
            "prompts": lambda: self.run(KeepPrompt()),
            "save-prompt": lambda: self.run(KeepPrompt(self._window.chat.composer.text.text())),
        }

    def run(self, wish: EditMemory | Remember | KeepPrompt) -> None:
        match wish:
            case EditMemory(workspace):
                self._open_facts(self._workspace_id() if workspace is None else workspace)
            case Remember():
                self._remember(wish)
            case KeepPrompt(text):
                self._open_prompts(text)

    def say(self, words: str) -> bool:
        """Show a message in the dialog that covers the window's own place for messages; return whether there is one."""
        for dialog in (self._facts, self._prompts):
            if dialog is not None and dialog.isVisible():
                dialog.say(words)
                return True
        return False

    def _edit_instructions(self) -> None:
        self._window.columns.show_right()
        self._window.inspector.edit_instructions()

    # --- what is remembered -----------------------------------------------------------------------------------

    def _workspace_id(self) -> str:
        chat = self._session.chat
        return EVERYWHERE if chat is None else chat.chat.filed.workspace

    def _workspace(self, workspace: str) -> Workspace:
        state = self._session.state
        return state.workspaces.get(workspace, state.everywhere)

    def _remember_selected(self) -> None:
        found = self._window.chat.transcript.selected_words()
        if found is None:
            self._session.tell(tr("Select words in a message first, or choose “Remember this” in its menu."))
        else:
            self.run(Remember(found[1], self._session.chat_id, found[0]))

    def _remember(self, wish: Remember) -> None:
        from workbench.ui.dialogs.facts import RememberDialog

        inside = self._session.state.workspaces.get(self._workspace_id())
        dialog = RememberDialog(wish.text, inside, self._window)
        dialog.remembered.connect(lambda text, place: self._add_fact(wish, text, place))
        dialog.open()

    def _add_fact(self, wish: Remember, text: str, workspace: str) -> None:
        given, place = self._session.given, self._workspace(workspace)
        fact = Fact(given.new_id(), text, given.utc_now(), wish.chat, wish.message)
        after = replace(place, facts=(*place.facts, fact))
        self._revise(place, after, tr("Remember a fact"))
        where = shown(place.name, 40) if place.id else tr("all chats")
        words = tr("Remembered for {where}: {fact}").format(where=where, fact=shown(text, 60))
        undo = ReviseWorkspace(after, place)
        self._window.toast.say("bulb", words, tr("Undo"), lambda: self._session.send(undo))

    def _revise(self, before: Workspace, after: Workspace, title: str) -> None:
        """Change what is remembered; with a chat open, as a step that can be undone there."""
        if self._session.chat_id:
            self._session.do_step(revise_workspace(self._session.chat_id, before, after, title))
        else:
            self._session.send(ReviseWorkspace(before, after))

    def _open_facts(self, workspace: str) -> None:
        from workbench.ui.dialogs.facts import FactsDialog

        if self._facts is None:
            made = self._facts = FactsDialog(self._window.wishes, self._window)
            made.new_id = self._session.given.new_id
            made.revised.connect(self._revise)
            made.suggest_wished.connect(self.table()["suggest-facts"])
        self._facts.open_for(workspace)
        self._show_facts()
        self._facts.open()

    def _show_facts(self) -> None:
        if self._facts is not None:
            self._facts.suggest.setEnabled(self._session.chat is not None)
            self._facts.show_state(self._session.state, self._fact_tokens())

    def _fact_tokens(self) -> dict[str, int]:
        view = self._session.chat.view if self._session.chat is not None else None
        rows = (row for layer in view.layers for row in layer.rows) if view is not None else ()
        return {part.text: part.tokens for row in rows for part in row.parts if part.source == "fact"}

    def _follow_suggestion(self, suggestion: SuggestedFacts) -> None:
        """Follow a suggestion of facts: show its price before a model is asked, then what the model found."""
        match suggestion.stage:
            case "offered":
                self._show_offer(suggestion)
            case "asking":
                self._session.tell(
                    tr("{model} is reading the chat…").format(model=shown(suggestion.model, 40))
                )
            case "done" if suggestion.found:
                self._open_facts(self._workspace_id())
                several = tr("{n} facts are suggested. Accept or dismiss each: none is sent before.")
                one = tr("1 fact is suggested. Accept or dismiss it: it isn’t sent before.")
                self._session.tell(formatting.counted(suggestion.found, one, several))
            case "done":
                self._session.tell(tr("The model found nothing new that is worth remembering."))
            case "failed":
                self._session.tell(suggestion.problem)

    def _show_offer(self, suggestion: SuggestedFacts) -> None:
        cost = suggestion.cost_usd
        price = tr("price unknown") if cost is None else formatting.usd(cost, about=True)
        words = tr("Ask {model} what to remember: {n} tokens, {price}").format(
            model=shown(suggestion.model, 40), n=formatting.tokens(suggestion.tokens), price=price
        )
        if self._facts is not None and self._facts.isVisible():
            self._facts.hide()  # the question stands over the transcript
        ask = SuggestFacts(suggestion.chat)
        self._window.toast.say("bulb", words, tr("Ask"), lambda: self._session.send(ask))

    # --- prompts ----------------------------------------------------------------------------------------------

    def _open_prompts(self, text: str) -> None:
        from workbench.ui.dialogs.prompts import PromptsDialog

        if self._prompts is None:
            self._prompts = PromptsDialog(self._window.wishes, self._window)
            self._prompts.inserted.connect(self._window.chat.composer.prompts.write)
            self._prompts.weighed.connect(self._price_prompt)
            self._prompts.moved.connect(self._session.bridge.send_all)
            self._prompts.finished.connect(lambda _result: self._price_prompt(""))
        self._show_prompts()
        if text.strip():
            self._prompts.begin_new(
                text
            )  # first: a focus that moves before the window is active leaves a caret
        self._prompts.open()

    def _price_prompt(self, text: str) -> None:
        """Ask how many tokens a prompt would add to the next request, without changing it."""
        chat = self._session.chat
        if chat is not None:
            own = chat.chat.settings
            with_it = replace(own, system_prompt=f"{own.system_prompt}\n{text}")
            step = (ChangeSettings(chat.chat.id, with_it),) if text.strip() else ()
            self._session.send(PriceStep(chat.chat.id, WEIGHED if step else "", step))

    def _show_prompts(self) -> None:
        if self._prompts is not None:
            self._prompts.show_state(self._session.state, self._workspace_id(), self._values())
            price = self._session.chat.price if self._session.chat is not None else None
            if price is not None and price.key == WEIGHED:
                self._prompts.show_tokens(price.tag.tokens_delta)

    def _values(self) -> Mapping[str, str]:
        view = self._session.chat.view if self._session.chat is not None else None
        return {} if view is None else view.values

    def _update(self) -> None:
        if self._facts is not None and self._facts.isVisible():
            self._show_facts()
        if self._prompts is not None and self._prompts.isVisible():
            self._show_prompts()
        suggestion = self._session.state.suggestion
        if suggestion is not None and suggestion is not self._followed:
            self._followed = suggestion
            if self._session.tells(suggestion.chat):
                self._follow_suggestion(suggestion)
