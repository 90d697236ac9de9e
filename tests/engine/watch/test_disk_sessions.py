"""Sessions on this computer: listed when asked, opened as watched conversations, and what goes wrong is said."""

from __future__ import annotations

from collections.abc import Iterator

from tests.context.watch.test_claude_session import compacted, session
from tests.fakes.engine import fake_bench
from tests.fakes.loop import in_loop
from tests.fakes.passing import shipped
from tests.fakes.tokenizer import WordTokenizer
from workbench.domain.errors import InvalidInput
from workbench.domain.shown.sessions_view import SessionLine
from workbench.domain.watch.switch import SessionKind
from workbench.engine.program_intents import GoOnFromWatched, ListSessions, OpenSession
from workbench.engine.watch.importing import import_sessions
from workbench.engine.watch.turn_of import noted_findings
from workbench.engine.watch.understanding import Knowledge
from workbench.engine.watch.watching import MOST_LISTED
from workbench.ports.watching import DiskSession

LINE = SessionLine("claude", "p/s1.jsonl", "2026-11-12T09:00:00Z", 1200, "/home/ada", "First?")


class Home:
    """One session, one that was compacted, and one that is damaged → SessionsOnDisk."""

    def listed(self, most: int) -> tuple[tuple[SessionLine, ...], int]:
        assert most == MOST_LISTED
        return (LINE,), 3

    def read(self, kind: SessionKind, file: str) -> Iterator[DiskSession]:
        if file == "gone":
            raise InvalidInput(file, "cannot read this folder: it is gone")
        kept = {LINE.file: [*session().lines, "{cut"], "compacted": compacted()}
        lines = kept.get(file, ["{cut"])
        return import_sessions(kind, [(file, lines)], Knowledge(*shipped(), lambda name: WordTokenizer()))


@in_loop
async def test_a_session_is_listed_and_opened_as_a_watched_conversation():
    bench = fake_bench(sessions=Home())
    await bench.workbench.dispatch(ListSessions())
    view = bench.workbench.state.sessions
    assert view is not None
    assert (view.lines, view.more, view.reading) == ((LINE,), 3, False)
    await bench.workbench.dispatch(OpenSession("claude", LINE.file))
    opened = bench.workbench.state.sessions
    assert opened is not None
    assert (opened.opening, opened.notes, opened.problem) == ("", ("1 line is damaged.",), "")
    (chat,) = bench.workbench.state.chats
    assert chat.id == opened.opened
    assert chat.filed.watched is not None
    assert (chat.filed.watched.requests, chat.filed.watched.address) == (2, "")
    await bench.workbench.dispatch(OpenSession("claude", LINE.file))
    assert len(await bench.world.store.turns(chat.id)) == 2
    await bench.workbench.close()


@in_loop
async def test_what_a_compaction_removed_is_found_and_attached_to_a_chat_of_ones_own():
    bench = fake_bench(sessions=Home())
    await bench.workbench.dispatch(OpenSession("claude", "compacted"))
    (chat,) = bench.workbench.state.chats
    *_, last = await bench.world.store.turns(chat.id)
    assert "compacted" in {one.kind for one in noted_findings(last.usage or {})}
    await bench.workbench.dispatch(GoOnFromWatched(chat.id, "mine", last.number, removed=True))
    (attached,) = await bench.world.store.attached("mine")
    assert attached.title == "Removed by compaction"
    assert "What does a.py do?" in attached.text
    await bench.workbench.close()


@in_loop
async def test_what_cannot_be_read_is_said():
    bench = fake_bench(sessions=Home())
    for file, words in (("bad", "No request was found"), ("gone", "it is gone")):
        await bench.workbench.dispatch(OpenSession("claude", file))
        view = bench.workbench.state.sessions
        assert view is not None
        assert words in view.problem
        assert (view.opened, view.opening) == ("", "")
    without = fake_bench()
    await without.workbench.dispatch(ListSessions())
    assert without.workbench.state.sessions is not None
    assert "--import-claude" in without.workbench.state.sessions.problem
    await bench.workbench.close()
    await without.workbench.close()
