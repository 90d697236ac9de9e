"""The lines of the list of chats, by workspace or by day, and of search results."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Any, Literal

from PySide6.QtCore import QDate, QLocale, QMimeData, QModelIndex, Qt, QUrl, Signal

from workbench.domain.record import Chat, Hit
from workbench.ui import formatting
from workbench.ui.filing import CHATS
from workbench.ui.formatting import local_moment
from workbench.ui.translation import tr
from workbench.ui.widgets.items.item_model import ItemModel
from workbench.ui.widgets.items.views import Index
from workbench.ui.widgets.plain import shown

Group = Literal["today", "yesterday", "this_week", "last_week", "older"]
Marks = tuple[tuple[int, int], ...]
BEFORE = 18
"""How many characters of a snippet are kept before its first match, so that it is visible in a narrow list."""
_HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")


@dataclass(frozen=True, slots=True)
class GroupHead:
    """The heading of a group; if `live`, it has a dot because watched requests arrive in it."""

    id: str
    words: str
    live: bool = False


PlaceKind = Literal["workspace", "none", "archived"]


@dataclass(frozen=True, slots=True)
class PlaceHead:
    """The heading of a workspace, of chats in none, or of archived chats; its chats follow unless it is folded.

    The id of a workspace's heading is that of its template, which is the current chat while its page is shown.
    """

    id: str
    kind: PlaceKind
    words: str
    count: int
    folded: bool = False
    workspace: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class ActionLine:
    """A line that runs a command, such as New workspace, instead of opening a chat."""

    id: str
    words: str


@dataclass(frozen=True, slots=True)
class ChatLine:
    """One chat; `when` is as short as its group allows, `running` if an answer is arriving.

    `title` is made safe to show, `name` is the original; `warm` if a cache holds the last request, `inset` if it stands
    under the heading of a workspace, `elsewhere` if another window shows it. `requests` is the number of requests of a
    watched chat. A `temporary` one is not saved.
    """

    id: str
    title: str
    when: str
    running: bool = False
    name: str = ""
    workspace: str = ""
    pinned: bool = False
    archived: bool = False
    tags: tuple[str, ...] = ()
    warm: bool = False
    inset: bool = False
    elsewhere: bool = False
    requests: int | None = None
    temporary: bool = False


Line = GroupHead | PlaceHead | ActionLine | ChatLine


def used_or_created(chat: Chat) -> str:
    """When a chat was last used; if it never was, when it was created."""
    return chat.used_utc or chat.created_utc


def title_of(title: str) -> str:
    """A chat's title, made safe to show; `New chat` if it has none."""
    return _shown(title) if title else tr("New chat")


@lru_cache(maxsize=8192)
def _shown(title: str) -> str:
    return shown(title)


def group_word(group: Group) -> str:
    """Name of a group of days."""
    words: dict[Group, str] = {
        "today": tr("Today"),
        "yesterday": tr("Yesterday"),
        "this_week": tr("Earlier this week"),
        "last_week": tr("Last week"),
        "older": tr("Older"),
    }
    return words[group]


class Calendar:
    """Groups times by days and weeks before today, and formats them; weeks begin as in the user's locale."""

    def __init__(self, today: QDate) -> None:
        self._locale = QLocale()
        self._today = date(today.year(), today.month(), today.day()).toordinal()
        self._year = today.year()
        self._into_week = (today.dayOfWeek() - self._locale.firstDayOfWeek().value) % 7
        self._dates: dict[date, str] = {}
        self._placed: dict[str, tuple[Group, str]] = {}

    def alone(self, used_utc: str) -> str:
        """A time as shown without a heading for its day: a clock time only if it is today."""
        group, when = self.place(used_utc)
        moment = local_moment(used_utc) if group == "yesterday" else None
        return when if moment is None else self._weekday(moment.date())

    def _weekday(self, day: date) -> str:
        return self._locale.standaloneDayName(day.isoweekday(), QLocale.FormatType.ShortFormat)

    def place(self, used_utc: str) -> tuple[Group, str]:
        if used_utc not in self._placed:
            self._placed[used_utc] = self._place(used_utc)
        return self._placed[used_utc]

    def _place(self, used_utc: str) -> tuple[Group, str]:
        moment = local_moment(used_utc)
        if moment is None:
            return "older", ""
        day = moment.date()
        group = self._group(self._today - day.toordinal())
        if group in ("today", "yesterday"):
            return group, formatting.clock(used_utc)
        if group == "older":
            return group, self._date(day)
        return group, self._weekday(day)

    def _group(self, days: int) -> Group:
        if days <= 1:
            return "yesterday" if days == 1 else "today"
        if days <= self._into_week:
            return "this_week"
        return "last_week" if days <= self._into_week + 7 else "older"

    def _date(self, day: date) -> str:
        if day not in self._dates:
            form = "d MMM" if day.year == self._year else "MMM yyyy"
            self._dates[day] = self._locale.toString(QDate(day.year, day.month, day.day), form)
        return self._dates[day]


