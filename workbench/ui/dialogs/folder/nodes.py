"""A folder's entries as a tree with boxes to tick: every folder knows the sums of what is in it and below."""

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
from workbench.ui.translation import translator
from workbench.ui.widgets.plain import shown


class Sums(NamedTuple):
    """What files cost and how many they are; of one file, or of all in a folder and below.

    Attributes:
        files: those that can be attached, or are; choosable: those that can be ticked.
        counted: how many of the files have their tokens; tokens: the sum of those.
        chosen: how many are ticked; chosen_tokens, chosen_bytes: what they cost; chosen_counted: of how many is known.
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
"""What an estimate may come to, in percent."""
LeftOff = Literal["", "room", "trims", "unnamed"]
"""Why a file did not come ticked: no room, none without a trim, or the message names others; empty where it did."""


class Node:
    """A file or folder; `shown` are the children that a filter lets through, in their order."""

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
        """Whether its box can be ticked: that of a folder, where that of something in it can."""
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
        free_tokens: what the next request has room for; room_tokens: up to where nothing of it is trimmed. Files come
            ticked as long as they fit there.
        only: the paths that come ticked, where somebody said so.
        kept: what was ticked or not when the folder was looked through before.
        touched: whether anything has another look; grown: folders in which more is shown, by path.
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
        """More entries, each folder before what is in it; one that is there already gets what is new about it."""
        fresh: dict[str, list[Node]] = {}
        for entry in entries:
            known = self._nodes.get(entry.path)
            if known is not None:
                self._change(known, partial(_stand, standing=entry.standing, reason=entry.reason))
                continue
            above, _, name = entry.path.rpartition("/")
            parent = self._nodes.get(above, self.root)
            node = self._nodes[entry.path] = Node(entry, name or entry.path, parent)
            node.attached = entry.path in self._attached
            parent.children[entry.path] = node
            self._choose_at_first(node)
            self._spread(node, NOTHING)
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
                self._change(node, partial(self._learn, found=found))

    def learn_room(self, free_tokens: int | None, room_tokens: int | None) -> None:
        """What the next request has room for, known only now: what was counted before is chosen as if it had been."""
        if self.room_tokens is not None or free_tokens is None:
            return
        self.free_tokens, self.room_tokens = free_tokens, free_tokens if room_tokens is None else room_tokens
        waiting, self._before_room = self._before_room, []
        for node in waiting:
            self._change(node, self._choose_counted)

    def settle(self, best_first: Callable[[Sequence[Node]], Sequence[Node]]) -> None:
        """All is counted and not all of it fits: choose anew, in this order, what nobody has said anything about."""
        open_ones = [node for node in self.root.files() if node.tokens is not None and self._is_open(node)]
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
        """Files that are attached already cannot be ticked."""
        for path in self._attached ^ paths:
            node = self._nodes.get(path)
            if node is not None:
                self._change(node, lambda node: setattr(node, "attached", not node.attached))
        self._attached = paths

    def tick(self, node: Node, on: bool, deep: bool = True) -> list[Node]:
        """Tick a file, or files of a folder that are seen: those in it, or with `deep` those below too."""
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
        return {node.path: node.ticked for node in self.root.files() if node.choosable and _decided(node)}

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
        """Show only what a filter lets through; return whether that is another one."""
        changed = wanted != self._filter
        self._filter = wanted
        if changed:
            self._show(self.root)
        return changed

    def shown_files(self) -> int:
        return sum(1 for _ in self.root.files(shown_only=True))

    def _show(self, node: Node) -> bool:
        """Let the filter decide about everything below; return whether anything of it is seen."""
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
        """Show more entries of a folder; one that a filter hid is seen as soon as something in it is."""
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
        elif (wanted := _wanted(node)) is not None:
            node.ticked = wanted

    def _learn(self, node: Node, found: FileCount) -> None:
        first = node.tokens is None
        node.tokens, node.exact = found.tokens, found.exact
        _stand(node, found.standing, found.reason)
        if first:
            self._choose_counted(node)

    def _choose_counted(self, node: Node) -> None:
        """Tick what fits, where nobody has said anything about it."""
        if not self._is_open(node) or node.tokens is None or node.ticked:
            return
        if self.room_tokens is None:
            self._before_room.append(node)
            return
        # An estimate may be short: some room is left, so that nothing is trimmed by surprise.
        cost = node.tokens if node.exact else node.tokens * _SPARE // 100
        cost += self.root.sums.chosen_tokens + (0 if node.exact else self._spare())
        node.ticked = cost <= self.room_tokens
        node.left_off = "" if node.ticked else "trims" if cost <= (self.free_tokens or 0) else "room"

    def _is_open(self, node: Node) -> bool:
        return self.only is None and node.path not in self.kept and _wanted(node) is None and node.choosable

    def _spare(self) -> int:
        return self.root.sums.chosen_tokens * (_SPARE - 100) // 100

    def _change(self, node: Node, change: Callable[[Node], None]) -> None:
        before = node.own()
        change(node)
        self._spread(node, before)

    def _spread(self, node: Node, before: Sums) -> None:
        now = node.own()
        self.touched = True
        if now == before:
            return
        apart = [new - old for new, old in zip(now, before, strict=True)]
        if not node.folder:
            node.sums = now
        above = node.parent
        while above is not None:
            above.sums = Sums(*map(sum, zip(above.sums, apart, strict=True)))
            above = above.parent


def _stand(node: Node, standing: Standing, reason: str) -> None:
    node.standing, node.reason = standing, reason
    if standing != "open":
        node.ticked = False


def _tick(node: Node, on: bool) -> None:
    node.ticked, node.left_off = on, ""


def _wanted(node: Node) -> bool | None:
    at: Node | None = node
    while at is not None:
        if at.wanted is not None:
            return at.wanted
        at = at.parent
    return None


def _decided(node: Node) -> bool:
    return node.ticked or bool(node.left_off) or _wanted(node) is not None


def _folders(node: Node) -> Iterator[Node]:
    for child in node.children.values():
        if child.folder:
            yield child
            yield from _folders(child)


# A folder's entries in words: what they cost, why one cannot be ticked, how far the counting is.


_tr = translator("FolderDialog")


class Note(NamedTuple):
    """What stands behind an entry: a badge, words, an icon before them, or a part of a line."""

    words: str = ""
    badge: str = ""
    tone: Tone = "neutral"
    icon: str = ""
    part: float | None = None


def tokens_of(node: Node) -> str:
    """What an entry costs: ≥ while something in it is not counted, ≈ where it is an estimate."""
    if node.standing != "open" or (not node.folder and node.tokens is None):
        return ""
    if node.folder and not node.sums.counted:
        return ""
    total = node.sums.tokens if node.folder else node.tokens or 0
    return f"{_sign(node.sums.counted < node.sums.files, bool(node.sums.guessed))}{tokens(total)}"


def chosen_of(node: Node) -> str:
    """What is chosen of an entry."""
    return chosen_tokens(node.sums) if node.sums.chosen else ""


def chosen_tokens(sums: Sums) -> str:
    """What everything that is chosen costs."""
    sign = _sign(sums.chosen_counted < sums.chosen, bool(sums.guessed))
    return f"{sign}{tokens(sums.chosen_tokens)}"


def _sign(more: bool, guessed: bool) -> str:
    return "≥ " if more else "≈ " if guessed else ""


def note_of(node: Node, view: FolderView | None, free_tokens: int | None = None) -> Note:
    """Why an entry is as it is; `free_tokens` is what the next request has room for."""
    if node.standing == "refused":
        return Note(shown(node.reason), _tr("refused"), "err", "warn")
    if node.standing == "large":
        return Note(shown(node.reason), _tr("too large"), "warn", "warn")
    if node.standing == "binary":
        return Note(_tr("binary, not text"), icon="file-x")
    if node.standing != "open":
        return Note(shown(node.reason), icon="eye-off")
    if node.folder:
        return _folder_note(node, view)
    if node.attached:
        return Note("", _tr("attached already"), "neutral", "check")
    if node.left_off:
        return Note(_left_off(node, free_tokens or 0))
    if node.tokens is None:
        return _uncounted(node, view)
    return Note()


def _left_off(node: Node, free_tokens: int) -> str:
    """Why a file that could be ticked did not come so."""
    if (node.tokens or 0) > free_tokens:
        return _tr("more than is free, so left off")
    if node.left_off == "unnamed":
        return _tr("not named in your message, so left off")
    if node.left_off == "trims":
        return _tr("would trim earlier turns, so left off")
    return _tr("no room beside the others, so left off")


def _uncounted(node: Node, view: FolderView | None) -> Note:
    if node.kind in ("document", "picture"):
        if node.ticked:
            return Note(_tr("{size}, being read").format(size=size(node.size_bytes)))
        return Note(_tr("{size}, counted when chosen").format(size=size(node.size_bytes)))
    if view is not None and view.over:
        return Note(_tr("{size}, not counted").format(size=size(node.size_bytes)))
    return Note()


def _folder_note(node: Node, view: FolderView | None) -> Note:
    sums, going = node.sums, view is not None and not view.over
    waiting = sums.files - sums.counted
    if going and waiting and view is not None and view.listed and node.parent is not None and sums.counted:
        words = _tr("{n} of {all} files").format(n=tokens(sums.counted), all=tokens(sums.files))
        return Note(words, part=sums.counted / max(1, sums.files))
    words = counted_files(sums.files)
    attached = [child for child in node.children.values() if child.attached]
    if node.parent is None and sums.left_out:
        one = sums.left_out == 1
        more = _tr("1 entry ignored or refused") if one else _tr("{n} entries ignored or refused")
        words += ", " + more.format(n=tokens(sums.left_out))
    elif len(attached) == 1:
        words += ", " + _tr("{name} attached already").format(name=shown(attached[0].name, 30))
    elif attached:
        words += ", " + _tr("{n} attached already").format(n=tokens(len(attached)))
    return Note(words)


def counted_files(n: int) -> str:
    """So many files."""
    return _tr("1 file") if n == 1 else _tr("{n} files").format(n=tokens(n))


def kind_word(kind: FileKind) -> str:
    """What files of a kind are called together."""
    return {
        "code": _tr("Code"), "text": _tr("Text"), "data": _tr("Data"), "log": _tr("Logs"),
        "document": _tr("Documents"), "picture": _tr("Pictures"), "other": _tr("Other"),
    }[kind]  # fmt: skip


def kind_chips(kinds: dict[FileKind, int]) -> list[tuple[FileKind, str]]:
    """The kinds that there are, each with how many files it has."""
    return [(kind, f"{kind_word(kind)} {tokens(kinds[kind])}") for kind in FILE_KINDS if kinds.get(kind)]


def progress_of(view: FolderView) -> tuple[str, str, float | None]:
    """How far a look is: in two parts, of which the first is said louder, and as a part of a line."""
    if view.problem:
        return _tr("Not scanned"), view.problem, 0.0
    if not view.listed and not view.over:
        found = len(view.entries)
        return tokens(found), _tr("1 entry found") if found == 1 else _tr("entries found"), None
    of = _tr("{n} of {all}").format(n=tokens(view.counted), all=tokens(view.to_count))
    return of, _tr("files counted"), view.counted / max(1, view.to_count)


class Verdict(NamedTuple):
    """What adding would do to the next request: in a word, and in a few more."""

    word: str
    line: str
    tone: str
    icon: str


def verdict_of(view: EnvelopeView | None, chosen: int) -> Verdict:
    """Whether it stays under the trim mark, would trim, or would be too much; then the composer offers what to do."""
    if view is None:
        return Verdict(_tr("being counted"), _tr("the next request"), "t2", "clock")
    total = view.total_tokens + chosen
    if total > view.limit_tokens:
        over = _tr("over by {n}").format(n=tokens(total - view.limit_tokens))
        return Verdict(over, _tr("the composer offers what can give way"), "err", "warn")
    threshold = view.threshold_tokens
    if threshold is not None and total > threshold:
        line = _tr("{n} over trim at {at}").format(n=tokens(total - threshold), at=tokens(threshold))
        turns = [row.first_turn for layer in view.layers if layer.name == "L4_STRIP" for row in layer.rows]
        first = min((turn for turn in turns if turn), default=0)
        word = _tr("trims from turn {n}").format(n=first) if first else _tr("past the trim mark")
        return Verdict(word, line, "warn", "cut")
    kept = bool(view.cached_tokens)
    word = _tr("cache kept") if kept else _tr("fits")
    if threshold is None:
        return Verdict(word, _tr("nothing is trimmed"), "ok", "check")
    line = _tr("{n} under trim at {at}").format(n=tokens(threshold - total), at=tokens(threshold))
    return Verdict(word, line, "ok", "check")
