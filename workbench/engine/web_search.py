"""Searches of the web in open chats: asked for by a person, shown as rows, and noted with the question they served."""

from __future__ import annotations

from workbench.domain.errors import WorkbenchError
from workbench.domain.translation import tr
from workbench.domain.web_search import MOST_HITS, WebSearch
from workbench.engine.attaching_intents import SearchWeb
from workbench.engine.events import ChatShown
from workbench.engine.store import StateStore
from workbench.engine.world import World


class Searches:
    """Runs one search at a time in each chat; the newest is shown, and all of a chat's are noted when it is asked."""

    def __init__(self, world: World, states: StateStore) -> None:
        self._world, self._states = world, states

    async def do(self, intent: SearchWeb) -> None:
        """Search; what was found, or why nothing was, is shown in the chat. Empty words end it."""
        words = " ".join(intent.words.split())
        begun = WebSearch(words, running=True) if words else None
        self._show(intent.chat, begun)
        if begun is not None:
            self._world.tasks.spawn("search the web", self._search(intent.chat, begun))

    async def _search(self, chat: str, begun: WebSearch) -> None:
        done = await self._found(begun.words)
        opened = self._states.state.open.get(chat)
        if opened is not None and opened.web is begun:  # else another one was begun, or this one ended
            self._show(chat, done)
            if done.hits:
                self._world.searched.setdefault(chat, []).append(done)

    async def _found(self, words: str) -> WebSearch:
        """A search that has ended, with its hits or its problem."""
        searcher = self._world.web_search
        if searcher is None:
            return WebSearch(words, problem=tr("The web can't be searched here."))
        try:
            return await searcher.search(words, MOST_HITS)
        except WorkbenchError as problem:
            return WebSearch(words, problem=str(problem))

    def _show(self, chat: str, search: WebSearch | None) -> None:
        self._states.emit(ChatShown(chat, {"web": search}))
