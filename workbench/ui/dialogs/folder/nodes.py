"""A folder's entries as a tree with check boxes; every folder keeps the sums of what is in and below it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from operator import attrgetter
from typing import Literal, NamedTuple

from workbench.domain.files.folder import FILE_KINDS, FileCount, FileKind, FolderEntry, FolderFilter, Standing
from workbench.domain.shown.attachment_view import FolderView
from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.ui.formatting import size, tokens
from workbench.ui.look.tones import Tone
from workbench.ui.translation import tr
from workbench.ui.widgets.plain import shown


class Sums(NamedTuple):
    """Counts and costs of files: of one file, or of all in and below a folder.

    Attributes:
        files: those that can be attached or already are; choosable: those that can be ticked.
        counted: how many files have a token count; tokens: the sum of those counts.
        chosen: how many are ticked; chosen_tokens, chosen_bytes: their size; chosen_counted: how many are counted.
        guessed: how many of the counts are estimates; left_out: entries that cannot be attached.
    """

    files: int = 0
    choosable: int = 0
    counted: int = 0
    tokens: int = 0
    chosen: int = 0
    chosen_counted: int = 0
    chosen_tokens: int = 0
    chosen_bytes: int = 0
    guessed: int = 0
    left_out: int = 0


NOTHING = Sums()
_order = attrgetter("order")
_SPARE = 110
"""An estimate counts as this percentage of itself, so that it is not too low."""
LeftOff = Literal["", "room", "trims", "unnamed"]
"""Why a file was not ticked at first: no room, it would cause a trim, or the message names others; empty if it was."""


class Node:
    """A file or folder; `shown` are the children that the filter lets through, in order."""

    __slots__ = (
        "attached", "children", "exact", "folder", "kind", "left_off", "low", "name", "order", "parent", "path",
        "reason", "shown", "size_bytes", "stamp", "standing", "sums", "ticked", "tokens", "wanted",
    )  # fmt: skip

    def __init__(self, entry: FolderEntry, name: str, parent: Node | None) -> None:
        self.path, self.name, self.parent = entry.path, name, parent
        self.folder, self.kind, self.size_bytes = entry.folder, entry.kind, entry.size_bytes
        self.stamp = entry.stamp
        self.standing: Standing = entry.standing
        self.reason = entry.reason
        self.children: dict[str, Node] = {}
        self.shown: list[Node] = []
        self.tokens: int | None = None
        self.exact = True
        self.attached = self.ticked = False
        self.left_off: LeftOff = ""
        self.wanted: bool | None = None
        self.sums = NOTHING
        self.low = entry.path.lower()
        # Folders first, then by name, what is hidden behind the rest; kept, since thousands are put in order.
        self.order = (not entry.folder, name.startswith("."), name.casefold(), name)

    @property
    def choosable(self) -> bool:
        """Whether its box can be ticked; for a folder, whether that of anything in it can."""
        if self.folder:
            return self.sums.choosable > 0
        return self.standing == "open" and not self.attached

    @property
    def depth(self) -> int:
        return 0 if self.parent is None else self.parent.depth + 1

    def own(self) -> Sums:
        if self.standing != "open":
            return Sums(left_out=1)
        if self.folder:
            return NOTHING
        known = self.tokens is not None
        on = self.ticked and not self.attached
        cost = self.tokens or 0
        return Sums(
            1,
            not self.attached,
            known,
            cost,
            on,
            on and known,
            cost * on,
            self.size_bytes * on,
            not self.exact,
        )

    def files(self, shown_only: bool = False) -> Iterator[Node]:
        if not self.folder:
            yield self
        for child in self.shown if shown_only else tuple(self.children.values()):
            yield from child.files(shown_only)


class Tree:
    """All entries, what is ticked, and what a filter lets through.

    Attributes:
        free_tokens: the room in the next request; room_tokens: the part of it that causes no trim. Files are
            ticked at first as long as they fit there.
        only: the only paths to tick at first, if given.
        kept: which paths were ticked or unticked when the folder was last scanned.
        touched: whether anything must be repainted; grown: paths of folders that show new entries.
    """

    def __init__(self, name: str, free_tokens: int | None = None, room_tokens: int | None = None) -> None:
        self.root = Node(FolderEntry("", folder=True), name, None)
        self.free_tokens = free_tokens
        self.room_tokens = free_tokens if room_tokens is None else room_tokens
        self.only: frozenset[str] | None = None
        self.kept: Mapping[str, bool] = {}
        self.touched = False
        self.grown: set[str] = set()
        self.kinds: dict[FileKind, int] = {}
        self._nodes: dict[str, Node] = {"": self.root}
        self._filter = FolderFilter()
        self._attached: frozenset[str] = frozenset()
        self._before_room: list[Node] = []

    def node(self, path: str) -> Node | None:
        return self._nodes.get(path)

    def add(self, entries: Sequence[FolderEntry]) -> None:
        """Add entries, each folder before what is in it; an entry that is there already is updated."""
        fresh: dict[str, list[Node]] = {}
        for entry in entries:
            known = self._nodes.get(entry.path)
            if known is not None:
                self._change(known, partial(_set_standing, standing=entry.standing, reason=entry.reason))
                continue
            above, _, name = entry.path.rpartition("/")
            parent = self._nodes.get(above, self.root)
            node = self._nodes[entry.path] = Node(entry, name or entry.path, parent)
            node.attached = entry.path in self._attached
            parent.children[entry.path] = node
            self._choose_at_first(node)
            self._update_sums(node, NOTHING)
            if not node.folder and node.standing == "open" and node.kind is not None:
                self.kinds[node.kind] = self.kinds.get(node.kind, 0) + 1
            if self._lets_through(node):
                fresh.setdefault(parent.path, []).append(node)
        for path, nodes in fresh.items():
            self._insert(self._nodes[path], nodes)

    def count(self, counts: Sequence[FileCount]) -> None:
        for found in counts:
            node = self._nodes.get(found.path)
            if node is not None:
                self._change(node, partial(self._set_count, found=found))

    def learn_room(self, free_tokens: int | None, room_tokens: int | None) -> None:
        """Set the room in the next request, once it is known, and tick the files counted before then that fit."""
        if self.room_tokens is not None or free_tokens is None:
            return
        self.free_tokens, self.room_tokens = free_tokens, free_tokens if room_tokens is None else room_tokens
        waiting, self._before_room = self._before_room, []
        for node in waiting:
            self._change(node, self._choose_counted)

    def settle(self, best_first: Callable[[Sequence[Node]], Sequence[Node]]) -> None:
        """When all is counted but not all fits, choose again in this order among files not decided by the user."""
        open_ones = [
            node for node in self.root.files() if node.tokens is not None and self._is_undecided(node)
        ]
        if not any(node.left_off for node in open_ones):
            return
        for node in open_ones:
            self._change(node, lambda node: _tick(node, False))
        named = best_first(open_ones)
        for node in named:
            self._change(node, self._choose_counted)
        for node in set(open_ones).difference(named):
            node.left_off = "unnamed"

    def set_attached(self, paths: frozenset[str]) -> None:
        """Set the files that are attached already, which cannot be ticked."""
        for path in self._attached ^ paths:
            node = self._nodes.get(path)
            if node is not None:
                self._change(node, lambda node: setattr(node, "attached", not node.attached))
        self._attached = paths

    def tick(self, node: Node, on: bool, deep: bool = True) -> list[Node]:
        """Tick or untick a file, or a folder's visible files, with `deep` also below it; returns the tickable ones."""
        filtered = not self._filter.empty
        if not node.folder:
            found = [node]
        elif deep:
            found = list(node.files(shown_only=filtered))
        else:
            found = [child for child in node.shown if not child.folder]
        for file in found:
            if file.choosable:
                file.wanted = on
            if file.choosable and file.ticked != on:
                self._change(file, lambda file: _tick(file, on))
        if node.folder and deep and not filtered:
            node.wanted = on
            for below in _folders(node):
                below.wanted = on
        return [file for file in found if file.choosable]

    def choices(self) -> dict[str, bool]:
        return {node.path: node.ticked for node in self.root.files() if node.choosable and _is_decided(node)}

    def ticked(self) -> list[Node]:
        found: list[Node] = []

        def gather(node: Node) -> None:
            if node.ticked and node.choosable:
                found.append(node)
            if node.sums.chosen:
                for child in sorted(node.children.values(), key=_order):
                    gather(child)

        gather(self.root)
        return found

    def filter(self, wanted: FolderFilter) -> bool:
        """Show only what a filter lets through; return whether the filter changed."""
        changed = wanted != self._filter
        self._filter = wanted
        if changed:
            self._show(self.root)
        return changed

    def shown_files(self) -> int:
        return sum(1 for _ in self.root.files(shown_only=True))

    def _show(self, node: Node) -> bool:
        """Apply the filter to everything below a node; return whether any of it is visible."""
        wanted, everything, kinds = self._filter.fits_low, self._filter.empty, self._filter.kinds
        seen = []
        for child in node.children.values():
            if child.folder:
                if self._show(child):
                    seen.append(child)
            elif everything or ((not kinds or child.kind in kinds) and wanted(child.low)):
                seen.append(child)
        seen.sort(key=_order)
        node.shown = seen
        return bool(seen) or everything

    def _lets_through(self, node: Node) -> bool:
        if self._filter.empty:
            return True
        return not node.folder and self._filter.fits(node.path, node.kind)

    def _insert(self, parent: Node, nodes: Sequence[Node]) -> None:
        """Show more entries of a folder; a folder that the filter hid appears with its first visible entry."""
        parent.shown = sorted((*parent.shown, *nodes), key=_order)
        above = parent.parent
        if above is not None and not any(one is parent for one in above.shown):
            self._insert(above, [parent])
        self.grown.add(parent.path)

    def _choose_at_first(self, node: Node) -> None:
        if not node.choosable:
            return
        if node.path in self.kept:
            node.ticked = self.kept[node.path]
        elif self.only is not None:
            node.ticked = node.path in self.only
        elif (wanted := _wanted_by_user(node)) is not None:
            node.ticked = wanted

    def _set_count(self, node: Node, found: FileCount) -> None:
        first = node.tokens is None
        node.tokens, node.exact = found.tokens, found.exact
        _set_standing(node, found.standing, found.reason)
        if first:
            self._choose_counted(node)

    def _choose_counted(self, node: Node) -> None:
        """Tick a counted file if it fits, unless the user decided about it."""
        if not self._is_undecided(node) or node.tokens is None or node.ticked:
            return
        if self.room_tokens is None:
            self._before_room.append(node)
            return
        # An estimate may be short: some room is left, so that nothing is trimmed by surprise.
        cost = node.tokens if node.exact else node.tokens * _SPARE // 100
        cost += self.root.sums.chosen_tokens + (0 if node.exact else self._spare())
        node.ticked = cost <= self.room_tokens
        node.left_off = "" if node.ticked else "trims" if cost <= (self.free_tokens or 0) else "room"

    def _is_undecided(self, node: Node) -> bool:
        return (
            self.only is None
            and node.path not in self.kept
            and _wanted_by_user(node) is None
            and node.choosable
        )

    def _spare(self) -> int:
        return self.root.sums.chosen_tokens * (_SPARE - 100) // 100

    def _change(self, node: Node, change: Callable[[Node], None]) -> None:
        before = node.own()
        change(node)
        self._update_sums(node, before)

    def _update_sums(self, node: Node, before: Sums) -> None:
        now = node.own()
        self.touched = True
        if now == before:
            return
        changes = [new - old for new, old in zip(now, before, strict=True)]
        if not node.folder:
            node.sums = now
        above = node.parent
        while above is not None:
            above.sums = Sums(*map(sum, zip(above.sums, changes, strict=True)))
            above = above.parent


