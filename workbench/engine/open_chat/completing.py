"""Completes @names as they are typed: offers files, parts and chats, counts the visible ones, drops late results."""

from __future__ import annotations

import asyncio
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

from workbench.context.explain.offers import (
    Held,
    attached_offers,
    chat_names,
    chat_offers,
    command_offers,
    covered,
    each_once,
    part_offers,
    ranked,
)
from workbench.context.text.at_commands import COMMANDS, code_spans, is_in, mention_text
from workbench.domain.files.attached import Attached, CannotAttach
from workbench.domain.files.attachment import Artifact
from workbench.domain.files.document import Document
from workbench.domain.files.document_parts import find_section
from workbench.domain.record import Chat
from workbench.domain.shown.completion_view import CompletionView, Offer, TypedName, typed_name
from workbench.engine.attaching_intents import Complete
from workbench.engine.chats.attached_parts import PARTED, file_name
from workbench.engine.chats.mentioned import Meanings, attached_folders, chat_note, held_of
from workbench.engine.completion import Around, Cost, OfferedFiles, Sources
from workbench.engine.events import ChatShown
from workbench.engine.open_chat.scope import ChatScope
from workbench.engine.state import ChatState
from workbench.engine.tasks import Latest

IN_SIGHT = 7
"""Six rows are in sight, and a piece of a seventh."""
SETTLE_S = 0.08
"""Delay after the last key before files are read to be counted."""
_UNCOUNTED = ("command", "attached")
_NOT_SENT = ("dropped", "excluded")


@dataclass(frozen=True, slots=True)
class _Opened:
    """A file whose parts are offered: its name in the message, its document, and which parts are attached."""

    told: str
    document: Document | None
    held: tuple[Held, ...] = ()
    about: Hashable = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class _Wholes:
    """Offers of whole files and chats: their cache key, how they are made, and which parts are attached."""

    sources: Sources
    folders: Mapping[str, str]
    chats: Mapping[str, Chat]
    meant: Meanings
    around: Around

    def about(self, offer: Offer) -> Hashable:
        if offer.kind == "chat":
            return ("chat", offer.named, offer.used_utc)
        for name, top in self.folders.items():
            known = self.sources.files.at_hand(top, name)
            if known is not None and offer.named in known.by_name:
                listed = known.by_name[offer.named]
                return ("file", offer.named, listed.size_bytes, listed.stamp)
        return ("file", offer.named)

    async def made(self, offer: Offer) -> Artifact | Attached | None:
        if offer.kind == "chat":
            return await chat_note(offer.named, self.chats[offer.named], self.meant.world)
        return await self.meant.file(offer.named)

    def within(self, offer: Offer) -> Sequence[Held]:
        return [one for one in self.meant.held if one.anchor and offer.named in (one.whole, one.whole_told)]


@dataclass(frozen=True, slots=True)
class _Parts:
    """The same for offers of parts of one file."""

    file: _Opened
    document: Document
    around: Around

    def about(self, offer: Offer) -> Hashable:
        return ("part", offer.named, self.file.about)

    async def made(self, offer: Offer) -> Artifact:
        if offer.kind == "whole":
            return Artifact(self.file.told, "file", self.document.text)
        section = find_section(self.document, offer.named.rpartition("#")[2])
        text = "" if section is None else self.document.text[section.start : section.end]
        return Artifact(offer.named, "file", text)

    def within(self, offer: Offer) -> Sequence[Held]:
        return _attached_state(offer, self.file, self.document)[1]


_Scope = _Wholes | _Parts


@dataclass(frozen=True, slots=True)
class _Uncounted:
    """Offers whose cost is still to be counted, from the first visible one."""

    first: int
    view: CompletionView
    scope: _Scope


