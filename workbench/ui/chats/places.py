"""The lines of the list of chats: by workspace, or by day if there is none; pinned chats first, archived ones last."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Literal

from PySide6.QtCore import QDate

from workbench.domain.record import Chat
from workbench.domain.workspace import Workspace, template_of
from workbench.ui import formatting
from workbench.ui.chats.lines import (
    ActionLine,
    Calendar,
    ChatLine,
    GroupHead,
    Line,
    PlaceHead,
    group_word,
    title_of,
    used_or_created,
)
from workbench.ui.translation import tr
from workbench.ui.widgets.plain import shown

Sort = Literal["used", "title", "created"]
SORTS: tuple[Sort, ...] = ("used", "title", "created")
NOWHERE, ARCHIVED, NEW_WORKSPACE = "place:none", "place:archived", "new-workspace"
MORE_WATCHED, WAITING = "place:watched", "watch"
WATCHED_SHOWN = 5
"""How many watched chats are listed before the user asks for all of them."""


@dataclass(frozen=True, slots=True)
class Arranged:
    """How the list is arranged: its order, what is folded, and which tags and words a chat must have."""

    sort: Sort = "used"
    folded: frozenset[str] = frozenset({ARCHIVED})
    tags: tuple[str, ...] = ()
    words: str = ""

    @property
    def filters(self) -> bool:
        return bool(self.tags)

    def toggled(self, place: str) -> Arranged:
        """With a heading folded that was not, or the other way round."""
        return replace(self, folded=self.folded ^ {place})

    def text(self) -> str:
        return " ".join((self.sort, *sorted(self.folded)))


def arranged_from(text: str) -> Arranged:
    """Parse a saved arrangement; the default if it is not valid."""
    sort, *folded = text.split() or ("",)
    found = next((one for one in SORTS if one == sort), None)
    return Arranged() if found is None else Arranged(found, frozenset(folded))


@dataclass(frozen=True, slots=True)
class Listed:
    """What there is to list; `running`, `warm` and `elsewhere` (in another window) are ids of chats.

    `watching` if other programs are watched, `arriving` if one of them waits for an answer.
    """

    chats: Sequence[Chat]
    workspaces: Mapping[str, Workspace] = field(default_factory=dict)
    running: Collection[str] = ()
    warm: Collection[str] = ()
    watching: bool = False
    arriving: bool = False
    elsewhere: Collection[str] = ()


def place_lines(listed: Listed, today: QDate | Calendar, arranged: Arranged = Arranged()) -> tuple[Line, ...]:  # noqa: B008
    """All lines of the list as of a day; passing a `Calendar` reuses the dates it has formatted."""
    calendar = today if isinstance(today, Calendar) else Calendar(today)
    return tuple(_Lines(listed, calendar, arranged).all())


def tag_filter(text: str, chats: Iterable[Chat]) -> tuple[tuple[str, ...], str] | None:
    """The tags and other words of a text that begins with #; None if no chat has a tag that begins so."""
    pieces = text.split()
    tags = tuple(piece[1:].casefold() for piece in pieces if piece.startswith("#") and len(piece) > 1)
    if not text.startswith("#") or not tags:
        return None
    known = {tag.casefold() for chat in chats for tag in chat.filed.tags}
    if not all(any(one.startswith(tag) for one in known) for tag in tags):
        return None
    return tags, " ".join(piece for piece in pieces if not piece.startswith("#")).casefold()


