"""Searches of the web: shown as rows, and noted with the question whose pages went along."""

from __future__ import annotations

from tests.fakes.engine import SETTINGS, Bench, FilesInMemory, TickingUtc, fake_bench
from tests.fakes.history import MemoryHistory
from tests.fakes.loop import in_loop, until
from tests.fakes.tool_servers import FakeToolServers
from tests.fakes.toolbox import FakeToolbox
from tests.fakes.web_searchers import HITS, ToldSearcher
from tests.fakes.workspace_store import MemoryWorkspaces
from workbench.domain.mcp_server import McpListing, McpServer, McpTool, approve, called
from workbench.domain.message import Message
from workbench.domain.tool import ToolOutcome
from workbench.domain.web_search import SEARCHED, SearchHit, SearchTool, WebSearch
from workbench.domain.workspace import Filed, Workspace
from workbench.engine.attaching_intents import SearchWeb
from workbench.engine.intents import AttachFiles, OpenChat, SendMessage, StartChat
from workbench.engine.known_workspaces import Workspaces
from workbench.engine.workspace_intents import StartWorkspace
from workbench.tools.workspace_toolboxes import WorkspaceToolboxes

POOLS, DRY = (hit.url for hit in HITS)
DONE = WebSearch("pools", "told.example", HITS)


@in_loop
async def test_what_was_found_is_shown_and_nothing_is_fetched():
    files = FilesInMemory()
    bench = fake_bench(web_search=ToldSearcher(*HITS), attachments=files)
    await bench.start()
    await bench.workbench.dispatch(SearchWeb("talk", "  pools\n"))
    await until(lambda: bench.shows("web")[-1] == DONE)
    assert bench.shows("web") == [WebSearch("pools", running=True), DONE]
    assert bench.workbench.state.open["talk"].conversation.attached == ()
    await bench.workbench.dispatch(SearchWeb("talk"))
    assert bench.shows("web")[-1] is None


@in_loop
async def test_a_question_notes_the_searches_whose_pages_went_along_once():
    bench = fake_bench(web_search=ToldSearcher(*HITS), attachments=FilesInMemory(**{POOLS: "words"}))
    await bench.start()
    for words in ("nothing of this is taken", "pools"):
        await bench.workbench.dispatch(SearchWeb("talk", words))
        await until(lambda: not bench.shows("web")[-1].running)
    bench.world.searched["talk"] = bench.world.searched["talk"][1:]
    await bench.workbench.dispatch(AttachFiles("talk", (POOLS,)))
    await bench.do(SendMessage("talk", "What is it?"))
    await bench.do(SendMessage("talk", "And now?"))
    path = await bench.world.store.path("talk")
    hints = [one.hints for one in path if isinstance(one.entry, Message) and one.entry.role == "user"]
    note = {"words": "pools", "by": "told.example", "found": 2, "taken": [POOLS]}
    assert hints == [{SEARCHED: [note]}, {}]
    rows = bench.workbench.state.open["talk"].turns
    assert [row.searched for row in rows] == [(("pools", 2, 1),), ()]


@in_loop
async def test_why_nothing_was_searched_is_shown():
    bench = fake_bench(web_search=ToldSearcher(problem="Offline."))
    await bench.start()
    await bench.workbench.dispatch(SearchWeb("talk", "pools"))
    await until(lambda: not bench.shows("web")[-1].running)
    assert bench.shows("web")[-1] == WebSearch("pools", problem="Offline.")
    assert "talk" not in bench.world.searched


@in_loop
async def test_an_older_search_that_ends_late_does_not_take_the_place_of_a_newer_one():
    bench = fake_bench(web_search=ToldSearcher(*HITS))
    await bench.start()
    await bench.workbench.dispatch(SearchWeb("talk", "one"), SearchWeb("talk", "two"))
    await until(lambda: not bench.shows("web")[-1].running)
    assert [one.words for one in bench.shows("web") if not one.running] == ["two"]


SEARCH = McpTool(
    "find", called("web", "find"), "Finds.", '{"type":"object","properties":{"query":{"type":"string"}}}'
)


def searching_bench(store: MemoryHistory, places: MemoryWorkspaces, answer: str) -> Bench:
    """A program whose settings name a server's tool, which answers so."""
    servers = FakeToolServers(
        {"web": McpListing("web", "connected", tools=(SEARCH,))},
        {
            SEARCH.called: lambda given: ToolOutcome(
                answer.replace("WORDS", given["query"]), failed=answer == "no"
            )
        },
    )
    return fake_bench(
        store=store,
        web_search=ToldSearcher(tool=SearchTool("web", "find")),
        workspaces=Workspaces(places, TickingUtc()),
        rooms=WorkspaceToolboxes(lambda where: FakeToolbox(), FakeToolbox(), lambda where: servers),
    )


async def searched_by_tool(answer: str, tool: McpTool | None = SEARCH) -> WebSearch:
    """What a search by a server's tool gives in another run of the program; None is one that was not approved."""
    store = MemoryHistory()
    places = MemoryWorkspaces(store)
    first = searching_bench(store, places, answer)
    place = Workspace(
        "w", "Work", servers=(approve(McpServer("web", "web"), () if tool is None else (tool,)),)
    )
    await first.workbench.dispatch(
        StartWorkspace(place, SETTINGS), StartChat("talk", SETTINGS, filed=Filed("w"))
    )
    bench = searching_bench(store, places, answer)
    await bench.workbench.dispatch(OpenChat("talk"), SearchWeb("talk", "pools"))
    await until(lambda: bool(bench.shows("web")) and not bench.shows("web")[-1].running)
    found: WebSearch = bench.shows("web")[-1]
    return found


@in_loop
async def test_a_reviewed_tool_of_a_server_searches():
    answer = (
        f'[{{"url": "{POOLS}", "title": "About WORDS"}}, {{"url": "http://127.0.0.1/", "title": "Here"}}]'
    )
    found = await searched_by_tool(answer)
    assert (found.by, found.hits) == ("web/find", (SearchHit("About pools", POOLS),))
    assert found.left_words == "1 result left out: it is on this computer."


@in_loop
async def test_a_tool_that_finds_nothing_or_may_not_be_used_says_why():
    assert "web/find has no addresses of pages" in (await searched_by_tool("\x00junk {[" * 1000)).problem
    assert (await searched_by_tool("no")).problem == "Not searched: no"
    assert "has no tool find that was reviewed and approved" in (await searched_by_tool("", None)).problem