class Completing:
    """Completes the one name that is being typed in a chat."""

    def __init__(self, scope: ChatScope, sources: Sources) -> None:
        self._scope, self._world, self._sources = scope, scope.world, sources
        self._asked: Complete | None = None
        self._task: asyncio.Task[None] | None = None
        self._counts = Latest(scope, self._count, lambda: SETTLE_S)

    def look(self, intent: Complete) -> None:
        """Offer completions for the name being typed; cancels an earlier lookup."""
        if self._task is not None:
            self._task.cancel()
        self._counts.cancel()
        begun = typed_name(intent.before)
        if begun is None or self._scope.state is None or _is_code(intent, begun) or begun.word in COMMANDS:
            self._asked = None
            self._show(None)
            return
        if self._asked is None:
            self._sources.begin_name()
        self._asked = intent
        self._task = self._scope.spawn(f"complete a name in {intent.chat}", self._complete(intent, begun))

    def follow_attached(self) -> None:
        """Refresh the offers after attachments or chats have changed."""
        if self._asked is not None:
            self.look(self._asked)

    def follow_request(self) -> None:
        """Refresh the costs after the next request has changed."""
        state = self._scope.state
        if self._asked is not None and state is not None and state.completion is not None:
            self._show(replace(state.completion, offers=_with_request_costs(state.completion.offers, state)))

    def _show(self, view: CompletionView | None) -> None:
        state = self._scope.state
        if state is not None and state.completion != view:
            self._scope.emit(ChatShown(state.chat.id, {"completion": view}))

    async def _complete(self, intent: Complete, begun: TypedName) -> None:
        opened = self._scope.state
        if opened is None:
            return
        meant = await self._meanings(opened)
        base, mark, typed = begun.word.rpartition("#")
        file = await self._find_file(base, meant, begun) if mark and base else None
        if file is not None:
            await self._offer_parts(intent, begun, file, typed)
            return
        chats = chat_names(await self._sources.chats(), intent.chat)
        front = (*command_offers(), *attached_offers(meant.held))
        folders = {"": meant.workspace, **meant.folders}
        hand = [self._sources.files.at_hand(top, name) for name, top in folders.items()]
        fresh = all(self._sources.files.is_fresh(top, name) for name, top in folders.items())
        behind = tuple(chat_offers(chats))
        scope = _Wholes(self._sources, folders, chats, meant, await self._sources.costs.around(opened))
        offers = await asyncio.to_thread(_ranked, begun.word, (front, hand, behind))
        if not fresh:
            if offers:
                self._show(replace(self._view(opened, begun, offers, scope), reading=True))
            hand = [await self._sources.files.listed(top, name) for name, top in folders.items()]
            offers = await asyncio.to_thread(_ranked, begun.word, (front, hand, behind))
        view = self._view(opened, begun, offers, scope)
        self._show(view)
        self._counts.call(f"complete a name in {intent.chat}: costs", _Uncounted(intent.first, view, scope))

    async def _meanings(self, opened: ChatState) -> Meanings:
        chat, attached = opened.chat.id, opened.conversation.attached
        copies = await self._world.store.copies(chat) if attached else ()
        folders = attached_folders(attached, [one.path for one in opened.followed if one.there])
        by_key = {copy.key: copy for copy in copies}
        place = self._world.workspaces.of(opened.chat)
        top = "" if place is None else place.folder
        return Meanings(chat, held_of(attached, copies), by_key, folders, self._world, top)

    # The parts of one file.

    async def _find_file(self, base: str, meant: Meanings, begun: TypedName) -> _Opened | None:
        """The file named before #, under the name the message uses; None if there is none."""
        mine = tuple(
            one for one in meant.held if base in (one.whole, one.whole_told) and one.artifact.kind in PARTED
        )
        if mine:
            return await self._attached_file(meant.chat, base, mine)
        for name, top in {"": meant.workspace, **meant.folders}.items():
            files = await self._sources.files.listed(top, name)
            if begun.word in files.by_name:
                return None  # a file whose own name has a # in it
            told = base if base in files.by_name else _case_insensitive_match(base, files)
            if told is not None:
                return await self._found_file(told, meant, files)
        return None

    async def _attached_file(self, chat: str, base: str, held: tuple[Held, ...]) -> _Opened | None:
        copy = await self._world.store.newest_snapshot(chat, held[0].artifact.key)
        if copy is None:
            return None
        try:
            document, digest = await self._sources.documents.read(
                file_name(copy), copy.content, copy.read_as.chosen
            )
        except CannotAttach as refusal:
            return _Opened(base, None, held, problem=refusal.reason)
        return _Opened(base, document, held, (digest, copy.read_as.chosen))

    async def _found_file(self, told: str, meant: Meanings, files: OfferedFiles) -> _Opened:
        listed = files.by_name[told]
        about = (told, listed.size_bytes, listed.stamp)
        try:
            document = await self._sources.document(told, about, meant)
        except CannotAttach as refusal:
            return _Opened(told, None, problem=refusal.reason)
        return _Opened(told, document, (), about)

    async def _offer_parts(self, intent: Complete, begun: TypedName, file: _Opened, typed: str) -> None:
        opened, document = self._scope.state, file.document
        if opened is None:
            return
        if document is None:
            whole = Offer("whole", file.told, mention_text(file.told), file.told, problem=file.problem)
            self._show(CompletionView(begun, (whole,), file.told))
            return
        offers = await asyncio.to_thread(part_offers, file.told, document, typed)
        offers = tuple(_with_attached(offer, file, document) for offer in offers)
        scope = _Parts(file, document, await self._sources.costs.around(opened))
        view = replace(self._view(opened, begun, offers, scope), file=file.told)
        self._show(view)
        self._counts.call(f"complete a name in {intent.chat}: costs", _Uncounted(intent.first, view, scope))

    # What each costs.

    def _view(
        self, opened: ChatState, begun: TypedName, offers: Sequence[Offer], scope: _Scope
    ) -> CompletionView:
        """The view with the costs that are known already."""
        shown: list[Offer] = []
        for offer in offers:
            cost = None if offer.kind in _UNCOUNTED else self._sources.costs.known(opened, scope.about(offer))
            shown.append(offer if cost is None else _priced(offer, cost, scope, opened))
        return CompletionView(begun, _with_request_costs(shown, opened))

    async def _count(self, wanted: _Uncounted) -> None:
        view, scope, offers = wanted.view, wanted.scope, list(wanted.view.offers)
        for place in range(wanted.first, min(wanted.first + IN_SIGHT, len(offers))):
            offer, opened = offers[place], self._scope.state
            if opened is None:
                return
            if offer.kind in _UNCOUNTED or offer.tokens is not None or offer.problem:
                continue
            cost = await self._sources.costs.of(opened, scope.about(offer), partial(scope.made, offer))
            if not self._counts.is_wanted(wanted):
                return  # another name is typed by now
            offers[place] = _priced(offer, cost, scope, opened)
            now = self._scope.state
            self._show(
                replace(view, offers=tuple(offers) if now is None else _with_request_costs(offers, now))
            )