class _Lines:
    """Builds the lines of one list."""

    def __init__(self, listed: Listed, calendar: Calendar, arranged: Arranged) -> None:
        self._listed, self._calendar, self._arranged = listed, calendar, arranged

    def all(self) -> Iterator[Line]:
        wanted = self._sorted(chat for chat in self._listed.chats if self._matches(chat))
        yield from self._watched_lines([chat for chat in wanted if _is_watched(chat)])
        wanted = [chat for chat in wanted if not _is_watched(chat)]
        here = [chat for chat in wanted if chat.filed.archived_utc is None]
        if self._listed.workspaces:
            yield from self._by_workspace(here)
        else:
            yield from self._by_day(here)
        archived = [chat for chat in wanted if chat.filed.archived_utc is not None]
        if archived:
            yield from self._place_lines(PlaceHead(ARCHIVED, "archived", tr("Archived"), 0), archived)
        if not self._arranged.filters:
            yield ActionLine(NEW_WORKSPACE, tr("New workspace…"))

    def _watched_lines(self, chats: Sequence[Chat]) -> Iterator[Line]:
        """Lines of watched chats, at the top: the newest few, or all if the user asked for them."""
        if not chats and not self._listed.watching:
            return
        live = self._listed.watching or self._listed.arriving
        yield GroupHead("group:watched", tr("Watched"), live)
        whole = MORE_WATCHED in self._arranged.folded or self._arranged.filters
        families = list(_with_sub_agents(chats))
        for chat, inside in families if whole else families[:WATCHED_SHOWN]:
            mark = chat.filed.watched
            requests = 0 if mark is None else mark.requests
            when = self._calendar.alone(self._moment(chat))
            yield replace(self._chat_line(chat, inset=inside), when=when, requests=requests)
        if not chats:
            yield ActionLine(WAITING, tr("Waiting for a request…"))
        if len(chats) > WATCHED_SHOWN and not self._arranged.filters:
            more = tr("{n} more").format(n=formatting.tokens(len(chats) - WATCHED_SHOWN))
            yield ActionLine(MORE_WATCHED, tr("Show fewer") if whole else more)

    def _by_workspace(self, chats: Sequence[Chat]) -> Iterator[Line]:
        inside: dict[str, list[Chat]] = {key: [] for key in self._listed.workspaces}
        nowhere: list[Chat] = []
        for chat in chats:
            inside.get(chat.filed.workspace, nowhere).append(chat)
        for key, workspace in self._listed.workspaces.items():
            name = workspace.name
            head = PlaceHead(template_of(key), "workspace", shown(name), 0, workspace=key, name=name)
            if inside[key] or not self._arranged.filters:
                yield from self._place_lines(head, inside[key])
        if nowhere:
            yield from self._place_lines(PlaceHead(NOWHERE, "none", tr("No workspace"), 0), nowhere)

    def _by_day(self, chats: Sequence[Chat]) -> Iterator[Line]:
        pinned = [chat for chat in chats if chat.filed.pinned]
        loose = [chat for chat in chats if not chat.filed.pinned]
        if pinned:
            yield GroupHead("group:pinned", tr("Pinned"))
            yield from (self._chat_line(chat) for chat in pinned)
        if self._arranged.sort == "title":
            yield from ([GroupHead("group:title", tr("By title"))] if loose else ())
            yield from (self._chat_line(chat) for chat in loose)
            return
        for group, members in groupby(loose, key=lambda chat: self._calendar.place(self._moment(chat))[0]):
            yield GroupHead(f"group:{group}", group_word(group))
            yield from (self._chat_line(chat) for chat in members)

    def _place_lines(self, head: PlaceHead, chats: Sequence[Chat]) -> Iterator[Line]:
        folded = head.id in self._arranged.folded and not self._arranged.filters
        yield replace(head, count=len(chats), folded=folded)
        if not folded:
            yield from (self._chat_line(chat, inset=True) for chat in sorted(chats, key=_pinned_first))

    def _chat_line(self, chat: Chat, inset: bool = False) -> ChatLine:
        filed = chat.filed
        return ChatLine(
            chat.id,
            title_of(chat.title),
            self._when(chat, inset),
            chat.id in self._listed.running,
            chat.title,
            filed.workspace if filed.workspace in self._listed.workspaces else "",
            filed.pinned,
            filed.archived_utc is not None,
            tuple(shown(tag, 40) for tag in filed.tags),
            chat.id in self._listed.warm,
            inset,
            chat.id in self._listed.elsewhere,
            temporary=filed.temporary,
        )

    def _when(self, chat: Chat, inset: bool) -> str:
        """When a chat was used: short under a heading of its day, otherwise with the day."""
        moment = self._moment(chat)
        by_day = not inset and not chat.filed.pinned and self._arranged.sort != "title"
        return self._calendar.place(moment)[1] if by_day else self._calendar.alone(moment)

    def _sorted(self, chats: Iterable[Chat]) -> list[Chat]:
        if self._arranged.sort == "title":
            return sorted(chats, key=lambda chat: (title_of(chat.title).casefold(), chat.id))
        return sorted(chats, key=self._moment, reverse=True)

    def _moment(self, chat: Chat) -> str:
        return chat.created_utc if self._arranged.sort == "created" else used_or_created(chat)

    def _matches(self, chat: Chat) -> bool:
        tags = [tag.casefold() for tag in chat.filed.tags]
        return all(any(tag.startswith(want) for tag in tags) for want in self._arranged.tags) and (
            not self._arranged.words or self._arranged.words in chat.title.casefold()
        )


def _is_watched(chat: Chat) -> bool:
    return chat.filed.watched is not None and chat.filed.archived_utc is None


def _with_sub_agents(chats: Sequence[Chat]) -> Iterator[tuple[Chat, bool]]:
    """The watched chats, each with whether it is indented: sub-agents follow the chat that started them."""
    known = {chat.id: chat for chat in chats}
    below: dict[str, list[Chat]] = {}
    for chat in chats:
        below.setdefault(_root(chat, known), []).append(chat)
    for root, some in below.items():
        yield known[root], False
        yield from ((chat, True) for chat in some if chat.id != root)


def _root(chat: Chat, known: Mapping[str, Chat]) -> str:
    """Id of the chat at the top of a chain of sub-agents; imported chats may form a cycle, which ends the search."""
    first, seen = chat.id, {chat.id}
    while (mark := chat.filed.watched) is not None and mark.parent in known:
        if mark.parent in seen:
            return first
        seen.add(mark.parent)
        chat = known[mark.parent]
    return chat.id


def _pinned_first(chat: Chat) -> bool:
    return not chat.filed.pinned
