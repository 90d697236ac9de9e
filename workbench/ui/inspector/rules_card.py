"""The card of a watched program's rules: what each saved in the request in view, and switches to change them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QKeyEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.domain.errors import InvalidInput
from workbench.domain.shown.envelope_view import EnvelopeView, SegmentRow
from workbench.domain.watch.exchange import program_name
from workbench.domain.watch.rules import (
    NO_CHANGE,
    NO_GAIN,
    WAITING,
    Rule,
    RuleName,
    RuleOutcome,
    merged,
    parse_rule,
    without,
)
from workbench.domain.workspace import Workspace, rules_of, with_rules
from workbench.engine.state import ChatState, WorkbenchState
from workbench.engine.workspace_intents import ReviseWorkspace
from workbench.ui import formatting
from workbench.ui.inspector.rows.row_acts import Act
from workbench.ui.look.space import columns, fill, rows
from workbench.ui.look.tones import Tone
from workbench.ui.translation import N_, tr
from workbench.ui.widgets.badge import Badge
from workbench.ui.widgets.buttons import button, on_click, tool_button
from workbench.ui.widgets.card import Card, Hairline
from workbench.ui.widgets.choice import Field, Switch
from workbench.ui.widgets.guided import lead_to, tell_figure
from workbench.ui.widgets.labels import ElidedLabel, FigureLabel, label, set_text
from workbench.ui.widgets.menu import add_action, menu, popup_below
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.wishes import Wishes

ROW_HEIGHT = 38
NAME_PX, PRICE_PX, BADGE_PX = 116, 60, 96
_ABOUT: dict[RuleName, str] = {
    "tools.without": N_("called tools stay"),
    "text.freeze": N_("as first seen"),
    "results.shorten": N_("at a rebuild"),
    "secrets.redact": N_("keys, put back in calls"),
    "block.drop": N_("left out"),
    "cache.mark": N_("where they will hit"),
}
_SIMPLE: tuple[tuple[RuleName, str], ...] = (
    ("secrets.redact", N_("Hide keys and passwords")),
    ("results.shorten", N_("Shorten old results")),
    ("cache.mark", N_("Set cache marks")),
)


def rule_for(row: SegmentRow, act: Act) -> Rule | None:
    """The rule that an act on a row of a watched request makes; None where there is none."""
    path = row.key.id.removesuffix(".text").removesuffix("'")
    if act == "leave_out" and row.kind == "tools":
        unused = unused_tools(row)
        return Rule("tools.without", unused) if unused else None
    if act == "leave_out" and row.kind in ("system", "reminder"):
        return Rule("block.drop", (path,))
    if act == "pin" and row.kind in ("system", "reminder"):
        return Rule("text.freeze", (path,))
    return Rule("results.shorten") if act == "whole" and row.kind == "result" else None


def unused_tools(row: SegmentRow) -> tuple[str, ...]:
    """The tools of a row that were never called in its conversation."""
    texts = (part.text for part in row.parts if part.source == "unused")
    return tuple(name for text in texts for name in text.split(", ") if name)


def rule_words(rule: Rule) -> str:
    """What a rule is asked to do to a row, for its menu."""
    words: dict[RuleName, str] = {
        "tools.without": tr("Leave out tools never called"),
        "text.freeze": tr("Send as first seen"),
        "results.shorten": tr("Shorten old results"),
        "block.drop": tr("Leave out of every request"),
    }
    return words[rule.name]


class RulesCard(QWidget):
    """The rules of the program whose request is in view."""

    spoken_role = QAccessible.Role.List

    def __init__(self, wishes: Wishes, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._wishes = wishes
        self._everywhere = Workspace("")
        self._program = ""
        self._view: EnvelopeView | None = None
        self._shown: object = None
        self.rules: tuple[Rule, ...] = ()
        self.rows: list[RuleRow] = []
        self.card = Card()
        self.title = label(tr("Rules"), "ui_heading")
        self.note = ElidedLabel("", "small", "t3")
        self.add = on_click(button(tr("Add rule…"), "link", icon="plus", size="small"), self._offer)
        self.field = RuleField()
        self.field.written.connect(self._write)
        self.field.setAccessibleName(tr("A rule, as on the command line"))
        self.problem = label("", "small", "err", wrap=True)
        self.foot = label("", "small", "t2", wrap=True)
        self.saved = FigureLabel("", "ui", weight=600)
        self.price = FigureLabel("", "small", "ok")
        inside = self._inside = rows(self.card, (1, 1, 1, 1))
        fill(columns(inside, (12, 6, 8, 6), 8), self.title, (self.note, 1), self.add)
        self._lines = rows(inside)
        fill(rows(inside, (12, 0, 12, 0), 2), self.field, self.problem)
        self._sum = QWidget()
        self.price.setFixedWidth(PRICE_PX)
        down = rows(self._sum)
        down.addWidget(Hairline())
        across = columns(down, (12, 6, 8, 8), 8)
        fill(across, (self.foot, 1), self.saved, self.price, BADGE_PX + 24 + 16)
        inside.addWidget(self._sum)
        fill(rows(self, (14, 8, 14, 10), 0), self.card)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("Rules"))
        tell_figure(
            self.saved, tr("What the rules took out of this request, counted like the rest."), "rules"
        )
        lead_to(self, "rules")
        for one in (self.field, self.problem, self):
            one.hide()

    def show_state(self, state: WorkbenchState, chat: ChatState | None) -> None:
        """Show the rules of the program that wrote this chat, and what became of them in the request in view."""
        mark = None if chat is None else chat.chat.filed.watched
        view = None if chat is None else chat.shown
        self.setVisible(mark is not None and bool(mark.client) and view is not None)
        if mark is None or view is None:
            return
        self._everywhere, self._program, self._view = state.everywhere, program_name(mark.client), view
        found = rules_of(state.everywhere, self._program).rules
        if (found, view.rules, view.came) != self._shown:
            self._shown, self.rules = (found, view.rules, view.came), found
            self._fill(view)

    def toggle(self, rule: Rule) -> None:
        """Add a rule made from a row; one that is there already leaves."""
        there = next((one for one in self.rules if one.name == rule.name), None)
        gone = there is not None and there.on and set(rule.values) <= set(there.values)
        self._keep(without(self.rules, rule) if gone else merged(self.rules, rule))

    def write(self) -> None:
        """Show where a rule is written."""
        self.field.show()
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        inside = self.layout()
        high = inside.totalHeightForWidth(max(400, self.width())) if inside.hasHeightForWidth() else 0
        return QSize(400, max(high, inside.totalSizeHint().height()))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.sizeHint().height())

    def _keep(self, rules: Sequence[Rule]) -> None:
        mine = replace(rules_of(self._everywhere, self._program), rules=tuple(rules))
        self._wishes.send(ReviseWorkspace(self._everywhere, with_rules(self._everywhere, mine)))

    def _write(self, text: str) -> None:
        try:
            rule = parse_rule(text) if text else None
        except InvalidInput as problem:
            set_text(self.problem, shown(problem.reason, 200))
            self.problem.show()
            self.updateGeometry()
            return
        if rule is not None:
            self._keep(merged(self.rules, rule))
        self.problem.hide()
        self.field.clear()
        self.field.hide()
        self.updateGeometry()

    def _add(self, rule: Rule) -> None:
        self._keep(merged(self.rules, rule))

    def _offer(self) -> None:
        made = menu(self)
        layers = self._view.layers if self._view is not None else ()
        tools = next((row for layer in layers for row in layer.rows if row.kind == "tools"), None)
        rule = None if tools is None else rule_for(tools, "leave_out")
        if rule is not None:
            add_action(made, rule_words(rule), partial(self._add, rule))
        for name, words in _SIMPLE:
            if all(one.name != name for one in self.rules):
                add_action(made, tr(words), partial(self._add, Rule(name)))
        add_action(made, tr("Write one…"), self.write)
        popup_below(made, self.add)

    def _fill(self, view: EnvelopeView) -> None:
        for old in self.rows:
            self._lines.removeWidget(old)
            old.hide()
            old.deleteLater()
        outcomes = {one.name: one for one in view.rules}
        self.rows = [RuleRow(one, outcomes.get(one.name)) for one in self.rules]
        for row in self.rows:
            row.switched.connect(self._switch)
            row.removed.connect(lambda rule: self._keep(without(self.rules, Rule(rule.name))))
        fill(self._lines, *self.rows)
        on = sum(one.on for one in self.rules)
        words = (
            tr("{on} of {all} on, for {program} only")
            if self.rules
            else tr("No rules. Requests pass unchanged.")
        )
        set_text(self.note, words.format(on=on, all=len(self.rules), program=self._program))
        saved = sum(one.tokens_saved for one in view.rules)
        prices = [one.usd for one in view.rules if one.usd is not None]
        self._sum.setVisible(bool(self.rules))
        told = tr("Answers are untouched. The vendor can see that a request was changed.")
        if view.came is not None:
            both = formatting.tokens(view.came.total_tokens), formatting.tokens(view.total_tokens)
            told = (
                f"{tr('{came} tokens came in, {sent} were sent.').format(came=both[0], sent=both[1])} {told}"
            )
        set_text(self.foot, told)
        self.saved.set_figure(_signed(saved))
        self.price.set_figure(formatting.usd(sum(prices)) if prices else "")
        self.updateGeometry()

    def _switch(self, rule: Rule, on: bool) -> None:
        self._keep([replace(one, on=on, why="") if one is rule else one for one in self.rules])


class RuleField(Field):
    """Where a rule is written as on the command line.

    Signals:
        written: Enter was pressed; empty: Esc was.
    """

    written = Signal(str)

    def __init__(self) -> None:
        super().__init__("tools.without=CronCreate,CronDelete")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.written.emit(self.text().strip())
        elif event.key() == Qt.Key.Key_Escape:
            self.written.emit("")
        else:
            super().keyPressEvent(event)


class RuleRow(QWidget):
    """One rule.

    Signals:
        switched: on or off. removed: it is wanted no longer.
    """

    spoken_role = QAccessible.Role.ListItem
    switched = Signal(object, bool)
    removed = Signal(object)

    def __init__(self, rule: Rule, outcome: RuleOutcome | None) -> None:
        super().__init__()
        self.rule = rule
        self.on = Switch(rule.text, rule.on)
        self.on.clicked.connect(lambda checked: self.switched.emit(rule, bool(checked)))
        self.name = label(rule.name, "code", "t1" if rule.on else "t3")
        self.name.setFixedWidth(NAME_PX)
        about = outcome.note if outcome is not None and outcome.note else ", ".join(rule.values)
        self.note = ElidedLabel(
            " · ".join(filter(None, (shown(about, 200), tr(_ABOUT[rule.name])))), "small", "t2"
        )
        self.note.setToolTip(tip(shown(rule.text, 400)))
        saved = 0 if outcome is None else outcome.tokens_saved
        self.tokens = FigureLabel(_signed(saved), "ui", weight=600)
        usd = None if outcome is None else outcome.usd
        self.price = FigureLabel(formatting.usd(usd) if usd and saved > 0 else "", "small", "ok")
        self.price.setFixedWidth(PRICE_PX)
        self.badge = Badge(*badge_of(rule, outcome))
        self.badge.setFixedWidth(BADGE_PX)
        why = (outcome.why if outcome is not None else "") or rule.why
        self.badge.setToolTip(tip(why))
        self.remove = on_click(
            tool_button("x", tr("Remove {rule}").format(rule=rule.name), side=24), self._remove
        )
        self.setFixedHeight(ROW_HEIGHT)
        down = rows(self)
        down.addWidget(Hairline())
        across = columns(down, (12, 0, 8, 0), 8)
        fill(across, self.on, self.name, (self.note, 1), self.tokens, self.price, self.badge, self.remove)
        tell_figure(self.tokens, tr("What this rule took out of this request, less what it added."), "rules")
        spoken = (rule.text, self.badge.word(), formatting.token_words(saved), why)
        self.setAccessibleName(", ".join(filter(None, spoken)))

    def _remove(self) -> None:
        self.removed.emit(self.rule)


def _signed(tokens: int) -> str:
    return formatting.tokens(tokens) if tokens >= 0 else formatting.signed_tokens(tokens)


def badge_of(rule: Rule, outcome: RuleOutcome | None) -> tuple[Tone, str, str]:
    """Tone, icon and word of a rule's state."""
    if not rule.on:
        return ("err", "warn", tr("switched off")) if rule.why else ("neutral", "", tr("off"))
    if rule.why == NO_GAIN:
        return "warn", "warn", tr("no gain")
    if outcome is None:
        return "neutral", "clock", tr("next request")
    if outcome.state == "applied":
        return "ok", "check", tr("applied")
    if outcome.why in (NO_CHANGE, WAITING):
        return (
            ("neutral", "", tr("no change"))
            if outcome.why == NO_CHANGE
            else ("neutral", "clock", tr("waiting"))
        )
    return "warn", "warn", tr("skipped")
