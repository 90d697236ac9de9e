"""Searches of the web: shown as rows, and noted with the question whose pages went along."""

from __future__ import annotations

from tests.fakes.engine import FilesInMemory, fake_bench
from tests.fakes.loop import in_loop, until
from tests.fakes.web_searchers import HITS, ToldSearcher
from workbench.domain.message import Message
from workbench.domain.web_search import SEARCHED, WebSearch
from workbench.engine.attaching_intents import SearchWeb
from workbench.engine.intents import AttachFiles, SendMessage

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
