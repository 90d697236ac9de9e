"""A temporary chat is never on disk: of the file and the folder beside it only what was spent changes."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.chat_model import FakeModel, FakeModels, words
from tests.fakes.engine import SETTINGS, Bench, FilesInMemory, TickingUtc, fake_world
from tests.fakes.loop import in_loop
from tests.fakes.preferences import MemoryPreferences
from tests.fakes.spending import PRICE
from tests.fakes.stores import connect, decrypted_pages, open_store
from tests.fakes.turns import fake_builder
from workbench.domain.change import Built
from workbench.domain.errors import NotKept
from workbench.domain.model import ModelCard
from workbench.domain.segment import Segment
from workbench.domain.spending import SpendCaps
from workbench.domain.usage import Price
from workbench.domain.workspace import Filed, Workspace
from workbench.engine.intents import (
    AttachFiles,
    DeleteChat,
    EditDraft,
    ListChats,
    RenameChat,
    RestoreChat,
    SendMessage,
    StartChat,
)
from workbench.engine.known_workspaces import Workspaces
from workbench.engine.metering import MeteredModels, Spending
from workbench.engine.tasks import Tasks
from workbench.engine.workspace_intents import FileChats, StartWorkspace
from workbench.storage.spending import StoredSpending
from workbench.storage.temporary import HistoryWithTemporary
from workbench.storage.workspaces import StoreWorkspaces

PLANTED = ("heliotrope", "quixotry", "zephyrine", "marzipan", "obelisk", "verdigris")
TEMPORARY = Filed(temporary=True)


class OnePrice:
    """The same price for every model → PriceList."""

    def price(self, card: ModelCard) -> Price | None:
        return PRICE


def tables(path: Path) -> dict[str, str]:
    """A digest of every table but the one of what was spent."""
    connection = connect(path)
    names = [row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    found = {}
    for name in names:
        if name != "spending":
            rows = sorted(map(repr, connection.execute(f'SELECT * FROM "{name}"')))
            found[name] = hashlib.sha256("\n".join(rows).encode()).hexdigest()
    connection.close()
    return found


def beside(path: Path) -> dict[str, str]:
    """Everything in the folder but the store itself, and its content."""
    others = (one for one in path.parent.rglob("*") if one.is_file() and not one.name.startswith(path.name))
    return {str(one): hashlib.sha256(one.read_bytes()).hexdigest() for one in others}


def bench(path: Path, answer: str) -> tuple[Bench, Spending]:
    """An engine over a real store file, with what counts its requests."""
    store, tasks = open_store(path), Tasks(lambda name, error: None)
    builder = fake_builder(WORD_MODEL)
    ledger, utc = StoredSpending(store, "me"), TickingUtc()
    spending = Spending(ledger, OnePrice(), builder.catalogue, utc, SpendCaps, tasks)
    both = HistoryWithTemporary(store)
    models = MeteredModels(FakeModels(FakeModel([words(answer)])), spending)
    files = FilesInMemory(**{"notes.txt": "The marzipan is in the cellar."})
    world = fake_world(
        store=both,
        builder=builder,
        models=models,
        spending=spending,
        attachments=files,
        preferences=MemoryPreferences(),
        workspaces=Workspaces(StoreWorkspaces(store), TickingUtc()),
    )
    return Bench(world), spending


def messages_of(built: Built) -> list[tuple[Segment, ...]]:
    """What was sent, message by message."""
    return [one.segments for one in built.envelope.messages]


async def talk(one: Bench, chat: str = "t") -> None:
    """A temporary chat with everything that an ordinary one writes down."""
    await one.workbench.begin()
    await one.workbench.dispatch(StartChat(chat, SETTINGS, unwritten=True, filed=TEMPORARY))
    await one.workbench.dispatch(AttachFiles(chat, ("notes.txt",)))
    await one.do(SendMessage(chat, "What is heliotrope?"))
    await one.workbench.dispatch(RenameChat(chat, "About zephyrine"))
    await one.workbench.dispatch(EditDraft(chat, "Now the obelisk"))
    await one.calm()


@in_loop
async def test_nothing_of_it_reaches_the_disk(tmp_path: Path):
    """A row, a draft, a word of an index or a count by digest that is written after all would stay for ever."""
    path = tmp_path / "data" / "store.db"
    path.parent.mkdir()
    first, _ = bench(path, "An ordinary answer.")
    await first.workbench.begin()
    await first.start("kept")
    await first.do(SendMessage("kept", "An ordinary question."))
    await first.workbench.close()
    before, folder = tables(path), beside(path)

    one, spending = bench(path, "It is a kind of quixotry.")
    await talk(one)
    store = one.world.store
    assert [text for _, text, _ in await one.texts("t")] == [
        "What is heliotrope?",
        "It is a kind of quixotry.",
    ]
    assert [chat.id for chat in await store.chats() if chat.filed.temporary] == ["t"]
    assert await store.search("heliotrope") == ()
    spent = await spending.spent()
    await one.workbench.close()

    assert [request.chat for request in spent] == ["kept", "t"]
    assert tables(path) == before
    assert beside(path) == folder
    content = decrypted_pages(path).lower()
    assert [word for word in PLANTED if word.encode() in content] == []
    again = HistoryWithTemporary(open_store(path))
    assert [chat.id for chat in await again.chats()] == ["kept"]
    await again.close()


@in_loop
async def test_keeping_it_stores_all_of_it(tmp_path: Path):
    path = tmp_path / "store.db"
    one, _ = bench(path, "It is a kind of quixotry.")
    await talk(one)
    await one.workbench.dispatch(FileChats(("t",), temporary=False))
    await one.workbench.dispatch(EditDraft("t", "Now the obelisk, please"))
    assert not one.workbench.state.open["t"].chat.filed.temporary
    sent = (await one.world.store.last_turn("t")).built  # type: ignore[union-attr]
    await one.workbench.close()
    store = open_store(path)
    archive = await store.archive("t")
    assert (archive.chat.title, archive.chat.filed) == ("About zephyrine", Filed())
    assert (len(archive.records), len(archive.snapshots), len(archive.attached)) == (2, 1, 1)
    assert archive.draft == "Now the obelisk, please"
    assert messages_of(archive.turns[0].built) == messages_of(sent)
    assert [hit.chat for hit in await store.search("heliotrope")] == ["t"]
    await store.close()


@in_loop
async def test_a_closed_one_comes_back_only_as_long_as_the_program_runs(tmp_path: Path):
    one, _ = bench(tmp_path / "store.db", "Yes.")
    await talk(one)
    await one.workbench.dispatch(DeleteChat("t"), ListChats())
    closed = one.workbench.state
    await one.workbench.dispatch(RestoreChat("t"), FileChats(("t",), temporary=False), ListChats())
    kept = one.workbench.state
    assert [[(chat.id, chat.filed.temporary) for chat in state.chats] for state in (closed, kept)] == [
        [],
        [("t", False)],
    ]
    await one.workbench.close()


@in_loop
async def test_it_is_in_no_workspace(tmp_path: Path):
    one, _ = bench(tmp_path / "store.db", "Yes.")
    await talk(one)
    with pytest.raises(NotKept, match="Keep it first"):
        await one.workbench.dispatch(
            StartWorkspace(Workspace("w", "W"), SETTINGS), FileChats(("t",), workspace="w")
        )
    await one.workbench.close()
