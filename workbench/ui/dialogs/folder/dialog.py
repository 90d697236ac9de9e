"""Add a folder: its tree to choose from while it is still being counted, and what the next request would be then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath, PurePosixPath

from PySide6.QtCore import QDir, QElapsedTimer, QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from workbench.domain.files.attached import AttachLimits
from workbench.domain.files.folder import FolderFilter, FolderRules, FollowedFolder
from workbench.domain.search_words import words_of
from workbench.domain.shown.attachment_view import FolderView
from workbench.domain.shown.envelope_view import EnvelopeView, RowKey
from workbench.engine.attaching_intents import CountFiles, LeaveFolder, ScanFolder, StopScan
from workbench.engine.state import ChatState, WorkbenchState
from workbench.ui.dialogs.folder.nodes import (
    Node,
    Sums,
    Tree,
    Verdict,
    chosen_tokens,
    counted_files,
    kind_chips,
    progress_of,
    verdict_of,
)
from workbench.ui.dialogs.folder.tree import FolderTree
from workbench.ui.formatting import size, tokens
from workbench.ui.look.fonts import metrics
from workbench.ui.look.painting import Run
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.translation import tr
from workbench.ui.widgets.badge import LayerTag
from workbench.ui.widgets.budget_bar.bar import BarModel, BarSegment, BudgetBar, bar_of
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.card import Hairline, Panel, PanelLook
from workbench.ui.widgets.choice import Check, Choice, Field
from workbench.ui.widgets.floating import Sheet
from workbench.ui.widgets.labels import ElidedLabel, SumFigure, label, set_text
from workbench.ui.widgets.motion import single_shot
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.widgets.progress import ProgressLine
from workbench.ui.widgets.stack import FlowLayout
from workbench.ui.wishes import Wishes

# What adding would come to: the bar of the next request with the new part ringed, the sums, and a priority.


NEW = RowKey("L3_TURN", "\0new files")


class SumBlock(Panel):
    """The bar and what stands under it."""

    line_above = True
    line_inset = 1

    def __init__(self) -> None:
        super().__init__()
        self.bar = BudgetBar(compact=True)
        self.bar.setAccessibleName(tr("The next request with what is chosen"))
        self.chosen, self.before, self.after = SumFigure(first=True), SumFigure(), SumFigure()
        self.total, self.verdict = SumFigure(), SumFigure()
        self.priority = Choice(
            (("0", tr("0 pinned")), ("3", tr("3 high")), ("5", tr("5 medium")), ("10", tr("10 low")))
        )
        self.priority.choose("5")
        self.priority.setAccessibleName(tr("Priority in This turn"))
        down = rows(self, (16, 10, 16, 10), 8)
        down.addWidget(self.bar)
        across = fill(columns(down), self.chosen, self.before, self.after, self.total, self.verdict, STRETCH)
        tag = LayerTag("L3_TURN")
        fill(across, tag, 6, label(tr("This turn, priority"), "small", "t2"), 8, self.priority)

    def show_sums(self, view: EnvelopeView | None, sums: Sums, limits: AttachLimits) -> None:
        cost = sums.chosen_tokens
        files = counted_files(sums.chosen)
        self.chosen.show_figure(chosen_tokens(sums), tr("chosen, {files}").format(files=files))
        self.show_request(view, cost, guessed=bool(sums.guessed))
        if sums.chosen_bytes > limits.total_bytes:
            over = tr("{size}, over {most} MB").format(
                size=size(sums.chosen_bytes), most=tokens(limits.total_mb)
            )
            self._judge(Verdict(tr("too much at once"), over, "err", "warn"))
        elif sums.chosen > limits.ask_files:
            found = verdict_of(view, cost)
            more = tr("more than {n} files at once").format(n=tokens(limits.ask_files))
            self._judge(found if found.tone == "err" else found._replace(line=more))
        else:
            self._judge(verdict_of(view, cost))

    def show_request(self, view: EnvelopeView | None, cost: int, guessed: bool = False) -> None:
        """The bar and the three figures beside what is chosen; `guessed` says that its cost is an estimate."""
        if view is None:
            self.bar.show_bar(BarModel(limit_tokens=1))
            for figure, unit in ((self.before, tr("free before")), (self.after, tr("free after"))):
                figure.show_figure("—", unit)
            self.total.show_figure("—", tr("tokens in request"))
            return
        self.bar.show_bar(with_new(view, cost))
        self.bar.select(NEW if cost else None)
        about = "" if view.exact else "≈ "
        free = view.limit_tokens - view.total_tokens - cost
        self.before.show_figure(f"{about}{tokens(view.free_tokens)}", tr("free before"))
        about = "≈ " if guessed and cost else about
        self.after.show_figure(
            f"{about}{tokens(max(0, free))}", tr("free after"), "err" if free < 0 else "t1"
        )
        self.total.show_figure(f"{about}{tokens(view.total_tokens + cost)}", tr("tokens in request"))

    def _judge(self, verdict: Verdict) -> None:
        self.verdict.show_figure(verdict.word, verdict.line, verdict.tone, verdict.icon)


def with_new(view: EnvelopeView, cost: int) -> BarModel:
    """The bar of a request with so much more in this turn's layer, before the question."""
    bar = bar_of(view)
    if not cost:
        return bar
    place = next((at for at, one in enumerate(bar.segments) if one.layer == "L5_USER"), len(bar.segments))
    new = BarSegment(NEW, cost, tr("New files"))
    return replace(bar, segments=(*bar.segments[:place], new, *bar.segments[place:]))


