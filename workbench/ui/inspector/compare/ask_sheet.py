"""What is to be asked: of which models, how often, for how much, and what answers have to be."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDoubleSpinBox, QScrollArea, QWidget

from workbench.domain.errors import InvalidInput
from workbench.domain.experiment import Check as AnswerCheck
from workbench.domain.experiment import Plan, parse_check
from workbench.domain.shown.experiment_view import ExperimentView
from workbench.domain.variant import Variant
from workbench.engine.state import ChatState, WorkbenchState
from workbench.ui.inspector.compare.answer_words import price_words
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.model_button import model_name, model_names
from workbench.ui.translation import translator
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.choice import Check, Choice, NumberField, TextField
from workbench.ui.widgets.floating import Sheet
from workbench.ui.widgets.labels import label, set_text, set_token
from workbench.ui.widgets.scroll_area import transparent
from workbench.ui.widgets.timer import single_shot

_tr = translator("Compare")
WIDTH, LIST_HEIGHT, TEXT_HEIGHT, SETTLE_MS, MOST_REPEATS = 560, 120, 76, 200, 20


class AskSheet(Sheet):
    """Says what it takes before anything is asked.

    Signals:
        changed: the plan, to be priced. wanted: the plan, to be asked.
    """

    changed = Signal(object)
    wanted = Signal(object)

    def __init__(
        self,
        state: WorkbenchState,
        chat: ChatState,
        variants: tuple[Variant, ...],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(_tr("Ask under every variant"), WIDTH, 0, parent)
        self._variants = variants
        own = chat.chat.settings.model
        names = model_names(state, own)
        self.models = {name: Check(model_name(name)) for name in names}
        self.repeats = NumberField(1, MOST_REPEATS)
        self.cap = QDoubleSpinBox()
        self.judge = Choice(
            (("", _tr("the request’s own model")), *((name, model_name(name)) for name in names))
        )
        self.checks = TextField(_tr("One check per line, such as contains:line 131"))
        self.said = label("", "small", "t2", wrap=True)
        self._price: ExperimentView | None = None
        self._settle = single_shot(self, self._tell, SETTLE_MS)
        self._arrange()
        self._connect()
        self._tell()

    def plan(self) -> Plan | None:
        """What is wanted; None where a check is none, which is said."""
        try:
            checks = tuple(_checks(self.checks.toPlainText()))
        except InvalidInput as problem:
            set_text(self.said, problem.reason)
            set_token(self.said, "err")
            return None
        models = tuple(name for name, box in self.models.items() if box.isChecked())
        cap = self.cap.value() or None
        return Plan(self._variants, models, self.repeats.value(), cap, checks, judge=self.judge.chosen())

    def show_price(self, view: ExperimentView | None) -> None:
        """What the plan takes, once it is known."""
        if view is None or view is self._price:
            return
        self._price = view
        if view.stage == "failed":
            set_text(self.said, view.problem)
            set_token(self.said, "err")
        elif view.stage == "offered":
            set_text(self.said, "\n".join(filter(None, (price_words(view), view.problem))))
            set_token(self.said, "warn" if view.problem else "t2")
        self.go.setEnabled(view.stage == "offered")

    def _arrange(self) -> None:
        content = transparent()
        down = rows(content, (0, 0, 8, 0), 2)
        fill(down, *self.models.values(), STRETCH)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the boxes in it take it
        area.setAccessibleName(_tr("Models"))
        area.setFixedHeight(min(LIST_HEIGHT, 28 * len(self.models) + 6))
        area.setWidget(content)
        heading = label(_tr("Models to ask. With none ticked, each variant’s own."), "small", "t2")
        fill(rows(self.body, spacing=4), heading, area)
        self.cap.setPrefix("$ ")
        self.cap.setDecimals(2)
        self.cap.setSingleStep(0.05)
        self.cap.setRange(0, 1000)
        self.cap.setSpecialValueText(_tr("no cap"))
        pairs = (
            (_tr("Times each request is asked"), self.repeats),
            (_tr("Spend at most"), self.cap),
            (_tr("Judge"), self.judge),
        )
        for words, control in pairs:
            control.setAccessibleName(words)
            control.setMaximumWidth(WIDTH - 240)
            fill(columns(self.body, spacing=8), (label(words), 1), control)
        self.checks.setFixedHeight(TEXT_HEIGHT)
        self.checks.setAccessibleName(_tr("Checks"))
        kinds = _tr("Checks: contains:, lacks:, matches:, json, judged: (a model decides)")
        fill(rows(self.body, spacing=4), label(kinds, "small", "t2"), self.checks)
        self.body.addWidget(self.said)
        self.cancel = on_click(button(_tr("Cancel"), shortcut_hint=_tr("Esc")), self.reject)
        self.go = on_click(button(_tr("Ask"), "primary"), self._ask)
        fill(self.foot, STRETCH, self.cancel, self.go)

    def _connect(self) -> None:
        for box in self.models.values():
            box.toggled.connect(lambda _on: self._settle.start())
        self.repeats.valueChanged.connect(lambda _value: self._settle.start())
        self.cap.valueChanged.connect(lambda _value: self._settle.start())
        self.judge.activated.connect(lambda _index: self._settle.start())
        self.checks.textChanged.connect(self._settle.start)

    def _tell(self) -> None:
        """Have the plan priced."""
        self.go.setEnabled(False)
        plan = self.plan()
        if plan is not None:
            set_text(self.said, _tr("Working out what it takes…"))
            set_token(self.said, "t2")
            self.changed.emit(plan)

    def _ask(self) -> None:
        plan = self.plan()
        if plan is not None:
            self.wanted.emit(plan)
            self.accept()


def _checks(text: str) -> list[AnswerCheck]:
    return [parse_check(line.strip()) for line in text.splitlines() if line.strip()]