@dataclass(frozen=True, slots=True)
class FoundHead:
    """The heading of a chat with search results."""

    id: str
    chat: str
    title: str
    hits: int


@dataclass(frozen=True, slots=True)
class FoundLine:
    """One search result; `subject` is its message or attachment, `words` are the matched words, each once."""

    id: str
    chat: str
    subject: str
    where: Literal["message", "title", "attachment"]
    snippet: str
    marks: Marks
    words: tuple[str, ...] = ()


def found_lines(hits: Iterable[Hit]) -> tuple[FoundHead | FoundLine, ...]:
    """All lines of search results: chats in the order of their best result, each followed by its results."""
    by_chat: dict[str, list[Hit]] = {}
    for hit in hits:
        by_chat.setdefault(hit.chat, []).append(hit)
    lines: list[FoundHead | FoundLine] = []
    for chat, own in by_chat.items():
        lines.append(FoundHead(f"chat:{chat}", chat, title_of(own[0].chat_title), len(own)))
        lines += (_found_line(hit, number) for number, hit in enumerate(own))
    return tuple(lines)


def _found_line(hit: Hit, number: int) -> FoundLine:
    snippet, marks = near_match(harmless(hit.snippet), hit.marks)
    subject = "" if hit.where == "title" else hit.subject
    words = tuple(dict.fromkeys(hit.snippet[low:high] for low, high in hit.marks))
    key = f"{hit.where}:{hit.chat}:{hit.subject}:{number}"
    return FoundLine(key, hit.chat, subject, hit.where, snippet, marks, words)


def harmless(snippet: str) -> str:
    """The text with every control character replaced by one other character, so that marks stay valid."""
    return "".join("·" if unicodedata.category(sign) in _HIDDEN else sign for sign in snippet)


def near_match(snippet: str, marks: Marks) -> tuple[str, Marks]:
    """The snippet from a little before its first match on, and the shifted marks."""
    sound = tuple((start, end) for start, end in marks if 0 <= start < end <= len(snippet))
    if not sound or sound[0][0] <= BEFORE:
        return snippet, sound
    start = sound[0][0] - BEFORE
    space = snippet.find(" ", start, sound[0][0])
    start = space + 1 if space >= 0 else start
    shift = start - 1
    return "…" + snippet[start:], tuple((low - shift, high - shift) for low, high in sound)


# The lists of the chats pane as one item model: lines with an id, of which only what changed is told to the view.


AnyLine = GroupHead | PlaceHead | ActionLine | ChatLine | FoundHead | FoundLine