def _set_standing(node: Node, standing: Standing, reason: str) -> None:
    node.standing, node.reason = standing, reason
    if standing != "open":
        node.ticked = False


def _tick(node: Node, on: bool) -> None:
    node.ticked, node.left_off = on, ""


def _wanted_by_user(node: Node) -> bool | None:
    at: Node | None = node
    while at is not None:
        if at.wanted is not None:
            return at.wanted
        at = at.parent
    return None


def _is_decided(node: Node) -> bool:
    return node.ticked or bool(node.left_off) or _wanted_by_user(node) is not None


def _folders(node: Node) -> Iterator[Node]:
    for child in node.children.values():
        if child.folder:
            yield child
            yield from _folders(child)


# A folder's entries in words: what they cost, why one cannot be ticked, how far the counting is.


class Note(NamedTuple):
    """What is shown behind an entry: a badge, text, an icon before it, or a share of a progress bar."""

    words: str = ""
    badge: str = ""
    tone: Tone = "neutral"
    icon: str = ""
    part: float | None = None


def tokens_of(node: Node) -> str:
    """Token count of an entry: with ≥ while something in it is not counted, with ≈ if it is an estimate."""
    if node.standing != "open" or (not node.folder and node.tokens is None):
        return ""
    if node.folder and not node.sums.counted:
        return ""
    total = node.sums.tokens if node.folder else node.tokens or 0
    return f"{_count_sign(node.sums.counted < node.sums.files, bool(node.sums.guessed))}{tokens(total)}"