def _is_code(intent: Complete, begun: TypedName) -> bool:
    return is_in(code_spans(intent.before + intent.after), begun.start)


def _ranked(
    word: str, offers: tuple[Sequence[Offer], Sequence[OfferedFiles | None], Sequence[Offer]]
) -> tuple[Offer, ...]:
    front, files, behind = offers
    listed = chain.from_iterable(one.offers for one in files if one is not None)
    return ranked(word, each_once(chain(front, listed, behind)))


def _case_insensitive_match(base: str, files: OfferedFiles) -> str | None:
    """The only file whose name matches when case is ignored."""
    wanted = base.casefold()
    found = [name for name in files.by_name if name.casefold() == wanted]
    return found[0] if len(found) == 1 else None


def _with_attached(offer: Offer, file: _Opened, document: Document) -> Offer:
    attached, within = _attached_state(offer, file, document)
    return replace(offer, attached=attached, in_part=bool(within)) if attached or within else offer


def _attached_state(offer: Offer, file: _Opened, document: Document) -> tuple[bool, Sequence[Held]]:
    """Whether a part of a file is attached already, and otherwise which parts within it are."""
    if not file.held:
        return False, ()
    section = None if offer.kind == "whole" else find_section(document, offer.named.rpartition("#")[2])
    span = (0, len(document.text)) if section is None else (section.start, section.end)
    return covered(span, file.held, document)


def _with_request_costs(offers: Sequence[Offer], opened: ChatState) -> tuple[Offer, ...]:
    """Returns the offers; those of attached files with their tokens in the next request."""
    rows = {row.key: row for row in opened.attachments}
    keys = {one.name_for_model: one.key for one in opened.conversation.attached}
    estimated = opened.view is not None and not opened.view.exact
    return tuple(
        replace(offer, tokens=rows[keys[offer.named]].tokens, estimated=estimated)
        if offer.kind == "attached" and keys.get(offer.named) in rows
        else offer
        for offer in offers
    )


def _priced(offer: Offer, cost: Cost, scope: _Scope, opened: ChatState) -> Offer:
    """An offer with its cost, and how much of that would be added to the request."""
    if cost.tokens is None:
        return replace(offer, problem=cost.problem)
    around, keys = scope.around, {one.artifact.key for one in scope.within(offer)}
    paid = sum(row.tokens for row in opened.attachments if row.key in keys and row.state not in _NOT_SENT)
    # What stands first carries the message's own cost, also when something else takes its place.
    added = cost.tokens - paid + around.opening + (around.place if around.first in keys else 0)
    return replace(offer, tokens=cost.tokens, added_tokens=added, estimated=cost.estimated)