class KindChip(PanelLook, QPushButton):
    """A kind of files, and how many there are; pressed, only such files are seen."""

    radius, centred = 12, True

    def __init__(self) -> None:
        super().__init__()
        self.setCheckable(True)
        self.setAutoDefault(False)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setProperty("ring_radius", 12)

    def sizeHint(self) -> QSize:
        return QSize(int(metrics("small", 500).horizontalAdvance(self.text()) + 0.999) + 20, 24)

    def update_look(self) -> None:
        on = self.isChecked()
        self.ground = "accent_tint" if on else "hover" if self.underMouse() else "raised"
        self.border = "accent" if on else "line2"
        self.runs = (Run(self.text(), "accent_text" if on else "t1", weight=500),)


class ScanLine(Panel):
    """How far the look is, and a way to end it; gone when it is over."""

    ground = "chrome"
    line_above = True

    def __init__(self) -> None:
        super().__init__()
        self.line = ProgressLine()
        self.line.setFixedWidth(160)
        self.count = label("", "small", "t1")
        self.count.setObjectName("strong")
        self.words = label("", "small", "t2")
        self.at = ElidedLabel("", "digest", "t2", Qt.TextElideMode.ElideMiddle)
        self.now = label(tr("What is counted can be added now."), "small", "t2")
        self.cancel = button(tr("Cancel scan"), size="small")
        self.setFixedHeight(40)
        across = columns(self, (16, 0, 16, 0), 0)
        fill(
            across, self.line, 12, self.count, 4, self.words, 12, (self.at, 1), 12, self.now, 12, self.cancel
        )

    def show_view(self, view: FolderView | None, fed: bool) -> None:
        if view is None:
            set_text(self.count, "")
            set_text(self.words, tr("Looking into the folder…"))
            self.line.set_fraction(None)
            self.setVisible(True)
            return
        count, words, fraction = progress_of(view)
        set_text(self.count, count)
        set_text(self.words, words)
        set_text(self.at, shown(view.at, 200))
        self.line.set_fraction(fraction)
        self.cancel.setVisible(not view.over)
        self.now.setVisible(not view.over)
        if view.stopped:
            set_text(self.at, tr("cancelled; what was found stays"))
        # Once everything is counted and shown there is nothing to say any more.
        self.setVisible(not view.over or view.stopped or bool(view.problem) or not fed)


# Which files of a folder come ticked where not all of them fit: those the message names, else the newest.


SHORTEST = 3
_COMMON = frozenset({
    "about", "all", "and", "any", "are", "can", "code", "could", "does", "file", "files", "folder", "for",
    "from", "had", "has", "have", "how", "into", "its", "let", "make", "not", "our", "please", "should",
    "than", "that", "the", "their", "them", "then", "there", "they", "this", "use", "was", "what", "when",
    "where", "which", "who", "why", "will", "with", "would", "you", "your",
})  # fmt: skip


def best_first(files: Sequence[Node], draft: str) -> list[Node]:
    """The files whose names have words of the message, best match first; where none has, all, the newest first."""
    asked = {word for word in words_of(draft) if len(word) >= SHORTEST and word not in _COMMON}
    scores = {node.path: _score(node.path, asked) for node in files} if asked else {}
    named = [node for node in files if scores.get(node.path)]
    return sorted(named or files, key=lambda node: (-scores.get(node.path, 0), -node.stamp))


