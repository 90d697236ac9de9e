"""The tools of a chat, or of all new chats of a workspace: which its model is told of, and what they may do unasked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from workbench.domain.tool import ApprovalRule, Decision, ToolDefinition
from workbench.domain.workspace import RuleScope, is_template
from workbench.engine.state import ChatState, WorkbenchState
from workbench.engine.tuning_intents import CountTools
from workbench.ui.given import Toolroom
from workbench.ui.look.fonts import font, metrics
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import (
    BADGE_HEIGHT,
    after,
    badge_width,
    fill_rounded,
    paint_badge,
    paint_elided,
    paint_text,
    placed,
    set_text_style,
)
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.look.tones import Tone
from workbench.ui.offers import Offer, Offering
from workbench.ui.tools.groups import ToolGroups
from workbench.ui.tools.values import GroupValue, definitions, tool_groups, tools_after, workspace_of
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.card import Card
from workbench.ui.widgets.choice import Field
from workbench.ui.widgets.floating import Sheet
from workbench.ui.widgets.items.views import Index, ItemOption, RowDelegate
from workbench.ui.widgets.labels import ElidedLabel, label, set_text
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.widgets.segmented import Segmented
from workbench.ui.widgets.stack import scroll_area, transparent
from workbench.ui.widgets.tabs import Tabs
from workbench.ui.wishes import Wishes

# What tools may do unasked: rules in the order in which they are tried, to be added, changed, moved and removed.


ROW_HEIGHT, LONGEST_PATTERN = 31, 200
_RULE = Qt.ItemDataRole.UserRole


class RulesList(QListWidget):
    """Rules under each other; Alt+↑↓ or a drag moves one, Enter edits, Delete removes.

    Signals:
        changed: the rules as they are wanted, and what was done, in a few words.
        edit_wished: the place of the rule that is to be edited.
    """

    changed = Signal(object, str)
    edit_wished = Signal(int)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setItemDelegate(_RuleDelegate(self))
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.setDefaultDropAction(Qt.DropAction.MoveAction)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.model().rowsMoved.connect(lambda: self.changed.emit(self.rules(), tr("Move a rule")))
        self.itemDoubleClicked.connect(lambda item: self.edit_wished.emit(self.row(item)))
        self._fit()

    def rules(self) -> tuple[ApprovalRule, ...]:
        return tuple(self.item(place).data(_RULE) for place in range(self.count()))

    def show_rules(self, rules: Sequence[ApprovalRule]) -> None:
        if tuple(rules) == self.rules():
            return
        place = self.currentRow()
        self.clear()
        for rule in rules:
            item = QListWidgetItem()
            item.setData(_RULE, rule)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, rule_words(rule))
            self.addItem(item)
        self.setCurrentRow(min(max(0, place), self.count() - 1))
        self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        place, key = self.currentRow(), event.key()
        with_alt = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
        if with_alt and key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.move_rule(place, -1 if key == Qt.Key.Key_Up else 1)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F2) and place >= 0:
            self.edit_wished.emit(place)
        elif key == Qt.Key.Key_Delete and place >= 0:
            self.remove_rule(place)
        else:
            super().keyPressEvent(event)

    def move_rule(self, place: int, by: int) -> None:
        to, found = place + by, list(self.rules())
        if 0 <= place < len(found) and 0 <= to < len(found):
            found.insert(to, found.pop(place))
            self.show_rules(found)
            self.setCurrentRow(to)
            self.changed.emit(tuple(found), tr("Move a rule"))

    def remove_rule(self, place: int) -> None:
        found = list(self.rules())
        if 0 <= place < len(found):
            del found[place]
            self.show_rules(found)
            self.changed.emit(tuple(found), tr("Remove a rule"))

    def put_rule(self, place: int, rule: ApprovalRule) -> None:
        """Another rule in a place; behind the others where there is none there."""
        found = list(self.rules())
        known = 0 <= place < len(found)
        found[place : place + 1] = [rule] if known else []
        found += [] if known else [rule]
        self.show_rules(found)
        self.setCurrentRow(place if known else len(found) - 1)
        self.changed.emit(tuple(found), tr("Change a rule") if known else tr("Add a rule"))

    def _fit(self) -> None:
        self.setFixedHeight(self.count() * ROW_HEIGHT + 4)


class _RuleDelegate(RowDelegate):
    """A rule in a line: a grip, its number, the tools, where, and what is decided."""

    height = ROW_HEIGHT

    def paint_row(self, painter: QPainter, row: ItemOption, index: Index) -> None:
        rule, box, view = index.data(_RULE), row.box, self.view()
        if not isinstance(rule, ApprovalRule):
            return
        theme = theme_of(view)
        if view.selectionModel().isSelected(index) and view.hasFocus():
            fill_rounded(painter, box.adjusted(2, 1, -2, -1), theme.hover, 6)
        tone, icon, word = decision_badge(rule.decision)
        width = badge_width(icon, word)
        paint_icon(painter, placed(box, 8, 16), "grip", "t3", 14)
        set_text_style(painter, font("small"), colour("t3", theme))
        painter.drawText(placed(box, 28, 20), int(Qt.AlignmentFlag.AlignCenter), str(index.row() + 1))
        badge = placed(box, box.width() - width - 10, width)
        badge.adjust(0, (box.height() - BADGE_HEIGHT) / 2, 0, (BADGE_HEIGHT - box.height()) / 2)
        paint_badge(painter, badge, tone, icon, word)
        tools = shown(", ".join(rule.tools), LONGEST_PATTERN)
        room = after(box, 56, width + 20)
        set_text_style(painter, font("code"), colour("t1", theme))
        wide = min(metrics("code").horizontalAdvance(tools) + 2, room.width() * (0.6 if rule.path else 1))
        paint_elided(painter, placed(room, 0, wide), tools)
        paint_text(painter, after(room, wide + 10, 0), _where(rule), "small", "t3")


class RuleDialog(Sheet):
    """One rule: which tools, where, and what is decided.

    Signals:
        made: the rule.
    """

    made = Signal(object)

    def __init__(self, rule: ApprovalRule | None = None, parent: QWidget | None = None) -> None:
        super().__init__(tr("A rule for tools"), 540, parent=parent)
        self.tools, self.path = Field(tr("read, ls, github__*")), Field(tr("docs/**  (empty: wherever)"))
        self.decision = Segmented((("allow", tr("Allow")), ("ask", tr("Ask me")), ("never", tr("Never"))))
        self.tools.setAccessibleName(tr("Tools"))
        self.path.setAccessibleName(tr("Where"))
        lines = (
            (tr("Tools"), self.tools, tr("Names separated by commas; * matches any letters.")),
            (
                tr("Where"),
                self.path,
                tr("Paths of a call, relative to the folder; ** matches any folders."),
            ),
        )
        for words, field, line in lines:
            place = rows(self.body, spacing=3)
            fill(place, label(words, "ui_label"), field, label(line, "small", "t3", wrap=True))
        fill(columns(self.body, spacing=8), self.decision, STRETCH)
        self.problem = label("", "small", "err", wrap=True)
        fill(self.body, self.problem, STRETCH)
        cancel, self.keep = button(tr("Cancel")), button(tr("Keep the rule"), "primary")
        cancel.clicked.connect(self.reject)
        self.keep.clicked.connect(self._take)
        self.keep.setDefault(True)
        fill(self.foot, STRETCH, cancel, self.keep)
        known = rule or ApprovalRule((), decision="ask")
        self.tools.setText(", ".join(known.tools))
        self.path.setText(known.path)
        self.decision.set_current(known.decision)

    def _take(self) -> None:
        names = tuple(dict.fromkeys(filter(None, (one.strip() for one in self.tools.text().split(",")))))
        if not names:
            set_text(
                self.problem, tr("A rule needs the name of a tool, or * for all. Nothing was saved yet.")
            )
            self.tools.setFocus()
            return
        decided: dict[str, Decision] = {"allow": "allow", "ask": "ask", "never": "never"}
        self.made.emit(ApprovalRule(names, self.path.text().strip(), decided[self.decision.current()]))
        self.accept()


def decision_badge(decision: Decision) -> tuple[Tone, str, str]:
    """What a decision looks like: tint, icon and word."""
    looks: dict[Decision, tuple[Tone, str, str]] = {
        "allow": ("ok", "check", tr("allow")),
        "ask": ("warn", "shield", tr("ask")),
        "never": ("err", "x", tr("never")),
    }
    return looks[decision]


def rule_words(rule: ApprovalRule) -> str:
    """A rule as it is spoken."""
    parts = (decision_badge(rule.decision)[2], shown(", ".join(rule.tools), LONGEST_PATTERN), _where(rule))
    return " ".join(filter(None, parts))


def _where(rule: ApprovalRule) -> str:
    return tr("in {path}").format(path=shown(rule.path, LONGEST_PATTERN)) if rule.path else ""


WIDTH, HEIGHT = 760, 640
Tools = tuple[ToolDefinition, ...]
Press = Callable[[], object]


class ToolsDialog(Sheet):
    """Two pages: the tools, and the rules for them.

    Signals:
        chosen: the tools the chat has from now on.
        acted: "start", "stop", "restart", "edit", "remove", "allow", "look", "add" or "import", and a server.
        ruled: the rules that are wanted, for whom they hold, and what was done in a few words.
        folder_wished: another folder is to be chosen. given_wished: what servers give besides is to be seen.

    Attributes:
        offer: says what a choice of tools would do, so that its price can be shown.
    """

    chosen = Signal(object)
    acted = Signal(str, str)
    ruled = Signal(object, str, str)
    folder_wished = Signal()
    given_wished = Signal()

    def __init__(self, wishes: Wishes | None = None, parent: QWidget | None = None) -> None:
        super().__init__(tr("Tools for this chat"), WIDTH, HEIGHT, parent)
        self.wishes = wishes or Wishes(self)
        self.offer: Callable[[Tools], Offer | None] = lambda tools: None
        self._values: tuple[GroupValue, ...] = ()
        self._held: Tools = ()
        self._counted: tuple[object, ...] = ()
        self.sum = label("", "small", "t3")
        self.head.insertWidget(1, self.sum)
        self.tabs = Tabs((tr("Tools"), tr("Approval rules")))
        self.tabs.setAccessibleName(tr("Pages"))
        self.pages = QStackedWidget()
        self.tabs.currentChanged.connect(self.pages.setCurrentIndex)
        self.body.setSpacing(8)
        fill(self.body, self.tabs, (self.pages, 1))
        self.groups = ToolGroups()
        self.groups.switched.connect(self._switch)
        self.groups.acted.connect(self.acted)
        self.groups.arranged.connect(self._offer_prices)
        self._build_tools()
        self.lists: dict[RuleScope, RulesList] = {}
        self._headings: dict[RuleScope, QWidget] = {}
        self._cards: dict[RuleScope, Card] = {}
        self._build_rules()
        self._build_foot()

    def show_page(self, page: str) -> None:
        self.tabs.setCurrentIndex(1 if page == "rules" else 0)

    def show_state(self, state: WorkbenchState, chat: ChatState, room: Toolroom) -> None:
        place = workspace_of(state, chat.chat)
        name = "" if place is None else shown(place.name, 60)
        template = is_template(chat.chat.id)
        self.set_title(
            tr("Tools for new chats in {name}").format(name=name) if template else tr("Tools for this chat")
        )
        self._held = chat.chat.settings.tools
        self._values = tool_groups(state, chat, room.tools)
        self.groups.show_groups(self._values)
        set_text(self.sum, self.groups.words())
        self._count(chat)
        note = _why_not(state, chat.chat.settings.model)
        set_text(self.note, note or ("" if place is not None else _no_servers()))
        self.note.setVisible(bool(self.note.text()))
        for part in (self.add, self.read, self.more):
            part.setVisible(place is not None)
        folder = (place.folder if place is not None else "") or room.folder
        self.folder.setText(tr("Built-in tools stay inside {folder}").format(folder=shown(folder, 200)))
        self.folder.setToolTip(tip(folder))
        self.change.setVisible(place is None)
        self._show_rules(state, chat, name)

    def say(self, words: str, undo: bool = False) -> None:
        """Say something in the dialog, which lies over where the window says it."""
        set_text(self.said, shown(words, 400))
        self.said.setVisible(bool(words))
        self.undo.setVisible(undo)

    def _count(self, chat: ChatState) -> None:
        wanted = definitions(self._values)
        asked = (chat.chat.id, chat.chat.settings.model, wanted)
        if wanted and asked != self._counted and chat.view is not None:
            self._counted = asked
            self.wishes.send(CountTools(chat.chat.id, wanted))

    def _build_tools(self) -> None:
        content = transparent()
        column = rows(content, (0, 0, 8, 0), 8)
        self.note = label("", "small", "warn", wrap=True)
        fill(column, self.note, self.groups)
        actions = columns(column, spacing=16)
        self.add = self._link(actions, tr("Add an MCP server…"), "plus", lambda: self.acted.emit("add", ""))
        self.read = self._link(
            actions, tr("Import mcp.json…"), "download", lambda: self.acted.emit("import", "")
        )
        self.more = self._link(actions, tr("From a server…"), "server", self.given_wished.emit)
        actions.addStretch(1)
        column.addStretch(1)
        self.pages.addWidget(scroll_area(content, tr("Tools")))

    def _build_rules(self) -> None:
        content = transparent()
        column = rows(content, (0, 0, 8, 0), 8)
        words = tr(
            "The first matching rule applies, from top to bottom. If none matches, reading is allowed "
            "and changes need your approval."
        )
        column.addWidget(label(words, "small", "t3", wrap=True))
        names: tuple[tuple[RuleScope, str], ...] = (
            ("chat", tr("In this chat")),
            ("workspace", tr("In this workspace")),
            ("everywhere", tr("In all chats")),
        )
        for place, title in names:
            self._add_rules(column, place, title)
        column.addStretch(1)
        self.pages.addWidget(scroll_area(content, tr("Approval rules")))

    def _add_rules(self, column: QVBoxLayout, place: RuleScope, title: str) -> None:
        holder = self._headings[place] = QWidget()
        holder.setObjectName("transparent")
        down = rows(holder, spacing=4)
        head = fill(columns(down, spacing=8), label(title, "ui_heading"), STRETCH)
        made = self.lists[place] = RulesList(title)
        made.changed.connect(lambda rules, what: self._rule(rules, place, what))
        made.edit_wished.connect(partial(self.edit_rule, place))
        add = self._link(head, tr("Add a rule"), "plus", lambda: self.edit_rule(place, -1))
        add.setAccessibleName(f"{tr('Add a rule')}: {title}")
        card = self._cards[place] = Card()
        card.add_row(made)
        down.addWidget(card)
        column.addWidget(holder)

    def _rule(self, rules: tuple[ApprovalRule, ...], place: RuleScope, what: str) -> None:
        self._cards[place].setVisible(bool(rules))
        self.ruled.emit(rules, place, what)

    def edit_rule(self, place: RuleScope, at: int) -> None:
        """Let a rule be changed; a new one where there is none at that place."""
        known = self.lists[place].rules()
        dialog = RuleDialog(known[at] if 0 <= at < len(known) else None, self)
        dialog.made.connect(lambda rule: self.lists[place].put_rule(at, rule))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def _show_rules(self, state: WorkbenchState, chat: ChatState, name: str) -> None:
        place = workspace_of(state, chat.chat)
        self.lists["chat"].show_rules(chat.chat.filed.rules)
        self.lists["workspace"].show_rules(() if place is None else place.rules)
        self.lists["everywhere"].show_rules(state.everywhere.rules)
        for one, made in self.lists.items():
            self._cards[one].setVisible(made.count() > 0)
        self._headings["chat"].setVisible(not is_template(chat.chat.id))
        self._headings["workspace"].setVisible(place is not None)
        self._headings["workspace"].setToolTip(name)
        self.tabs.set_count(1, sum(len(made.rules()) for made in self.lists.values()))

    def _build_foot(self) -> None:
        said = columns(self.body, spacing=8)
        self.said = label("", "small", "t2", wrap=True)
        self.undo = on_click(button(tr("Undo"), "link", size="small"), self._take_back)
        self.undo.hide()
        self.said.hide()
        fill(said, (self.said, 1), self.undo)
        self.folder = ElidedLabel("", "small", "t2")
        self.change = on_click(button(tr("Change…"), size="small"), self.folder_wished)
        self.change.setAccessibleName(tr("Change the folder that tools work in"))
        done = on_click(button(tr("Done"), "primary"), self.accept)
        fill(self.foot, (self.folder, 1), self.change, done)

    def _take_back(self) -> None:
        self.wishes.run("undo")
        self.say("")

    def _link(self, place: QHBoxLayout, words: str, icon: str, press: Press) -> QWidget:
        made = on_click(button(words, "link", icon=icon, size="small"), lambda _on: press())
        place.addWidget(made)
        return made

    def _switch(self, names: Sequence[str], on: bool) -> None:
        self.chosen.emit(tools_after(self._values, self._held, names, on))

    def _offer_prices(self) -> None:
        for group in self._values:
            head = self.groups.heads[group.key]
            names = tuple(tool.name for tool in group.usable)
            Offering(head.switch, partial(self._turned, names, not group.on), self.wishes.offer)
        for name, row in self.groups.tools.items():
            Offering(row.switch, partial(self._turned, (name,), not row.value.on), self.wishes.offer)

    def _turned(self, names: Sequence[str], on: bool) -> Offer | None:
        return self.offer(tools_after(self._values, self._held, names, on)) if names else None


def _no_servers() -> str:
    return tr("MCP servers belong to a workspace. Move this chat to one to add them.")


def _why_not(state: WorkbenchState, model: str) -> str:
    """What keeps tools from being sent; empty where nothing does."""
    cards = [one.card for one in state.models or () if one.name == model and one.card is not None]
    if cards and not cards[0].tools:
        return tr(
            "This model doesn’t support tools, so none are sent. Choose another model, or change that there."
        )
    return ""
