"""A searched folder of an open chat: indexed while it is open, quoted in the preview, sent as it is shown, followed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path

from tests.fakes.engine import SETTINGS, Bench, fake_bench
from tests.fakes.loop import in_loop, until
from tests.fakes.stores import WHEN, open_store
from workbench.domain.files.folder import FollowedFolder
from workbench.domain.shown.attachment_view import FollowedRow
from workbench.domain.shown.envelope_view import SegmentRow
from workbench.engine.attaching_intents import FollowFolder, PauseIndexing, StopFollowing
from workbench.engine.exchange.html_format import export_html
from workbench.engine.exchange.imported import Fresh
from workbench.engine.exchange.markdown_format import export_markdown
from workbench.engine.exchange.markdown_reading import import_markdown
from workbench.engine.intents import EditDraft, SendMessage
from workbench.engine.recall.finding import Recall
from workbench.engine.recall.folder_index import FolderIndexer
from workbench.engine.recall.followed import FollowedFolders
from workbench.engine.tuning_intents import ReadQuote, TuneMessages
from workbench.sources.attach import FileAttachments
from workbench.sources.extract.process import ChildExtractor
from workbench.storage.folder_index import StoreFolderIndex

FILLER = "Other things are told here for whoever reads on. " * 6


@asynccontextmanager
async def bench_of(tmp_path: Path) -> AsyncIterator[Bench]:
    store = open_store(tmp_path / "store.db")
    reader = FileAttachments(ChildExtractor())
    folders = FollowedFolders(FolderIndexer(StoreFolderIndex(store), reader), Recall())
    bench = fake_bench(store=store, attachments=reader, folders=folders)
    bench.world.limits.disk_look_s, bench.world.limits.folder_rest_s = 0.02, 0.0
    await bench.start(settings=SETTINGS)
    yield bench
    await bench.workbench.close()


def row(bench: Bench) -> FollowedRow | None:
    rows = bench.workbench.state.open["talk"].followed
    return rows[0] if rows else None


def state(bench: Bench) -> str:
    shown = row(bench)
    return "" if shown is None or shown.progress is None else shown.progress.state


def quoted(bench: Bench) -> list[str]:
    view = bench.workbench.state.open["talk"].view
    return [] if view is None else [one.found.place for one in view.quotes if one.found is not None]


async def until_a_row(bench: Bench, members: tuple[str, ...]) -> SegmentRow:
    """The only quote, as soon as it is of these sections."""

    def rows() -> tuple[SegmentRow, ...]:
        view = bench.workbench.state.open["talk"].view
        return () if view is None else view.quotes

    await until(lambda: [one.members for one in rows()] == [members])
    return rows()[0]


async def follow(bench: Bench, docs: Path) -> None:
    """Follow a folder, and wait until it is indexed."""
    await bench.workbench.dispatch(FollowFolder("talk", FollowedFolder(str(docs), searched=True)))
    await until(lambda: state(bench) == "up to date")


async def draft(bench: Bench, words: str, *quotes: str) -> None:
    """Write the next question, and wait until exactly these sections are quoted."""
    await bench.workbench.dispatch(EditDraft("talk", words))
    await until(lambda: quoted(bench) == list(quotes))


def write(folder: Path, name: str, text: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")


@in_loop
async def test_it_is_indexed_quoted_sent_and_its_changes_are_followed(tmp_path: Path):
    docs = tmp_path / "docs"
    write(docs, "blame.md", f"# Blame\nShows which author last modified each line. {FILLER}")
    async with bench_of(tmp_path) as bench:
        await follow(bench, docs)
        await draft(bench, "Which author modified a line?", "Blame")
        view = bench.workbench.state.open["talk"].view
        assert view is not None
        (group,) = (one for layer in view.layers for one in layer.groups if one.kind == "quoted")
        assert (group.server, group.count, group.room > group.tokens > 0) == (str(docs), 1, True)
        shown = [one.digest for one in view.quotes]
        ended = await bench.do(SendMessage("talk", "Which author modified a line?"))
        assert ended.outcome.state == "complete"
        sent = bench.model.requests[-1]
        assert "Shows which author last modified each line." in str(sent.messages)
        turn = await bench.world.store.last_turn("talk")
        assert turn is not None
        archive = await bench.world.store.archive("talk")
        written = export_markdown(archive).decode()
        assert "\n[Quoted: docs/blame.md, Blame]\n" in written
        assert import_markdown(written, Fresh(WHEN, map(str, count()).__next__)).said == ()
        assert b'<p class="used">Quoted: docs/blame.md, Blame</p>' in export_html(archive)
        kept = [one.digest for one in turn.built.envelope.layer("L3_TURN").segments if one.kind == "quoted"]
        assert kept == shown
        write(docs, "new.md", f"# Submodule\nNests repositories in one another. {FILLER}")
        await until(
            lambda: (now := row(bench)) is not None and now.progress is not None and now.progress.files == 2
        )
        await draft(bench, "nests repositories in one another", "Submodule")
        await bench.workbench.dispatch(StopFollowing("talk", str(docs)))
        await until(lambda: quoted(bench) == [])
        assert row(bench) is None


@in_loop
async def test_a_turn_says_what_was_quoted_and_a_quote_is_read_where_it_stands(tmp_path: Path):
    docs = tmp_path / "docs"
    write(docs, "blame.md", f"# Blame\nShows which author last modified each line. {FILLER}")
    async with bench_of(tmp_path) as bench:
        await follow(bench, docs)
        await draft(bench, "Which author modified a line?", "Blame")
        await bench.do(SendMessage("talk", "Which author modified a line?"))
        await until(lambda: bool(bench.workbench.state.open["talk"].turns[-1].quoted))
        ((key, title, place),) = bench.workbench.state.open["talk"].turns[-1].quoted
        assert (title, place) == ("docs/blame.md", "Blame")
        await bench.workbench.dispatch(ReadQuote("talk", key))
        await until(lambda: bench.workbench.state.open["talk"].quoted_file is not None)
        read = bench.workbench.state.open["talk"].quoted_file
        assert read is not None
        assert (read.path, read.first_line, read.begins) == (str(docs / "blame.md"), 1, 1)
        assert read.text == (docs / "blame.md").read_text("utf-8")
        await bench.workbench.dispatch(ReadQuote("talk"))
        await until(lambda: bench.workbench.state.open["talk"].quoted_file is None)


@in_loop
async def test_more_of_a_file_is_quoted_beside_what_fits_and_stays_until_it_is_taken_back(tmp_path: Path):
    docs = tmp_path / "docs"
    write(docs, "blame.md", f"# Blame\nShows which author modified each line.\n\n{FILLER * 4}\n\n# End\nBye.")
    async with bench_of(tmp_path) as bench:
        await follow(bench, docs)
        await bench.workbench.dispatch(EditDraft("talk", "Which author modified a line?"))
        await until(lambda: len(quoted(bench)) == 1)
        view = bench.workbench.state.open["talk"].view
        assert view is not None
        (first,) = view.quotes
        assert first.found is not None
        await bench.workbench.dispatch(TuneMessages("talk", always=frozenset(first.found.after)))
        row = await until_a_row(bench, (*first.members, *first.found.after))
        assert row.tokens > first.tokens
        assert not row.pinned
        assert row.found is not None
        # Asked for once more on the row that they are part of now, they are taken back.
        assert row.found.after == first.found.after
        await bench.workbench.dispatch(TuneMessages("talk", as_found=frozenset(row.found.after)))
        await until_a_row(bench, first.members)


@in_loop
async def test_a_paused_one_says_so_and_one_that_is_gone_is_not_there(tmp_path: Path):
    docs = tmp_path / "docs"
    write(docs, "blame.md", f"# Blame\nShows which author last modified each line. {FILLER}")
    async with bench_of(tmp_path) as bench:
        await follow(bench, docs)
        await bench.workbench.dispatch(PauseIndexing("talk", str(docs)))
        await until(lambda: state(bench) == "paused")
        await bench.workbench.dispatch(PauseIndexing("talk", str(docs), False))
        await until(lambda: state(bench) == "up to date")
        docs.rename(tmp_path / "elsewhere")
        await until(lambda: state(bench) == "not found")
        shown = row(bench)
        assert shown is not None
        assert not shown.there
