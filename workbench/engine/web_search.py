"""Searches of the web in open chats: asked for by a person, shown as rows, and noted with the question they served."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from workbench.domain.errors import WorkbenchError
from workbench.domain.mcp_server import called
from workbench.domain.text import harmless
from workbench.domain.translation import tr
from workbench.domain.web_search import MOST_HITS, NotSearched, SearchTool, WebSearch, found_in, query_field
from workbench.engine.attaching_intents import SearchWeb
from workbench.engine.events import ChatShown
from workbench.engine.store import StateStore
from workbench.engine.world import World

_LONGEST_WORDS = 400


class Searches:
    """Runs one search at a time in each chat; the newest is shown, and all of a chat's are noted when it is asked."""

    def __init__(self, world: World, states: StateStore, ready: Callable[[], Awaitable[None]]) -> None:
        self._world, self._states, self._servers_ready = world, states, ready

    async def do(self, intent: SearchWeb) -> None:
        """Search; what was found, or why nothing was, is shown in the chat. Empty words end it."""
        words = " ".join(intent.words.split())
        begun = WebSearch(words, running=True) if words else None
        self._show(intent.chat, begun)
        if begun is not None:
            self._world.tasks.spawn("search the web", self._search(intent.chat, begun))

    async def _search(self, chat: str, begun: WebSearch) -> None:
        done = await self._found(chat, begun.words)
        opened = self._states.state.open.get(chat)
        if opened is not None and opened.web is begun:  # else another one was begun, or this one ended
            self._show(chat, done)
            if done.hits:
                self._world.searched.setdefault(chat, []).append(done)

    async def _found(self, chat: str, words: str) -> WebSearch:
        """A search that has ended, with its hits or its problem."""
        searcher = self._world.web_search
        if searcher is None:
            return WebSearch(words, problem=tr("The web can't be searched here."))
        try:
            if (place := searcher.tool) is not None:
                by, found = f"{place.server}/{place.tool}", found_in(await self._asked(chat, place, words))
                if not found:
                    why = tr(
                        "The answer of {tool} has no addresses of pages, so there is nothing to attach.",
                        tool=by,
                    )
                    raise NotSearched(why)
                return searcher.usable(words, by, found, MOST_HITS)
            return await searcher.search(words, MOST_HITS)
        except WorkbenchError as problem:
            return WebSearch(words, problem=str(problem))

    async def _asked(self, chat: str, place: SearchTool, words: str) -> str:
        """What a tool of a server says to the words; only one that was reviewed and approved is asked."""
        await self._servers_ready()
        world, opened = self._world, self._states.state.open.get(chat)
        workspace = None if opened is None else world.workspaces.of(opened.chat)
        servers = None if workspace is None or world.rooms is None else world.rooms.servers(workspace)
        name = called(place.server, place.tool)
        tools = () if servers is None else servers.tools(place.server)
        tool = next((one for one in tools if one.definition.name == name), None)
        if tool is None:
            raise NotSearched(tr(
                "{server} has no tool {tool} that was reviewed and approved in this chat’s workspace. Add the "
                "server there and review its tools, or choose who searches in Settings.",
                server=place.server, tool=place.tool,
            ))  # fmt: skip
        field = query_field(tool.definition)
        if not field:
            why = tr(
                "It is unclear what {tool} takes as words to search for. Nothing was sent.", tool=place.tool
            )
            raise NotSearched(why)
        outcome = await tool.run({field: words[:_LONGEST_WORDS]})
        if outcome.failed:
            raise NotSearched(tr("Not searched: {problem}", problem=harmless(outcome.text)[:300]))
        return outcome.text

    def _show(self, chat: str, search: WebSearch | None) -> None:
        self._states.emit(ChatShown(chat, {"web": search}))
