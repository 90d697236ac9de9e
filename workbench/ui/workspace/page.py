"""The page of a workspace: its name and folder, and what every chat in it is told, remembers and has attached."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from PySide6.QtCore import QElapsedTimer, Qt, QTimer
from PySide6.QtGui import QHideEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QLabel,
    QMenu,
    QScrollArea,
    QSizePolicy,
    QStackedWidget,
    QWidget,
)

from workbench.domain.record import Chat
from workbench.domain.shown.attachment_view import PARTED_KINDS, AttachmentRow, anchor_of
from workbench.domain.shown.envelope_view import SegmentRow
from workbench.domain.shown.reach import ChatReach
from workbench.domain.tool import ToolDefinition
from workbench.domain.workspace import Workspace, workspace_of_template
from workbench.engine.intents import ChangeSettings
from workbench.engine.state import ChatState, WorkbenchState
from workbench.ui import formatting
from workbench.ui.filing import rename_workspace, save_workspace
from workbench.ui.look.space import S2, STRETCH, columns, fill, rows
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.model_button import ModelButton, short_name
from workbench.ui.parameters.popup import ChatParameters, rules_of
from workbench.ui.steps import apply_settings, detach
from workbench.ui.tools.offer import OfferCard
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import button, on_click, tool_button
from workbench.ui.widgets.card import Card, LeadingIcon, Panel
from workbench.ui.widgets.choice import Field
from workbench.ui.widgets.labels import ElidedLabel, label, set_text
from workbench.ui.widgets.menu import menu, popup_below
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.wishes import (
    BindFolder,
    DropWorkspace,
    LookAtOffer,
    NewChatIn,
    SendWorkspaceOut,
    ShowSections,
    Wishes,
)
from workbench.ui.workspace.rows import RowValue, Section, token_sum
from workbench.ui.workspace.sections import InstructionsSection, MemorySection, PromptsSection, ToolsSection

# Whom a change here reaches: the chats of a workspace, how long each is warm, and what a change would cost there.


MOST_WARM = 8
TICK_MS = 1000


@dataclass(frozen=True, slots=True)
class ReachLine:
    """A line of the table, in words; `tone` is that of its price."""

    name: str
    warm: str = ""
    cached: str = ""
    price: str = ""
    tone: str = "t2"


def reach_lines(chats: Sequence[Chat], reach: Mapping[str, ChatReach], now_utc: str) -> tuple[ReachLine, ...]:
    """Warm chats one by one, the longest warm first; cold ones and those nobody knows of each in one line; the sum."""
    known = [(chat, reach[chat.id]) for chat in chats if chat.id in reach and reach[chat.id].known]
    left = {chat.id: _left(one.until_utc, now_utc) for chat, one in known}
    warm = [(chat, one) for chat, one in known if left[chat.id] > 0 or not one.until_utc]
    warm.sort(key=lambda pair: left[pair[0].id], reverse=True)
    lines = [_warm_line(chat, one, left[chat.id]) for chat, one in warm[:MOST_WARM]]
    if warm[MOST_WARM:]:
        lines.append(_together(tr("{n} more"), [one for _, one in warm[MOST_WARM:]]))
    cold = len(known) - len(warm)
    if cold:
        others = tr("1 other") if cold == 1 else tr("{n} others").format(n=cold)
        words = others if warm else formatting.counted(cold, tr("1 chat"), tr("{n} chats"))
        lines.append(ReachLine(words, tr("cold"), "0", tr("no cost"), "ok"))
    unknown = len(chats) - len(known)
    if unknown:
        lines.append(ReachLine(tr("{n} unknown").format(n=unknown), "–", "–", "–", "t3"))
    if warm:
        lines.append(
            _together(
                tr("1 chat") if len(chats) == 1 else tr("{n} chats"), [one for _, one in warm], len(chats)
            )
        )
    return tuple(lines)


def _warm_line(chat: Chat, one: ChatReach, left_s: float) -> ReachLine:
    minutes, seconds = divmod(int(left_s), 60)
    warm = f"{minutes}:{seconds:02}" if one.until_utc else tr("not known")
    title = shown(chat.title, 120) or tr("New chat")
    return ReachLine(title, warm, formatting.tokens(one.cached_tokens), *_price([one]))


def _together(words: str, reached: Sequence[ChatReach], count: int = 0) -> ReachLine:
    tokens = sum(one.cached_tokens for one in reached)
    return ReachLine(words.format(n=count or len(reached)), "", formatting.tokens(tokens), *_price(reached))


def _price(reached: Iterable[ChatReach]) -> tuple[str, str]:
    """What reading anew costs together; only what is known, and said to be only that."""
    found = list(reached)
    if all(one.local for one in found):
        return tr("only time"), "t2"
    known = [one.reread_usd for one in found if one.reread_usd is not None]
    if not known or (not sum(known) and len(known) < len(found)):
        return tr("price not known"), "t3"
    words = formatting.signed_usd(sum(known))
    return (words if len(known) == len(found) else tr("at least {price}").format(price=words)), "warn"


def _left(until_utc: str, now_utc: str) -> float:
    try:
        until, now = datetime.fromisoformat(until_utc), datetime.fromisoformat(now_utc)
    except ValueError:
        return 0.0
    return max(0.0, (until - now).total_seconds())


class ReachSection(Section):
    """The table; its times run while it is seen, unless `runs` says that they stand still."""

    def __init__(self) -> None:
        super().__init__("", "")
        self.title.setText(tr("Chats affected by a change"))
        self.table = _Table()
        self.note = label(
            tr("Changes apply on a chat’s next turn. A warm cache is re-read then."),
            "small",
            "t2",
            wrap=True,
        )
        self.down.addWidget(self.table)
        self.down.addWidget(self.note)
        self._chats: tuple[Chat, ...] = ()
        self._reach: Mapping[str, ChatReach] = {}
        self._now = ""
        self.runs = True
        self._since = QElapsedTimer()
        self._timer = QTimer(self)
        self._timer.setInterval(TICK_MS)
        self._timer.timeout.connect(self._draw)

    def show_reach(self, chats: Sequence[Chat], reach: Mapping[str, ChatReach], now_utc: str) -> None:
        """Show how the chats stand at a moment; time goes on from there."""
        self._chats, self._reach, self._now = tuple(chats), reach, now_utc
        self._since.start()
        self.setVisible(bool(chats))
        self._draw()

    def showEvent(self, event: QShowEvent) -> None:
        """Times run only while they are seen."""
        super().showEvent(event)
        self._timer.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()

    def _draw(self) -> None:
        now = _later(self._now, self._since.elapsed() / 1000 if self.runs and self._since.isValid() else 0.0)
        lines = reach_lines(self._chats, self._reach, now)
        self.table.show_lines(lines)
        warm = sum(1 for chat in self._chats if _is_warm(self._reach.get(chat.id), now))
        one = tr("1 chat, warm") if warm else tr("1 chat, not warm")
        words = formatting.counted(len(self._chats), one, tr("{n} chats, {warm} of them warm"))
        self.say(words.replace("{warm}", formatting.tokens(warm)))


def _is_warm(one: ChatReach | None, now_utc: str) -> bool:
    return one is not None and one.known and _left(one.until_utc, now_utc) > 0


def _later(utc: str, seconds: float) -> str:
    try:
        return (datetime.fromisoformat(utc) + timedelta(seconds=seconds)).isoformat()
    except ValueError:
        return utc


class _Table(Card):
    """Four columns of words under a head, each row spoken as one."""

    def __init__(self) -> None:
        super().__init__()
        self._grid = QGridLayout()
        self._grid.setContentsMargins(12, 4, 12, 4)
        self._grid.setHorizontalSpacing(16)
        self._grid.setVerticalSpacing(0)
        self._grid.setColumnStretch(0, 1)
        rows(self).addLayout(self._grid)
        self._cells: list[list[QLabel]] = []
        head = (tr("Chat"), tr("Warm for"), tr("Cached now"), tr("If instructions change"))
        self._add(ReachLine(*head), "t3")
        self._lines: tuple[ReachLine, ...] = ()

    def words(self) -> list[str]:
        return [" ".join(filter(None, (cell.text() for cell in row))) for row in self._cells]

    def show_lines(self, lines: Sequence[ReachLine]) -> None:
        shape = [(line.tone, not line.warm and not line.name) for line in lines]
        if shape != [(line.tone, not line.warm and not line.name) for line in self._lines]:
            for row in self._cells[1:]:
                for cell in row:
                    self._grid.removeWidget(cell)
                    cell.deleteLater()
            del self._cells[1:]
            for line in lines:
                self._add(line, "t1")
        self._lines = tuple(lines)
        for row, line in zip(self._cells[1:], lines, strict=True):
            for cell, words in zip(row, (line.name, line.warm, line.cached, line.price), strict=True):
                set_text(cell, words)
            row[0].setAccessibleName(", ".join(filter(None, (line.name, line.warm, line.cached, line.price))))

    def _add(self, line: ReachLine, token: str) -> None:
        at = len(self._cells)
        small = at == 0
        name = ElidedLabel(line.name, "small" if small else "ui", token)
        name.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        ends = [
            label(words, "small" if small else "ui", tone)
            for words, tone in (
                (line.warm, token if small else "t2"),
                (line.cached, token),
                (line.price, token if small else line.tone),
            )
        ]
        row: list[QLabel] = [name, *ends]
        for column, cell in enumerate(row):
            cell.setFixedHeight(27)
            if column:
                cell.setAlignment(Qt.AlignmentFlag.AlignTrailing | Qt.AlignmentFlag.AlignVCenter)
            self._grid.addWidget(cell, at, column)
        self._cells.append(row)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        for row in self._cells[1:]:
            painter.fillRect(1, row[0].y(), self.width() - 2, 1, colour("line", theme_of(self)))


LEAST_WIDTH = 420
HEAD_HEIGHT, FOLDER_HEIGHT = 44, 32
BETWEEN = 14


class PageHead(Panel):
    """The name, which can be changed in place, how many chats there are, a new one, and what else can be done."""

    line_below = True
    leading = LeadingIcon("folder", size=18, box=(16, 0, 18, 0))

    def __init__(self, wishes: Wishes) -> None:
        super().__init__()
        self.wishes = wishes
        self._place = Workspace("")
        self.setFixedHeight(HEAD_HEIGHT)
        self.name = ElidedLabel("", "title")
        self.name.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self.count = ElidedLabel("", "small", "t3")
        self.edit = tool_button("edit", tr("Rename this workspace"), tr("Rename this workspace (F2)"))
        self.field = Field()
        self.field.setAccessibleName(tr("Name of this workspace"))
        self.new = button(tr("New chat"), "primary", icon="plus")
        self.more = tool_button("more", tr("More for this workspace"))
        still = QWidget()
        fill(columns(still, spacing=4), self.name, self.edit, self.count, STRETCH)
        self._places = QStackedWidget()
        self._places.setFixedHeight(30)
        self._places.addWidget(still)
        self._places.addWidget(self.field)
        fill(columns(self, (16, 0, 12, 0), S2), 26, (self._places, 1), self.new, self.more)
        self.edit.clicked.connect(self.rename)
        self.field.editingFinished.connect(self._renamed)
        self.new.clicked.connect(lambda: self.wishes.run(NewChatIn(self._place.id)))
        self.more.clicked.connect(lambda: popup_below(self.menu_of(), self.more))

    def show_place(self, place: Workspace, chats: int) -> None:
        self._place = place
        self.name.setText(shown(place.name, 80))
        words = tr("workspace, 1 chat") if chats == 1 else tr("workspace, {n} chats").format(n=chats)
        self.count.setText(words)

    def rename(self) -> None:
        self.field.setText(self._place.name)
        self.field.selectAll()
        self._places.setCurrentWidget(self.field)
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def menu_of(self) -> QMenu:
        made = menu(self)
        made.addAction(tr("Rename…"), self.rename)
        made.addAction(tr("Change the folder…"), lambda: self.wishes.run(BindFolder(self._place.id)))
        made.addAction(tr("Export…"), lambda: self.wishes.run(SendWorkspaceOut(self._place.id)))
        made.addSeparator()
        made.addAction(tr("Delete the workspace"), lambda: self.wishes.run(DropWorkspace(self._place.id)))
        return made

    def _renamed(self) -> None:
        if self._places.currentWidget() is not self.field:
            return
        self._places.setCurrentIndex(0)
        name = " ".join(self.field.text().split())
        if name:
            self.wishes.do(rename_workspace(self._place, name))


class FolderLine(QWidget):
    """The folder that tools are bound to, and one that an import named and nobody accepted yet."""

    def __init__(self, wishes: Wishes) -> None:
        super().__init__()
        self.wishes = wishes
        self._place = Workspace("")
        self.path = ElidedLabel("", "code", "t1", Qt.TextElideMode.ElideMiddle)
        self.path.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self.change = button(tr("Change…"), "link", size="small")
        self.change.setAccessibleName(tr("Change the folder of this workspace"))
        self.note = ElidedLabel("", "small", "t3")
        self.note.setAlignment(Qt.AlignmentFlag.AlignTrailing | Qt.AlignmentFlag.AlignVCenter)
        self.offered = ElidedLabel("", "small", "t2", Qt.TextElideMode.ElideMiddle)
        self.use = button(tr("Use"), size="small")
        self.decline = on_click(button(tr("Dismiss"), "ghost", size="small"), self._decline)
        down = rows(self)
        first = QWidget()
        first.setFixedHeight(FOLDER_HEIGHT)
        across = columns(first, spacing=S2)
        fill(across, label(tr("Folder"), "ui_heading"), self.path, self.change, (self.note, 1))
        down.addWidget(first)
        self._second = QWidget()
        fill(columns(self._second, spacing=S2), (self.offered, 1), self.use, self.decline)
        down.addWidget(self._second)
        self.change.clicked.connect(lambda: self.wishes.run(BindFolder(self._place.id)))
        self.use.clicked.connect(lambda: self.wishes.run(BindFolder(self._place.id, self._place.offered)))

    def show_place(self, place: Workspace, home: str) -> None:
        self._place = place
        self.path.setText(shown(_from_home(place.folder, home), 200) if place.folder else tr("none"))
        self.path.setToolTip(tip(place.folder))
        bound = tr("built-in tools and patterns stay inside it")
        self.note.setText(bound if place.folder else tr("tools work in the program’s own folder"))
        self.change.setText(tr("Change…") if place.folder else tr("Choose…"))
        self._second.setVisible(bool(place.offered))
        words = tr("It came with the folder {folder}, which isn’t used yet.")
        self.offered.setText(words.format(folder=shown(place.offered, 200)))

    def _decline(self) -> None:
        after = replace(self._place, offered="")
        self.wishes.do(save_workspace(self._place, after, tr("Dismiss a folder")))


class WorkspacePage(QWidget):
    """The middle of the window while the template of a workspace is in view.

    Attributes:
        home: the person's own folder, which paths are shortened by.
        tools_there: the program's own tools; which of them are on, the template says.
    """

    def __init__(self, wishes: Wishes | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.wishes = wishes or Wishes(self)
        self.setObjectName("surface")
        self.setMinimumWidth(LEAST_WIDTH)
        self.home = ""
        self.tools_there: Callable[[], Sequence[ToolDefinition]] = lambda: ()
        self.head, self.folder, self.offer = PageHead(self.wishes), FolderLine(self.wishes), OfferCard()
        self.instructions, self.memory = InstructionsSection(self.wishes), MemorySection(self.wishes)
        self.files = Section(tr("Files in every chat"), tr("Attach"))
        self.model_section = Section(tr("Model and parameters"))
        self.model, self.parameters = ModelButton(), ChatParameters()
        self.tools, self.prompts = ToolsSection(self.wishes), PromptsSection(self.wishes)
        self.reach = ReachSection()
        self._chat: ChatState | None = None
        self._build()
        self._connect()

    def _build(self) -> None:
        fill(columns(self.model_section.down, spacing=S2), self.model, STRETCH)
        self.model_section.down.addWidget(self.parameters)
        self.model_section.say(tr("for new chats"))
        self.body = QWidget()
        column = rows(self.body, (16, 4, 16, 24), BETWEEN)
        for part in (
            self.folder, self.offer, self.instructions, self.memory, self.files, self.model_section, self.tools,
            self.prompts, self.reach,
        ):  # fmt: skip
            column.addWidget(part)
        column.addStretch(1)
        self.area = QScrollArea()
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setWidgetResizable(True)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setWidget(self.body)
        self.area.viewport().setAutoFillBackground(False)
        self.body.setAutoFillBackground(False)  # setting it turns that on
        self.area.setAccessibleName(tr("What belongs to the workspace"))
        fill(rows(self), self.head, (self.area, 1))

    def _connect(self) -> None:
        self.files.wanted.connect(lambda: self.wishes.run("attach-files"))
        self.files.removed.connect(self._detach)
        self.files.linked.connect(lambda key: self.wishes.run(ShowSections(key)))
        self.model.clicked.connect(lambda: self.wishes.run("model"))
        self.parameters.wanted.connect(self._set)
        self.offer.look_wished.connect(lambda workspace: self.wishes.run(LookAtOffer(workspace)))
        self.offer.answered.connect(self.wishes.send)

    def show_state(self, state: WorkbenchState, chat: ChatState | None, now_utc: str) -> None:
        place = None if chat is None else state.workspaces.get(workspace_of_template(chat.chat.id))
        self._chat = chat
        if chat is None or place is None:
            return
        inside = [one for one in state.chats if one.filed.workspace == place.id]
        lines = _first_layer(chat)
        self.head.show_place(place, len(inside))
        self.folder.show_place(place, self.home)
        self.instructions.show_place(place, chat.chat.settings.persona, _source_tokens(lines))
        facts = {part.text: part.tokens for row in lines if row.kind == "memory" for part in row.parts}
        titles = {one.id: shown(one.title, 60) for one in inside}
        self.memory.show_place(place, state.everywhere, facts, titles)
        self._show_files(chat)
        model = chat.chat.settings.model
        self.model.show_model(short_name(model), state.readiness.get(model))
        self.parameters.show_settings(chat.chat.id, chat.chat.settings, rules_of(state, chat, model))
        self.tools.show_tools(state, chat, self.tools_there())
        self.offer.show_offer(place.id, *state.offers.get(place.id, (None, "")))
        self.prompts.show_prompts(place.id, state.prompts)
        here = [one for one in inside if one.filed.archived_utc is None]
        self.reach.show_reach(here, state.reach, now_utc)

    def _show_files(self, chat: ChatState) -> None:
        found = chat.attachments
        self.files.show_values(
            RowValue(
                row.key,
                row.name,
                "image" if row.kind == "image" else "file",
                line=self._how(row, chat),
                link=tr("Sections…") if row.kind in PARTED_KINDS else "",
                removes=True,
                tokens=row.tokens,
            )
            for row in found
        )
        many = formatting.counted(len(found), tr("1 file"), tr("{n} files"))
        self.files.say(token_sum(many, sum(row.tokens for row in found)) if found else tr("none yet"))

    def _how(self, row: AttachmentRow, chat: ChatState) -> str:
        anchor = anchor_of(row, chat.files)
        if anchor:
            return tr("part {anchor}").format(anchor=shown(anchor, 60))
        return tr("shortened") if row.state == "compacted" else tr("whole file")

    def _set(self, wanted: ChangeSettings) -> None:
        if self._chat is not None:
            title = tr("Change settings for new chats")
            self.wishes.do(apply_settings(self._chat, wanted.settings, title, wanted.before))

    def _detach(self, key: str) -> None:
        if self._chat is not None:
            self.wishes.do(detach(self._chat, (key,)))


def _first_layer(chat: ChatState) -> tuple[SegmentRow, ...]:
    view = chat.view
    return (
        ()
        if view is None
        else tuple(row for one in view.layers if one.name == "L1_SYSTEM" for row in one.rows)
    )


def _source_tokens(lines: Iterable[SegmentRow]) -> dict[str, int]:
    found: dict[str, int] = {}
    for row in lines:
        if row.kind == "project":
            found["project"] = row.tokens
        elif row.kind == "persona":
            found |= {part.source: part.tokens for part in row.parts}
    return found


def _from_home(path: str, home: str) -> str:
    return f"~{path[len(home) :]}" if home and (path == home or path.startswith(f"{home}/")) else path