def _score(path: str, asked: set[str]) -> int:
    """How many words of the message stand in a path; those in the name itself count twice."""
    place = PurePosixPath(path)
    name = set(words_of(place.stem.replace("_", " ")))
    around = set(words_of(str(place.parent).replace("_", " "))) - name
    return 2 * sum(_is_in(word, name) for word in asked) + sum(_is_in(word, around) for word in asked)


def _is_in(word: str, words: set[str]) -> bool:
    """Whether a word is there, or one that differs only in its ending: token, tokens."""
    return word in words or any(
        min(len(word), len(one)) > SHORTEST and (one.startswith(word) or word.startswith(one))
        for one in words
    )


WIDTH, HEIGHT = 800, 816
SLICE_MS, SLICE_ENTRIES = 10, 50
REFRESH_MS = 100
FILTER_MS = 120


@dataclass(frozen=True, slots=True)
class FolderChoice:
    """What is to be attached: files by their whole paths, from a folder; and the folder, where it is to be followed."""

    folder: str
    paths: tuple[str, ...]
    priority: int
    follow: FollowedFolder | None = None


class FolderDialog(Sheet):
    """A folder that is looked through; opened for a path, fed with every new state.

    Signals:
        added: a `FolderChoice`. change_wanted: another folder is to be chosen.
    """

    added = Signal(object)
    change_wanted = Signal()

    def __init__(self, wishes: Wishes | None = None, parent: QWidget | None = None) -> None:
        super().__init__(tr("Add a folder"), WIDTH, HEIGHT, parent)
        self.wishes = wishes or Wishes(self)
        self._path = self._chat = self._called = ""
        self._number = self._settled = -1
        self._opened = False
        self._view: FolderView | None = None
        self._chat_state: ChatState | None = None
        self._limits = AttachLimits()
        self._entries = self._counts = 0
        self._only: frozenset[str] | None = None
        self._shown_as = ""
        self._feeding = single_shot(self, self._feed)
        self._refreshing = single_shot(self, self._refresh, REFRESH_MS)
        self._typed = single_shot(self, self._apply_filter, FILTER_MS)
        self.place = ElidedLabel("", "digest", "t2", Qt.TextElideMode.ElideMiddle)
        self.change = on_click(button(tr("Change…"), "link"), self.change_wanted)
        self.filter = Field(tr("Name, *.py, !tests"), "search", tr("Ctrl+F"))
        self.filter.setAccessibleName(tr("Show only: a name, *.py, !tests"))
        self.ignoring, self.hidden_files = Check(tr("Follow .gitignore"), True), Check(tr("Hidden files"))
        self.tree = FolderTree(Tree(""))
        self.sums = SumBlock()
        self.chips: dict[str, QPushButton] = {}
        self._chip_row = QWidget()
        self._chip_flow = FlowLayout(self._chip_row)
        self.progress = ScanLine()
        self.keeping = label("", "small", "t2")
        self.follow = Check(tr("Follow the folder"))
        self.follow.setToolTip(
            tip(tr("New files are suggested beside the attachments, never attached automatically."))
        )
        self.close_foot = on_click(button(tr("Close"), shortcut_hint=tr("Esc")), self.reject)
        self.add = on_click(button(tr("Add files"), "primary", shortcut_hint="↵"), self._add)
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        self.head.insertSpacing(1, 8)
        self.head.setStretchFactor(self.title, 0)
        self.head.insertWidget(2, self.place)
        self.head.insertWidget(3, self.change)
        self.head.insertStretch(4, 1)
        self.body.setContentsMargins(1, 0, 1, 0)
        self.body.setSpacing(0)
        tools = columns(self.body, (15, 8, 15, 8), 8)
        self.filter.setFixedWidth(214)
        fill(tools, self.filter, (self._chip_row, 1), self.ignoring, 4, self.hidden_files)
        line = Hairline()
        fill(self.body, line, (self.tree, 1), self.progress, self.sums)
        fill(self.foot, self.keeping, STRETCH, self.follow, 8, self.close_foot, self.add)

    def _connect(self) -> None:
        self.filter.textChanged.connect(lambda _text: self._typed.start())
        self.filter.installEventFilter(self)
        self.ignoring.toggled.connect(lambda _on: self._scan_again())
        self.hidden_files.toggled.connect(lambda _on: self._scan_again())
        self.tree.ticked.connect(self._on_ticked)
        self.tree.filter_wanted.connect(self.focus_filter)
        self.tree.add_wanted.connect(self._add)
        self.progress.cancel.clicked.connect(lambda: self.wishes.send(StopScan()))
        self.finished.connect(lambda _result: self._leave())
        find = QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self)
        find.activated.connect(self.focus_filter)

    def look_through(
        self, path: str, chat: str, only: frozenset[str] | None = None, called: str = ""
    ) -> None:
        """Show a folder; where `only` names files, those are chosen and nothing else. `called` is shown as its path."""
        self._path, self._chat, self._only = path, chat, only
        self._called = called or path
        set_text(self.place, shown(_short(self._called), 200))
        self.place.setToolTip(tip(path))
        self.tree.show_tree(Tree(self._name()))
        self._begin()
        self.tree.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_state(self, state: WorkbenchState, chat: ChatState | None) -> None:
        """Show what is known by now, a little at a time where it is much."""
        self._chat_state, self._limits = chat, state.preferences.attach
        frozen = chat is not None and chat.chat.settings.freshness == "freeze"
        marked = tr("Files that change on disk are marked; F5 loads the new version.")
        set_text(
            self.keeping, marked if frozen else tr("Files that change on disk are refreshed and marked.")
        )
        view = state.folder
        if view is None or view.path != self._path or view.number < self._number:
            self._show_sums()
            return
        if view.number != self._number:
            self._anew(view.number)
        self._view = self.tree.rows.view = view
        # The chat's first request may be ready only after the folder is: then what fits is known only now.
        self.tree.rows.tree.learn_room(*_room(self._next_request()))
        self._mark_attached()
        if not self._feeding.isActive():
            self._feed()

    def focus_filter(self) -> None:
        self.filter.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.filter.selectAll()

    def is_fed(self) -> bool:
        view = self._view
        return view is not None and (len(view.entries), len(view.counts)) == (self._entries, self._counts)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._add()
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.filter and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() == Qt.Key.Key_Down:
                self.tree.setFocus(Qt.FocusReason.ShortcutFocusReason)
                return True
            if event.key() == Qt.Key.Key_Escape and self.filter.text():
                self.filter.clear()
                return True
        return bool(super().eventFilter(watched, event))

    def _rules(self) -> FolderRules:
        return FolderRules(self.ignoring.isChecked(), self.hidden_files.isChecked())

    def _begin(self) -> None:
        self._number = max(self._number, -1)
        self._view = None
        self.wishes.send(ScanFolder(self._chat, self._path, self._rules()))
        self._show_progress()
        self._show_sums()

    def _scan_again(self) -> None:
        if self._path:
            self._begin()

    def _anew(self, number: int) -> None:
        """Another look through the folder: what was ticked before stays so."""
        same = self._number >= 0 and self._shown_as == self._path
        kept = self.tree.rows.tree.choices() if same else {}
        fresh = Tree(self._name(), *_room(self._next_request()))
        fresh.kept, fresh.only = kept, self._only
        self._number, self._entries, self._counts, self._opened = number, 0, 0, False
        self._shown_as = self._path
        self.tree.show_tree(fresh)
        fresh.filter(self._filter())

    def _next_request(self) -> EnvelopeView | None:
        return None if self._chat_state is None else self._chat_state.view

    def _name(self) -> str:
        return shown(PurePath(self._called).name or self._called)

    def _mark_attached(self) -> None:
        if self._chat_state is None:
            return
        here = PurePath(self._path).as_posix()
        top = "" if here == "." else f"{here.rstrip('/')}/"
        keys = (artifact.key for artifact in self._chat_state.conversation.attached)
        self.tree.rows.tree.set_attached(
            frozenset(key.removeprefix(top) for key in keys if key.startswith(top))
        )

    def _feed(self) -> None:
        """Take over some of what is known, and the rest after other events had their turn."""
        view, tree = self._view, self.tree.rows.tree
        if view is None:
            return
        since = QElapsedTimer()
        since.start()
        while not self.is_fed() and since.elapsed() < SLICE_MS:
            entries = view.entries[self._entries : self._entries + SLICE_ENTRIES]
            self._entries += len(entries)
            tree.add(entries)
            if self._entries == len(view.entries):
                counts = view.counts[self._counts : self._counts + SLICE_ENTRIES]
                self._counts += len(counts)
                tree.count(counts)
        self.tree.rows.insert_new()
        if view.listed:
            self._open_once()
        if not self.is_fed():
            self._feeding.start(0)
        if view.over and self.is_fed():
            self._settle()
            self._refresh()
        elif not self._refreshing.isActive():
            self._refreshing.start()

    def _settle(self) -> None:
        """Choose once for each look, when all is counted and the room is known."""
        tree, chat = self.tree.rows.tree, self._chat_state
        if self._settled != self._number and tree.room_tokens is not None and chat is not None:
            self._settled = self._number
            tree.settle(lambda files: best_first(files, chat.draft))

    def _refresh(self) -> None:
        """Show the figures of what was taken over, a few times a second: each costs as much as many entries."""
        self._refreshing.stop()
        self.tree.rows.tell_changes()
        self._show_chips()
        self._show_progress()
        self._show_sums()

    def _open_once(self) -> None:
        if not self._opened and self._view is not None and self._entries == len(self._view.entries):
            self._opened = True
            self.tree.open_some()

    def _filter(self) -> FolderFilter:
        kinds = frozenset(kind for kind, chip in self.chips.items() if chip.isChecked())
        return FolderFilter(self.filter.text(), kinds)

    def _apply_filter(self) -> None:
        self._typed.stop()
        wanted = self._filter()
        self.tree.rows.filter(wanted)
        if not wanted.empty:
            self.tree.open_found()
        else:
            self.tree.open_some()

    def _on_ticked(self, nodes: list[Node]) -> None:
        unread = tuple(node.path for node in nodes if node.ticked and node.tokens is None)
        documents = tuple(path for path in unread if _is_document(self.tree.rows.tree.node(path)))
        if documents:
            self.wishes.send(CountFiles(documents))
        self._show_sums()

    def _show_chips(self) -> None:
        for kind, words in kind_chips(self.tree.rows.tree.kinds):
            if kind not in self.chips:
                chip = KindChip()
                chip.toggled.connect(lambda _on: self._apply_filter())
                self.chips[kind] = chip
                self._chip_flow.addWidget(chip)
            if self.chips[kind].text() != words:
                self.chips[kind].setText(words)

    def _show_progress(self) -> None:
        self.progress.show_view(self._view, self.is_fed())

    def _show_sums(self) -> None:
        sums = self.tree.rows.tree.root.sums
        self.sums.show_sums(self._next_request(), sums, self._limits)
        n = sums.chosen
        words = (
            tr("Add 1 file") if n == 1 else tr("Add {n} files").format(n=f"{n:,}") if n else tr("Add files")
        )
        if self.add.text() != words:
            self.add.setText(words)
        self.add.setEnabled(bool(n) and sums.chosen_bytes <= self._limits.total_bytes)

    def _add(self) -> None:
        self._refresh()
        tree = self.tree.rows.tree
        chosen = tree.ticked()
        if not chosen or not self.add.isEnabled():
            return
        paths = tuple(PurePath(self._path, node.path).as_posix() for node in chosen)
        priority = int(self.sums.priority.chosen())
        wanted = self._filter()
        follow = FollowedFolder(self._path, self._rules(), wanted.text, tuple(sorted(wanted.kinds)), priority)
        self.added.emit(
            FolderChoice(self._path, paths, priority, follow if self.follow.isChecked() else None)
        )
        self.accept()

    def _leave(self) -> None:
        self._feeding.stop()
        self._refreshing.stop()
        self.wishes.send(LeaveFolder())


def _room(view: EnvelopeView | None) -> tuple[int | None, int | None]:
    """What is free in the next request, and how much of that comes before something is trimmed."""
    if view is None:
        return None, None
    before_trim = None if view.threshold_tokens is None else view.threshold_tokens - view.total_tokens
    # Past the mark it is trimmed anyway, and only what is free counts.
    return view.free_tokens, before_trim if before_trim is not None and before_trim > 0 else None


def _is_document(node: Node | None) -> bool:
    return node is not None and node.kind in ("document", "picture")


def _short(path: str) -> str:
    home = QDir.homePath()
    return f"~{path[len(home) :]}" if path.startswith(f"{home}/") else path
