"""A tool asks to be allowed: what it would do, shown before it is done, and answers for now and from now on."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.domain.mcp_server import BETWEEN
from workbench.domain.text import harmless
from workbench.engine.state import ToolCard
from workbench.ui.chat.messages.tool_line import diff_lines
from workbench.ui.look.painting import Run
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.look.tones import TONES
from workbench.ui.tools.review import text_box
from workbench.ui.translation import in_language, tr
from workbench.ui.widgets.badge import Badge
from workbench.ui.widgets.buttons import Button, button
from workbench.ui.widgets.card import Card, Hairline, Panel
from workbench.ui.widgets.code_view import DiffLine, DiffText
from workbench.ui.widgets.labels import label
from workbench.ui.widgets.plain import shown

HEAD_PX = 38
MOST_LINES = 40
LONGEST_SUMMARY = 200
SHORT_ARGUMENTS = 200


class ApprovalCard(Card):
    """Nothing happens without a click, or Enter while the card itself or an empty composer has the focus.

    Signals:
        answered: "allow", "allow_always", "allow_in_workspace", "deny" or "never".
    """

    answered = Signal(str)

    spoken_role = QAccessible.Role.Grouping

    def __init__(self, card: ToolCard, in_workspace: bool = False) -> None:
        preview = card.preview
        reads = preview is not None and preview.reads
        super().__init__("neutral" if reads else "warn")
        self.card, self._reads = card, reads
        lines = diff_lines(preview.diff) if preview is not None else ()
        # A server's call says its arguments below: they stand under the sentence, all of them.
        said = preview.summary if preview is not None else ""
        first = in_language(said).partition("\n")[0].removesuffix(", with:")
        # In a sentence a verb is small; in other languages a name may stand first, which stays as it is.
        summary = shown(first[:1].lower() + first[1:] if first in said else first, LONGEST_SUMMARY)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setProperty("ring_radius", 10)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        who, does = self._wish(shown(card.call.name, 40), summary)
        self.setAccessibleName(f"{who} {does}")
        described = (self._outside(), tr("Enter allows it once, Escape refuses it."))
        self.setAccessibleDescription(" ".join(filter(None, described)))
        self.head = WishLine(who, does, self._badge(lines))
        self.allow = self._answer(button(tr("Allow once"), "primary", "", "↵"), "allow")
        self.always = self._answer(button(tr("Allow in this chat")), "allow_always")
        self.deny = self._answer(button(tr("Deny"), "danger", "", "Esc"), "deny")
        self.everywhere = self._answer(
            button(tr("Allow in this workspace"), "link", size="small"), "allow_in_workspace"
        )
        self.everywhere.setVisible(in_workspace)
        self.never = self._answer(button(tr("Never in this chat"), "link", size="small"), "never")
        self.outside = label(self._outside(), "small", "warn", wrap=True)
        self._build(lines)

    def minimumSizeHint(self) -> QSize:
        """The count of lines may go; the answers may not."""
        return QSize(self._needed(), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.count.setVisible(self.width() >= self._needed() + self.count.sizeHint().width() + 16)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter presses the button that has the focus, and Allow once where the card itself has it; Esc denies."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            focused = self.focusWidget()
            if isinstance(focused, Button) and focused.hasFocus():
                focused.click()
            elif self.hasFocus():
                self.allow.click()
        elif event.key() == Qt.Key.Key_Escape:
            self.deny.click()
        else:
            super().keyPressEvent(event)

    def _build(self, diff: tuple[DiffLine, ...]) -> None:
        down = fill(rows(self, (1, 0, 1, 0)), self.head, Hairline())
        if diff:
            fill(down, 4, DiffText(diff, MOST_LINES), 4)
        elif self.card.call.arguments.strip(" {}"):
            rows(down, (12, 8, 12, 8)).addWidget(self._arguments())
        if self.outside.text():
            rows(down, (12, 0, 12, 8)).addWidget(self.outside)
        down.addWidget(Hairline())
        across = fill(columns(down, (12, 10, 12, 4), 8), self.allow, self.always, self.deny)
        added, removed = (sum(line.sign == sign for line in diff) for sign in "+-")
        words = tr("+{a} −{r} lines").format(a=added, r=removed) if diff else ""
        self.count = label(words, "small", "t3")
        fill(across, STRETCH, self.count)
        fill(columns(down, (12, 2, 12, 10), 16), self.everywhere, self.never, STRETCH)

    def _badge(self, diff: tuple[DiffLine, ...]) -> Badge:
        """What it does to what is there; a server's word for that is no more than that."""
        if diff:
            changes = any(line.sign == "-" for line in diff)
            return Badge("warn", "edit", tr("changes a file") if changes else tr("writes a new file"))
        if self._reads:
            told = tr("only reads, it says") if BETWEEN in self.card.call.name else tr("only reads")
            return Badge("neutral", "eye", told)
        return Badge("warn", "tool", tr("may change or delete"))

    def _arguments(self) -> QWidget:
        """What the tool is given; what is long scrolls, so that nothing is allowed unseen."""
        given = self.card.call.arguments
        if len(given) <= SHORT_ARGUMENTS:
            return label(shown(given, SHORT_ARGUMENTS), "code", "t2", wrap=True)
        return text_box(harmless(given), tr("What the tool is given"))

    def _outside(self) -> str:
        """Built-in tools can't leave the folder; a server can, so its call says where it goes."""
        paths = self.card.preview.outside if self.card.preview is not None else ()
        if not paths:
            return ""
        one = tr("Names a path outside the workspace folder: {paths}. A server can reach it.")
        more = tr("Names paths outside the workspace folder: {paths}. A server can reach them.")
        return (one if len(paths) == 1 else more).format(paths=", ".join(shown(path, 120) for path in paths))

    def _wish(self, tool: str, summary: str) -> tuple[str, str]:
        """Who wants what, as one sentence; a tool that will refuse has said so itself, with its name."""
        if summary.startswith(f"{tool} "):
            says = summary.removeprefix(f"{tool} ")
            if says.startswith("will refuse"):
                return tool, says
        return tr("The model"), tr("wants to {do}").format(do=summary)

    def _needed(self) -> int:
        return sum(made.sizeHint().width() + 8 for made in (self.allow, self.always, self.deny)) + 24

    def _answer(self, made: Button, answer: str) -> Button:
        made.clicked.connect(lambda: self.answered.emit(answer))
        return made


class WishLine(Panel):
    """Who wants to do something, and what it is."""

    padding = (12, 0, 12, 0)

    def __init__(self, who: str, does: str, badge: Badge) -> None:
        super().__init__()
        self.badge = badge
        self.runs = (
            Run(icon="tool", token=TONES[badge.tone()].text, size=16, gap=8),
            Run(who, role="ui", weight=600, gap=5),
            Run(does, role="ui"),
        )
        fill(columns(self, (12, 0, 12, 0)), STRETCH, badge)
        self.setFixedHeight(HEAD_PX)

    def update_look(self) -> None:
        self.end_runs = (Run(width=self.badge.width(), gap=8),)