def chosen_of(node: Node) -> str:
    """Token count of what is ticked in an entry."""
    return chosen_tokens(node.sums) if node.sums.chosen else ""


def chosen_tokens(sums: Sums) -> str:
    """Token count of everything that is ticked."""
    sign = _count_sign(sums.chosen_counted < sums.chosen, bool(sums.guessed))
    return f"{sign}{tokens(sums.chosen_tokens)}"


def _count_sign(more: bool, guessed: bool) -> str:
    return "≥ " if more else "≈ " if guessed else ""


def note_of(node: Node, view: FolderView | None, free_tokens: int | None = None) -> Note:
    """Why an entry is as it is; `free_tokens` is the room in the next request."""
    if node.standing == "refused":
        return Note(shown(node.reason), tr("refused"), "err", "warn")
    if node.standing == "large":
        return Note(shown(node.reason), tr("too large"), "warn", "warn")
    if node.standing == "binary":
        return Note(tr("binary, not text"), icon="file-x")
    if node.standing != "open":
        return Note(shown(node.reason), icon="eye-off")
    if node.folder:
        return _folder_note(node, view)
    if node.attached:
        return Note("", tr("attached already"), "neutral", "check")
    if node.left_off:
        return Note(_left_off_words(node, free_tokens or 0))
    if node.tokens is None:
        return _uncounted_note(node, view)
    return Note()


