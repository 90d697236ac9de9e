"""`workbench folders`: indexes folders, lists, searches and removes them."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any

from workbench.cli.open_history import has_store, opened
from workbench.cli.services import Services, WorldOptions
from workbench.cli.terminal import print_json, print_table, print_text, tell, visible_line
from workbench.domain.errors import InvalidInput
from workbench.domain.translation import counted, tr

if TYPE_CHECKING:  # they load what `--help` does not need
    from workbench.domain.folder_index import FolderProgress
    from workbench.domain.recall import Found
    from workbench.engine.world import World
    from workbench.ports.history import HistoryStore

_NONE = tr("No folder is indexed yet. `workbench folders add DIR` indexes one.")
_SHOWN_UNREAD = 20
_EVERY = 500


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument(
        "action", nargs="?", choices=("list", "add", "remove", "search"), default="list", metavar="ACTION",
        help="list | add DIR (index it, or bring its index up to date) | remove DIR (its index; the files stay) | "
        "search WORDS",
    )  # fmt: skip
    parser.add_argument("what", nargs="?", metavar="DIR|WORDS", help="the folder; what to search for")
    parser.add_argument(
        "--folder", metavar="DIR", action="append", default=[], help="search: only in this folder"
    )
    parser.add_argument(
        "--tokens", metavar="N", type=int, default=4_000, help="search: how much may be quoted (4000)"
    )
    parser.add_argument(
        "--workspace", metavar="NAME", help="add: search it for every question of this workspace"
    )
    parser.add_argument(
        "--embeddings", metavar="MODEL",
        help="add, search: rank by a model's vectors, too: ollama:NAME or server:URL#NAME (the setting `embeddings`)",
    )  # fmt: skip
    parser.add_argument("--yes", action="store_true", help="add: send texts to a server on another computer")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(arguments: argparse.Namespace, services: Services) -> int:
    """Runs the action that was named; 1 where nothing fits a search."""
    # Late: `--help` answers without it.
    import asyncio

    if (arguments.what is None) != (arguments.action == "list"):
        needs = {"list": "takes no DIR", "search": "needs WORDS"}.get(arguments.action, "needs a DIR")
        tell(tr("workbench folders: {action} {needs}", action=arguments.action, needs=needs))
        return 2
    if arguments.tokens < 1:
        raise InvalidInput("--tokens", tr("give a number of at least 1"))
    return asyncio.run(_ACTIONS[arguments.action](arguments, services))


async def _list(arguments: argparse.Namespace, services: Services) -> int:
    rows: list[FolderProgress] = []
    if has_store(services):
        async with opened(services, writable=False) as store:
            world = services.world(store, WorldOptions())
            assert world.folders is not None
            indexer = world.folders.indexer
            rows = [await indexer.progress(one.path) for one in await indexer.folders()]
    if arguments.json:
        print_json([_document(one) for one in rows])
        return 0
    print_table(
        [
            (visible_line(one.path), counted(one.files, "file"), counted(one.sections, "section"), one.state)
            for one in rows
        ]
    )
    if not rows:
        tell(_NONE)
    return 0


async def _add(arguments: argparse.Namespace, services: Services) -> int:
    path = folder_path(arguments.what)
    store = await services.history().open(writable=True, beside=True)
    world = services.world(store, WorldOptions())
    try:
        _choose(arguments, world)
        ended = await index_folder(path, world, sure=arguments.yes)
        if arguments.workspace is not None:
            await _follow_in_workspace(path, arguments.workspace, store, services)
    finally:
        await _close(world)
    _tell_unread(ended)
    if arguments.json:
        print_json(_document(ended))
    else:
        print_text(tr("{path}: {summary}", path=visible_line(path), summary=_summary(ended)))
    return 0 if ended.state == "up to date" else 1


async def _follow_in_workspace(path: str, name: str, store: HistoryStore, services: Services) -> None:
    from workbench.cli.workspaces import find_workspace
    from workbench.domain.files.folder import FollowedFolder
    from workbench.domain.workspace import template_of

    found = await find_workspace(name, services.workspaces(store))
    if found is None:
        raise InvalidInput("--workspace", tr("there is no workspace {name!r}", name=visible_line(name)))
    template = template_of(found.id)
    others = [one for one in await store.followed(template) if one.path != path]
    await store.save_followed(template, (*others, FollowedFolder(path, searched=True)))


async def _remove(arguments: argparse.Namespace, services: Services) -> int:
    path = _absolute(arguments.what)
    store = await services.history().open(writable=True, beside=True)
    world = services.world(store, WorldOptions())
    try:
        assert world.folders is not None
        indexer = world.folders.indexer
        if path not in [one.path for one in await indexer.folders()]:
            raise InvalidInput(
                "DIR",
                tr("{path} has no index; `workbench folders list` shows them all", path=visible_line(path)),
            )
        await indexer.remove(path)
    finally:
        await _close(world)
    print_json({"removed": path}) if arguments.json else print_text(visible_line(path))
    return 0


async def _search(arguments: argparse.Namespace, services: Services) -> int:
    store = await services.history().open(writable=False)
    world = services.world(store, WorldOptions())
    try:
        assert world.folders is not None
        known = [one.path for one in await world.folders.indexer.folders()]
        wanted = [_absolute(one) for one in arguments.folder] or known
        for path in wanted:
            if path not in known:
                raise InvalidInput(
                    "--folder",
                    tr("{path} has no index; `workbench folders add` makes one", path=visible_line(path)),
                )
        if not wanted:
            raise InvalidInput("WORDS", _NONE)
        _choose(arguments, world)
        answer = await world.folders.search(wanted, arguments.what, arguments.tokens)
        quotes = [] if answer.nothing else _quoted(answer.found, arguments.tokens, world)
        words_only = world.folders.meaning.problem if world.folders.meaning is not None else ""
    finally:
        await _close(world)
    if arguments.json:
        print_json(
            {"quotes": quotes, "nothing": not quotes} | ({"words_only": words_only} if words_only else {})
        )
    else:
        for one in quotes:
            print_text(
                tr(
                    "{one} › {one_2}  {one_3} tokens  {one_4}",
                    one=visible_line(one["path"]),
                    one_2=visible_line(one["part"]),
                    one_3=one["tokens"],
                    one_4=one["why"],
                )
            )
    if words_only:
        tell(f"workbench: {words_only}")
    if not quotes:
        tell(tr("workbench: nothing here fits"))
    return 0 if quotes else 1


def _quoted(found: tuple[Found, ...], room: int, world: World) -> list[dict[str, Any]]:
    """The quotes that fit into so many tokens, the best first."""
    from workbench.context.assembly.quotes import Quotes, in_file_order, joined_neighbours
    from workbench.domain.recall import parts_of
    from workbench.domain.settings.context_settings import ContextSettings
    from workbench.domain.turn import TurnInputs

    settings = ContextSettings()
    card = world.builder.catalogue.find(settings.model)
    counter = world.builder.counters.counter(settings.counter, card)
    quotes = Quotes(TurnInputs("", 1, settings, card, found=found), counter)
    ranks: dict[str, int] = {}
    for rank, one in enumerate(found, 1):
        tokens = quotes.cost(one)
        if tokens <= room:
            room -= tokens
            ranks[one.id] = rank
    chosen = sorted((one for one in found if one.id in ranks), key=in_file_order)
    ranked = [(min(ranks[part] for part in parts_of(one.id)), one) for one in joined_neighbours(chosen)]
    return [
        {"path": one.artifact, "part": one.place, "tokens": quotes.cost(one), "why": why(one, rank)}
        for rank, one in sorted(ranked, key=lambda one: one[0])
    ]


def why(found: Found, rank: int) -> str:
    """Why a section is quoted: the words of the question that it has, and its rank."""
    words = ", ".join(dict.fromkeys(word.word.lower() for word in found.words[:4]))
    return (
        tr("words: {words} · rank {rank}", words=words, rank=rank)
        if words
        else tr("no word of the question · rank {rank}", rank=rank)
    )


def folder_path(given: str) -> str:
    """The absolute path of a folder; `InvalidInput` where there is none."""
    if not os.path.isdir(given):
        raise InvalidInput("DIR", tr("{given} is not a folder", given=visible_line(given)))
    return _absolute(given)


def _absolute(given: str) -> str:
    return os.path.abspath(given)


async def index_folder(path: str, world: World, *, sure: bool = False) -> FolderProgress:
    """Brings the index of a folder up to date, telling how far it is."""
    assert world.folders is not None
    told = 0

    def tell_progress(at: FolderProgress) -> None:
        nonlocal told
        if at.over and not told:
            tell(
                tr(
                    "workbench: {counted} beyond the limit of {wanted:,} are not searched",
                    counted=counted(at.over, "file"),
                    wanted=at.wanted,
                )
            )
        if at.done >= told + _EVERY:
            told = at.done
            tell(
                tr(
                    "workbench: indexing {done:,} of {counted} …",
                    done=at.done,
                    counted=counted(at.wanted, "file"),
                )
            )

    ended = await world.folders.indexer.update(path, tell_progress)
    if ended.state == "up to date" and await _may_embed(path, world, sure):
        ended = await world.folders.embed(ended, _tell_embedded)
        if ended.words_only:
            tell(f"workbench: {ended.words_only}")
    return ended


async def _may_embed(path: str, world: World, sure: bool) -> bool:
    """Tells what fetching vectors costs before it is done; what leaves this computer has to be wanted."""
    from workbench.domain.answer import ModelFailed
    from workbench.domain.errors import WorkbenchError

    assert world.folders is not None
    meaning = world.folders.meaning
    if meaning is None or not meaning.chosen():
        return False
    try:
        embedder, sections, chars = await meaning.foretold(await world.folders.indexer.opened(path))
    except (ModelFailed, WorkbenchError) as problem:
        tell(tr("workbench: searched by words alone: {problem}", problem=problem))
        return False
    if not sections:
        return True
    price = tr("nothing is paid") if embedder.local else tr("what it charges is not known here")
    tell(
        tr(
            "workbench: {counted}, about {tokens:,} tokens, go to {host} for vectors; {price}",
            counted=counted(sections, "section"), tokens=chars // 4, host=embedder.host, price=price,
        )
    )  # fmt: skip
    if not embedder.local and not sure:
        tell(
            tr(
                "workbench: searched by words alone: {host} is another computer; --yes sends them there",
                host=embedder.host,
            )
        )
    return embedder.local or sure


def _tell_embedded(at: FolderProgress) -> None:
    if at.embedded < at.sections:
        of = counted(at.sections, "section")
        tell(tr("workbench: vectors of {embedded:,} of {of} …", embedded=at.embedded, of=of))


def _choose(arguments: argparse.Namespace, world: World) -> None:
    """Lets this command use the model that it names for vectors."""
    if arguments.embeddings is not None and world.folders is not None and world.folders.meaning is not None:
        world.folders.meaning.chosen = lambda: str(arguments.embeddings)


async def _close(world: World) -> None:
    await world.tasks.close()
    if world.folders is not None:
        await world.folders.close()
    await world.attachments.close()
    await world.store.close()


def _tell_unread(ended: FolderProgress) -> None:
    for one in ended.unread[:_SHOWN_UNREAD]:
        tell(
            tr(
                "workbench: not searched: {path} ({reason})",
                path=visible_line(one.path),
                reason=visible_line(one.reason),
            )
        )
    more = len(ended.unread) - _SHOWN_UNREAD
    if more > 0:
        tell(tr("workbench: … and {counted}; --json lists them all", counted=counted(more, "more file")))


def _summary(one: FolderProgress) -> str:
    return tr(
        "{counted}, {counted_2}, {state}",
        counted=counted(one.files, "file"),
        counted_2=counted(one.sections, "section"),
        state=one.state,
    )


def _document(one: FolderProgress) -> dict[str, Any]:
    return {
        "path": one.path,
        "state": one.state,
        "files": one.files,
        "sections": one.sections,
        "over_limit": one.over,
        "embedded": one.embedded,
        "unread": [{"path": file.path, "reason": file.reason} for file in one.unread],
    }


_ACTIONS = {"list": _list, "add": _add, "remove": _remove, "search": _search}
