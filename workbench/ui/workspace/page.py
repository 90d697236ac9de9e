"""The page of a workspace: its name and folder, and what every chat in it is told, remembers and has attached."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QMenu, QScrollArea, QSizePolicy, QStackedWidget, QWidget

from workbench.domain.shown.attachment_view import PARTED_KINDS, AttachmentRow, anchor_of
from workbench.domain.shown.envelope_view import SegmentRow
from workbench.domain.tool import ToolDefinition
from workbench.domain.workspace import Workspace, workspace_of_template
from workbench.engine.intents import ChangeSettings
from workbench.engine.state import ChatState, WorkbenchState
from workbench.ui.filing import rename_workspace, save_workspace
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.space import S2, STRETCH, columns, fill, rows
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.model_button import ModelButton, short_name
from workbench.ui.parameters.popup import ChatParameters, rules_of
from workbench.ui.steps import apply_settings, detach
from workbench.ui.tools.offer import OfferCard
from workbench.ui.widgets.buttons import button, on_click, tool_button
from workbench.ui.widgets.choice import Field
from workbench.ui.widgets.labels import ElidedLabel, label
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
from workbench.ui.workspace.reach import ReachSection
from workbench.ui.workspace.rows import RowValue, Section, token_sum
from workbench.ui.workspace.sections import InstructionsSection, MemorySection, PromptsSection, ToolsSection

LEAST_WIDTH = 420
HEAD_HEIGHT, FOLDER_HEIGHT = 44, 32
BETWEEN = 14


class PageHead(QWidget):
    """The name, which can be changed in place, how many chats there are, a new one, and what else can be done."""

    def __init__(self, wishes: Wishes) -> None:
        super().__init__()
        self.wishes = wishes
        self._place = Workspace("")
        self.setFixedHeight(HEAD_HEIGHT)
        self.name = ElidedLabel("", "title")
        self.name.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self.count = ElidedLabel("", "small", "t3")
        self.edit = tool_button(
            "edit", self.tr("Rename this workspace"), self.tr("Rename this workspace (F2)")
        )
        self.field = Field()
        self.field.setAccessibleName(self.tr("Name of this workspace"))
        self.new = button(self.tr("New chat"), "primary", icon="plus")
        self.more = tool_button("more", self.tr("More for this workspace"))
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
        words = (
            self.tr("workspace, 1 chat") if chats == 1 else self.tr("workspace, {n} chats").format(n=chats)
        )
        self.count.setText(words)

    def rename(self) -> None:
        self.field.setText(self._place.name)
        self.field.selectAll()
        self._places.setCurrentWidget(self.field)
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def menu_of(self) -> QMenu:
        made = menu(self)
        made.addAction(self.tr("Rename…"), self.rename)
        made.addAction(self.tr("Change the folder…"), lambda: self.wishes.run(BindFolder(self._place.id)))
        made.addAction(self.tr("Export…"), lambda: self.wishes.run(SendWorkspaceOut(self._place.id)))
        made.addSeparator()
        made.addAction(
            self.tr("Delete the workspace"), lambda: self.wishes.run(DropWorkspace(self._place.id))
        )
        return made

    def _renamed(self) -> None:
        if self._places.currentWidget() is not self.field:
            return
        self._places.setCurrentIndex(0)
        name = " ".join(self.field.text().split())
        if name:
            self.wishes.do(rename_workspace(self._place, name))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        spot = QRectF(16, 0, 18, self.height())
        paint_icon(painter, spot, "folder", "t2", 18)
        painter.fillRect(QRectF(0, self.height() - 1, self.width(), 1), colour("line", theme_of(self)))


class FolderLine(QWidget):
    """The folder that tools are bound to, and one that an import named and nobody accepted yet."""

    def __init__(self, wishes: Wishes) -> None:
        super().__init__()
        self.wishes = wishes
        self._place = Workspace("")
        self.path = ElidedLabel("", "code", "t1", Qt.TextElideMode.ElideMiddle)
        self.path.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self.change = button(self.tr("Change…"), "link", size="small")
        self.change.setAccessibleName(self.tr("Change the folder of this workspace"))
        self.note = ElidedLabel("", "small", "t3")
        self.note.setAlignment(Qt.AlignmentFlag.AlignTrailing | Qt.AlignmentFlag.AlignVCenter)
        self.offered = ElidedLabel("", "small", "t2", Qt.TextElideMode.ElideMiddle)
        self.use = button(self.tr("Use"), size="small")
        self.decline = on_click(button(self.tr("Dismiss"), "ghost", size="small"), self._decline)
        down = rows(self)
        first = QWidget()
        first.setFixedHeight(FOLDER_HEIGHT)
        across = columns(first, spacing=S2)
        fill(across, label(self.tr("Folder"), "ui_heading"), self.path, self.change, (self.note, 1))
        down.addWidget(first)
        self._second = QWidget()
        fill(columns(self._second, spacing=S2), (self.offered, 1), self.use, self.decline)
        down.addWidget(self._second)
        self.change.clicked.connect(lambda: self.wishes.run(BindFolder(self._place.id)))
        self.use.clicked.connect(lambda: self.wishes.run(BindFolder(self._place.id, self._place.offered)))

    def show_place(self, place: Workspace, home: str) -> None:
        self._place = place
        self.path.setText(shown(_from_home(place.folder, home), 200) if place.folder else self.tr("none"))
        self.path.setToolTip(tip(place.folder))
        bound = self.tr("built-in tools and patterns stay inside it")
        self.note.setText(bound if place.folder else self.tr("tools work in the program’s own folder"))
        self.change.setText(self.tr("Change…") if place.folder else self.tr("Choose…"))
        self._second.setVisible(bool(place.offered))
        words = self.tr("It came with the folder {folder}, which isn’t used yet.")
        self.offered.setText(words.format(folder=shown(place.offered, 200)))

    def _decline(self) -> None:
        after = replace(self._place, offered="")
        self.wishes.do(save_workspace(self._place, after, self.tr("Dismiss a folder")))


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
        self.files = Section(self.tr("Files in every chat"), self.tr("Attach"))
        self.model_section = Section(self.tr("Model and parameters"))
        self.model, self.parameters = ModelButton(), ChatParameters()
        self.tools, self.prompts = ToolsSection(self.wishes), PromptsSection(self.wishes)
        self.reach = ReachSection()
        self._chat: ChatState | None = None
        self._build()
        self._connect()

    def _build(self) -> None:
        fill(columns(self.model_section.down, spacing=S2), self.model, STRETCH)
        self.model_section.down.addWidget(self.parameters)
        self.model_section.say(self.tr("for new chats"))
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
        self.area.setAccessibleName(self.tr("What belongs to the workspace"))
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
                link=self.tr("Sections…") if row.kind in PARTED_KINDS else "",
                removes=True,
                tokens=row.tokens,
            )
            for row in found
        )
        words = token_sum(len(found), self.tr("files"), sum(row.tokens for row in found))
        self.files.say(words or self.tr("none yet"))

    def _how(self, row: AttachmentRow, chat: ChatState) -> str:
        anchor = anchor_of(row, chat.files)
        if anchor:
            return self.tr("part {anchor}").format(anchor=shown(anchor, 60))
        return self.tr("compacted") if row.state == "compacted" else self.tr("whole file")

    def _set(self, wanted: ChangeSettings) -> None:
        if self._chat is not None:
            title = self.tr("Change settings for new chats")
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