def _left_off_words(node: Node, free_tokens: int) -> str:
    """Why a file that can be ticked was not ticked at first."""
    if (node.tokens or 0) > free_tokens:
        return tr("more than is free, so left off")
    if node.left_off == "unnamed":
        return tr("not named in your message, so left off")
    if node.left_off == "trims":
        return tr("would trim earlier turns, so left off")
    return tr("no room beside the others, so left off")


def _uncounted_note(node: Node, view: FolderView | None) -> Note:
    if node.kind in ("document", "picture"):
        if node.ticked:
            return Note(tr("{size}, being read").format(size=size(node.size_bytes)))
        return Note(tr("{size}, counted when chosen").format(size=size(node.size_bytes)))
    if view is not None and view.over:
        return Note(tr("{size}, not counted").format(size=size(node.size_bytes)))
    return Note()


def _folder_note(node: Node, view: FolderView | None) -> Note:
    sums, going = node.sums, view is not None and not view.over
    waiting = sums.files - sums.counted
    if going and waiting and view is not None and view.listed and node.parent is not None and sums.counted:
        words = tr("{n} of {all} files").format(n=tokens(sums.counted), all=tokens(sums.files))
        return Note(words, part=sums.counted / max(1, sums.files))
    words = counted_files(sums.files)
    attached = [child for child in node.children.values() if child.attached]
    if node.parent is None and sums.left_out:
        one = sums.left_out == 1
        more = tr("1 entry ignored or refused") if one else tr("{n} entries ignored or refused")
        words += ", " + more.format(n=tokens(sums.left_out))
    elif len(attached) == 1:
        words += ", " + tr("{name} attached already").format(name=shown(attached[0].name, 30))
    elif attached:
        words += ", " + tr("{n} attached already").format(n=tokens(len(attached)))
    return Note(words)


