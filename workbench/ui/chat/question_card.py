"""A server's question over the composer: who asks, the form or the page, and Accept, Decline or Cancel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QKeyEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QSizePolicy, QVBoxLayout, QWidget

from workbench.domain.errors import InvalidInput
from workbench.domain.mcp_question import Action, AskedField, McpQuestion, Sampling, check_answer
from workbench.engine.state import WorkbenchState
from workbench.engine.workspace_intents import AnswerServer
from workbench.ui import formatting
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.tools.review import text_box
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import Button, button, on_click
from workbench.ui.widgets.card import Card, Hairline, LeadingIcon
from workbench.ui.widgets.choice import Check, Choice, Field
from workbench.ui.widgets.labels import ElidedLabel, label, set_text
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.widgets.stack import scroll_area, transparent
from workbench.ui.wishes import OpenLink, Wishes

MOST_PX = 300
"""So high a form is at most; a longer one scrolls."""


class QuestionCard(Card):
    """The oldest question that waits; hidden where there is none. What a server asks never takes the focus.

    Enter in a field accepts, unless it seems to be a secret; Esc cancels.
    """

    spoken_role = QAccessible.Role.Grouping

    def __init__(self, wishes: Wishes, parent: QWidget | None = None) -> None:
        super().__init__("info", "surface")
        self.setParent(parent)
        self.wishes = wishes
        self.question = McpQuestion("", "")
        self.form: AnswerForm | None = None
        self.leading = LeadingIcon("server", "accent_text", box=(14, 10, 16, 18))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setProperty("ring_radius", 10)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._column = rows(self, (1, 1, 1, 1), 0)
        self._content = QWidget()
        self._column.addWidget(self._content)
        self.hide()

    def show_state(self, state: WorkbenchState) -> None:
        """Show the oldest question, and how many wait behind it."""
        waiting = state.questions
        self.setVisible(bool(waiting))
        if not waiting:
            self.question = McpQuestion("", "")
            return
        if waiting[0].id != self.question.id:
            place = state.workspaces.get(waiting[0].workspace)
            self._show_question(waiting[0], "" if place is None else place.name)
        more = len(waiting) - 1
        set_text(self.more, tr("1 more waits") if more == 1 else tr("{n} more wait").format(n=more))
        self.more.setVisible(more > 0)

    def focus_question(self) -> None:
        """Give the focus to the first field, or the first button."""
        first = None if self.form is None else self.form.first()
        buttons = (self.open, self.accept)
        (first or next(one for one in buttons if not one.isHidden())).setFocus(
            Qt.FocusReason.OtherFocusReason
        )

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self._answer("cancel")
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            focused = self.focusWidget()
            if isinstance(focused, Button):
                focused.click()
            elif isinstance(focused, QLineEdit) and not self.question.secret:
                self.accept.click()
        else:
            super().keyPressEvent(event)

    def _show_question(self, question: McpQuestion, workspace: str) -> None:
        self.question = question
        self._content.hide()
        self._content.deleteLater()
        self._content, self.form = QWidget(), None
        self._column.addWidget(self._content)
        down = rows(self._content, (40, 8, 12, 10), 6)
        server = shown(question.server, 40)
        title = tr("Sign in to {server}") if question.sign_in else tr("{server} asks you")
        title = title if question.sampling is None else tr("{server} asks your model")
        self.title = ElidedLabel(title.format(server=server), "ui_heading")
        self.place = ElidedLabel(shown(workspace, 40), "small", "t2")
        self.more = label("", "small", "t2")
        fill(columns(down, spacing=8), self.title, (self.place, 1), self.more)
        lines = (shown(line, 2000) for line in question.message.splitlines())
        self.message = label("\n".join(lines), "ui", "t1", wrap=True)
        fill(down, self.message)
        if question.sampling is not None:
            self._show_sampling(down, question.sampling)
        else:
            self._show_page(down) if question.url else self._show_form(down)
        self.problem = label("", "small", "err", wrap=True)
        self.problem.hide()
        fill(down, self.problem, Hairline())
        self._show_buttons(down)
        self._content.show()  # at once, so that it can be given the focus
        if question.sign_in and self.window().isActiveWindow():
            self.open.setFocus(Qt.FocusReason.OtherFocusReason)  # the person has just asked for it
        words = f"{self.title.text()}. {self.message.text()}"
        self.setAccessibleName(words)
        self.setAccessibleDescription(self.warning.text())
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, words))

    def _show_form(self, down: QVBoxLayout) -> None:
        self.warning = label("", "small", "warn", wrap=True)
        if self.question.secret:
            self.warning.setText(
                tr(
                    "This seems to ask for a password or a key. A server shouldn’t ask for one in a form: it gets what "
                    "you type. Nothing is sent unless you press Send it anyway."
                )
            )
            fill(down, self.warning)
        if self.question.fields:
            self.form = AnswerForm(self.question)
            area = scroll_area(self.form, tr("The form"))
            area.setFrameShape(QFrame.Shape.NoFrame)
            area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
            self.form.ensurePolished()
            area.setFixedHeight(min(MOST_PX, self.form.sizeHint().height()))
            fill(down, area)

    def _show_sampling(self, down: QVBoxLayout, wanted: Sampling) -> None:
        """What would be sent, whole, to whom, and what it may cost."""
        words = tr("{model} gets this text: {tokens} tokens, and at most {answer} for its answer. {cost}")
        cost = (
            tr("No price is known.") if wanted.usd is None
            else tr("It costs nothing.") if wanted.usd == 0
            else tr("It costs at most {usd}.").format(usd=formatting.usd(wanted.usd))
        )  # fmt: skip
        about = words.format(
            model=shown(wanted.model, 60),
            tokens=formatting.tokens(wanted.tokens),
            answer=formatting.tokens(wanted.answer_tokens),
            cost=cost,
        )
        set_text(self.message, about)
        self.address = text_box(wanted.text, tr("The whole text"))
        words = tr("The model’s answer goes to {server}. Nothing of your chat is sent.")
        self.warning = label(words.format(server=shown(self.question.server, 40)), "small", "t2", wrap=True)
        fill(down, self.address, self.warning)

    def _show_page(self, down: QVBoxLayout) -> None:
        host = shown(self.question.host, 120)
        self.address = text_box(self.question.url, tr("The whole address"))
        words = tr("What you enter there goes to {host}, not to this program.")
        self.warning = label(words.format(host=host), "small", "t2", wrap=True)
        fill(down, self.address, self.warning)

    def _show_buttons(self, down: QVBoxLayout) -> None:
        page, secret = bool(self.question.url), self.question.secret
        sampling = self.question.sampling is not None
        host = shown(self.question.host, 30)
        self.open = on_click(
            button(tr("Open {host} in the browser").format(host=host), "primary"), self._open
        )
        words = tr("Done there") if page else tr("Send it anyway") if secret else tr("Accept")
        words = tr("Send") if sampling else words
        self.accept = on_click(
            button(words, "ghost" if secret else "primary"), lambda: self._answer("accept")
        )
        no = button(tr("Refuse"), "secondary", "", "Esc") if sampling else button(tr("Decline"))
        self.decline = on_click(no, lambda: self._answer("decline"))
        self.cancel = on_click(button(tr("Cancel"), "ghost", "", "Esc"), lambda: self._answer("cancel"))
        self.decline.setToolTip(tip(tr("Tell the server that you don’t want to answer.")))
        self.cancel.setToolTip(tip(tr("Close the question without an answer (Esc).")))
        self.open.setVisible(page)
        self.accept.setVisible(not page)
        self.decline.setVisible(not self.question.sign_in)
        self.cancel.setVisible(not sampling)
        across = (self.decline, self.accept) if secret else (self.open, self.accept, self.decline)
        fill(columns(down, (0, 2, 0, 0), 8), *across, self.cancel, STRETCH)

    def _open(self) -> None:
        self.wishes.run(OpenLink(self.question.url))
        self.open.setText(tr("Open it again"))
        self.accept.setVisible(not self.question.sign_in)
        if self.question.sign_in:
            set_text(self.warning, tr("Waiting for the browser. This goes on when you have signed in there."))

    def _answer(self, action: Action) -> None:
        values = self.form.values() if self.form is not None and action == "accept" else {}
        if action == "accept" and not self.question.url:
            try:
                check_answer(self.question, values)
            except InvalidInput as problem:
                self._say(problem)
                return
        self.wishes.send(AnswerServer(self.question.id, action, values))

    def _say(self, problem: InvalidInput) -> None:
        title = next((one.title for one in self.question.fields if one.name == problem.path), problem.path)
        set_text(self.problem, tr("{title}: {why}.").format(title=shown(title, 60), why=problem.reason))
        self.problem.show()
        if self.form is not None:
            self.form.focus_field(problem.path)


class AnswerForm(QWidget):
    """The fields of a form, after its schema."""

    def __init__(self, question: McpQuestion) -> None:
        super().__init__()
        self.setObjectName("transparent")
        self._reads: dict[str, Callable[[], Any]] = {}
        self.fields: dict[str, QWidget] = {}
        down = rows(self, (0, 2, 8, 2), 8)
        for asked in question.fields:
            made = self._made(asked)
            name = shown(asked.title, 120) if asked.required else _optional(asked)
            made.setAccessibleName(name)
            made.setAccessibleDescription(asked.about)
            self.fields[asked.name] = made
            place = rows(down, spacing=2)
            if asked.kind != "boolean":
                place.addWidget(label(name, "ui_label", wrap=True))
            place.addWidget(made)
            if asked.about:
                place.addWidget(label(shown(asked.about, 400), "small", "t2", wrap=True))

    def first(self) -> QWidget | None:
        """The first field."""
        return next(iter(self.fields.values()), None)

    def focus_field(self, name: str) -> None:
        """Give the focus to the field of that name."""
        if name in self.fields:
            self.fields[name].setFocus(Qt.FocusReason.OtherFocusReason)

    def values(self) -> dict[str, Any]:
        """What is filled in; what is empty is left out."""
        found = {name: read() for name, read in self._reads.items()}
        return {name: value for name, value in found.items() if value is not None}

    def _made(self, asked: AskedField) -> QWidget:
        match asked.kind:
            case "boolean":
                check = Check(shown(asked.title, 120), asked.default is True)
                self._reads[asked.name] = check.isChecked
                return check
            case "one":
                empty = () if asked.required and asked.default is not None else (("", tr("Choose…")),)
                choice = Choice((*empty, *((value, shown(words, 120)) for value, words in asked.choices)))
                choice.choose(str(asked.default or ""))
                self._reads[asked.name] = lambda: choice.chosen() or None
                return choice
            case "several":
                return self._several(asked)
            case _:
                field = Field(_placeholder(asked))
                field.setEchoMode(QLineEdit.EchoMode.Password if asked.secret else QLineEdit.EchoMode.Normal)
                field.setText("" if asked.default is None else f"{asked.default}")
                self._reads[asked.name] = lambda: _typed(asked, field.text())
                return field

    def _several(self, asked: AskedField) -> QWidget:
        holder = transparent()
        down = rows(holder, spacing=2)
        ticked = asked.default if isinstance(asked.default, list) else []
        checks = [(value, Check(shown(words, 120), value in ticked)) for value, words in asked.choices]
        fill(down, *(check for _, check in checks))
        holder.setFocusProxy(checks[0][1])
        self._reads[asked.name] = lambda: [value for value, check in checks if check.isChecked()]
        return holder


def _typed(asked: AskedField, text: str) -> Any:
    """What was typed, as a number where one is asked for; a text that is none is found by the check."""
    if asked.kind == "text":
        return text
    plain = text.strip()
    if not plain:
        return None
    try:
        return int(plain) if asked.kind == "integer" else float(plain)
    except ValueError:
        return plain


def _optional(asked: AskedField) -> str:
    title = shown(asked.title, 120)
    return title if asked.kind == "boolean" else tr("{title} (optional)").format(title=title)


def _placeholder(asked: AskedField) -> str:
    looks = {"email": "name@example.com", "uri": "https://example.com", "date": "2026-07-28"}
    if asked.least is not None and asked.most is not None and asked.kind != "text":
        return tr("{least} to {most}").format(least=f"{asked.least:g}", most=f"{asked.most:g}")
    return looks.get(asked.format, "")