class LinesModel(ItemModel[AnyLine]):
    """Item model of the list of chats, or of search results.

    Attributes:
        files: the files that the chats are dragged as into other programs.

    Signals:
        renamed: the id of a chat or workspace, and its new name. dropped: chat ids, and the line they were dropped on.
    """

    files: Sequence[str] = ()
    renamed = Signal(str, str)
    dropped = Signal(object, object)

    def key_of(self, line: AnyLine) -> str:
        return line.id

    def row_of(self, key: str) -> int:
        """The row of the line with this id; -1 if there is none."""
        return self.index_of(key).row()

    def text_of(self, line: AnyLine, _column: int = 0) -> str:
        return line_words(line)

    def spoken_of(self, line: AnyLine, _column: int = 0) -> str:
        return spoken(line)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The data of a line for a Qt role; only its name can be edited."""
        line = self.item(index)
        if role == Qt.ItemDataRole.EditRole and isinstance(line, ChatLine | PlaceHead):
            return line.name
        return super().data(index, role)

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Headings of days cannot be selected; names of chats and workspaces can be edited."""
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemNeverHasChildren
        match self.item(index):
            case ChatLine():
                dragged = Qt.ItemFlag.ItemIsDragEnabled | Qt.ItemFlag.ItemIsDropEnabled
                return flags | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEditable | dragged
            case PlaceHead(kind="workspace"):
                taken = Qt.ItemFlag.ItemIsEditable | Qt.ItemFlag.ItemIsDropEnabled
                return flags | Qt.ItemFlag.ItemIsSelectable | taken
            case PlaceHead():
                return flags | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsDropEnabled
            case FoundHead() | FoundLine() | ActionLine():
                return flags | Qt.ItemFlag.ItemIsSelectable
            case GroupHead():
                return Qt.ItemFlag.ItemNeverHasChildren
            case None:
                return Qt.ItemFlag.NoItemFlags

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Emit a typed name; the line itself changes with the next state."""
        line, title = self.item(index), " ".join(str(value).split())
        if role != Qt.ItemDataRole.EditRole or not isinstance(line, ChatLine | PlaceHead) or not title:
            return False
        if title != line.name:
            self.renamed.emit(line.id, title)
        return True

    def mimeTypes(self) -> list[str]:
        """Only chats of this list can be dropped."""
        return [CHATS]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        lines = [self.item(index) for index in sorted(indexes, key=lambda one: one.row())]
        made = QMimeData()
        made.setData(CHATS, "\n".join(line.id for line in lines if isinstance(line, ChatLine)).encode())
        if self.files:
            made.setUrls([QUrl.fromLocalFile(path) for path in self.files])
        return made

    def supportedDropActions(self) -> Qt.DropAction:
        """Copy only: after a move, the view would remove the rows itself."""
        return Qt.DropAction.CopyAction

    def dropMimeData(
        self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: Index
    ) -> bool:
        target = self.item(parent)
        chats = tuple(bytes(data.data(CHATS).data()).decode().split("\n")) if data.hasFormat(CHATS) else ()
        if not chats or not isinstance(target, PlaceHead | ChatLine):
            return False
        self.dropped.emit(chats, target)
        return True


def requests_words(number: int) -> str:
    """The number of requests in words."""
    return formatting.counted(number, tr("1 request"), tr("{n} requests"))


def line_words(line: AnyLine) -> str:
    """Text of a line."""
    match line:
        case GroupHead() | PlaceHead() | ActionLine():
            return line.words
        case ChatLine() | FoundHead():
            return line.title
        case FoundLine():
            return line.snippet


def spoken(line: AnyLine) -> str:
    """Text of a line for a screen reader."""
    match line:
        case GroupHead(live=True):
            return tr("{name}, watching").format(name=line.words)
        case GroupHead() | ActionLine():
            return line.words
        case PlaceHead():
            one, several = tr("{name}, 1 chat"), tr("{name}, {n} chats")
            if line.folded:
                one, several = tr("{name}, 1 chat, folded"), tr("{name}, {n} chats, folded")
            return formatting.counted(line.count, one, several).replace("{name}", line.words)
        case ChatLine():
            return ", ".join((line.title, line.when, *_sign_words(line)))
        case FoundHead():
            return tr("{title}, {n} found").format(title=line.title, n=line.hits)
        case FoundLine(where="title"):
            return tr("in the title: {text}").format(text=line.snippet)
        case FoundLine(where="attachment"):
            return tr("attachment: {text}").format(text=line.snippet)
        case FoundLine():
            return tr("message: {text}").format(text=line.snippet)


def _sign_words(line: ChatLine) -> list[str]:
    requests = "" if line.requests is None else requests_words(line.requests)
    signs = (
        (bool(requests), requests),
        (line.temporary, tr("temporary, not saved")),
        (line.running, tr("an answer is arriving")),
        (line.elsewhere, tr("open in another window")),
        (line.warm, tr("warm")),
        (line.pinned, tr("pinned")),
        (line.archived, tr("archived")),
    )
    return [*(words for there, words in signs if there), *(f"#{tag}" for tag in line.tags)]