def counted_files(n: int) -> str:
    """The number of files in words."""
    return tr("1 file") if n == 1 else tr("{n} files").format(n=tokens(n))


def kind_word(kind: FileKind) -> str:
    """Name of a kind of files."""
    return {
        "code": tr("Code"), "text": tr("Text"), "data": tr("Data"), "log": tr("Logs"),
        "document": tr("Documents"), "picture": tr("Pictures"), "other": tr("Other"),
    }[kind]  # fmt: skip


def kind_chips(kinds: dict[FileKind, int]) -> list[tuple[FileKind, str]]:
    """The kinds of files there are, each with its number of files."""
    return [(kind, f"{kind_word(kind)} {tokens(kinds[kind])}") for kind in FILE_KINDS if kinds.get(kind)]


def progress_of(view: FolderView) -> tuple[str, str, float | None]:
    """How far a scan is: two texts, the first one emphasised, and a share for the progress bar."""
    if view.problem:
        return tr("Not scanned"), view.problem, 0.0
    if not view.listed and not view.over:
        found = len(view.entries)
        return tokens(found), tr("1 entry found") if found == 1 else tr("entries found"), None
    of = tr("{n} of {all}").format(n=tokens(view.counted), all=tokens(view.to_count))
    return of, tr("files counted"), view.counted / max(1, view.to_count)


class Verdict(NamedTuple):
    """What adding the ticked files would do to the next request: in a word, and in a few more."""

    word: str
    line: str
    tone: str
    icon: str


def verdict_of(view: EnvelopeView | None, chosen: int) -> Verdict:
    """Whether the next request stays below the trim threshold, would be trimmed, or would be too large."""
    if view is None:
        return Verdict(tr("being counted"), tr("the next request"), "t2", "clock")
    total = view.total_tokens + chosen
    if total > view.limit_tokens:
        over = tr("over by {n}").format(n=tokens(total - view.limit_tokens))
        return Verdict(over, tr("the composer offers what can give way"), "err", "warn")
    threshold = view.threshold_tokens
    if threshold is not None and total > threshold:
        line = tr("{n} over trim at {at}").format(n=tokens(total - threshold), at=tokens(threshold))
        turns = [row.first_turn for layer in view.layers if layer.name == "L4_STRIP" for row in layer.rows]
        first = min((turn for turn in turns if turn), default=0)
        word = tr("trims from turn {n}").format(n=first) if first else tr("past the trim mark")
        return Verdict(word, line, "warn", "cut")
    kept = bool(view.cached_tokens)
    word = tr("cache kept") if kept else tr("fits")
    if threshold is None:
        return Verdict(word, tr("nothing is trimmed"), "ok", "check")
    line = tr("{n} under trim at {at}").format(n=tokens(threshold - total), at=tokens(threshold))
    return Verdict(word, line, "ok", "check")
