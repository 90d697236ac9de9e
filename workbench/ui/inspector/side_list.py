"""The side questions of a chat in the inspector: a line each, the newest first; one that is pressed is shown."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QWidget

from workbench.domain.side import SideQuestion
from workbench.engine.state import ChatState
from workbench.ui import formatting
from workbench.ui.look.painting import Run
from workbench.ui.look.space import rows
from workbench.ui.side_words import cached_share, list_note, side_figures
from workbench.ui.translation import tr
from workbench.ui.widgets.card import PanelLook
from workbench.ui.widgets.fold import Fold
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.wishes import ShowSide, Wishes

MOST_LINES, HEIGHT = 5, 26


class SideLine(PanelLook, QAbstractButton):
    """When it was asked, its words, and what it took."""

    radius, padding = 6.0, (6, 0, 6, 0)

    def __init__(self, side: SideQuestion) -> None:
        super().__init__()
        words = shown(" ".join(side.question.split()), 120)
        self._words, self._time = words, formatting.clock(side.asked_utc)
        share = cached_share(side)
        tokens = "" if side.prompt_tokens is None else formatting.tokens(side.prompt_tokens)
        cost = formatting.usd(side.cost_usd) if side.cost_usd else ""
        self._figures = (
            tr("{n} in").format(n=tokens) if tokens else "",
            "" if share is None else tr("{share} cached").format(share=formatting.percent(share)),
            cost,
        )
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFixedHeight(HEIGHT)
        self.setToolTip(tip(f"{words}\n{side_figures(side)}"))
        self.setAccessibleName(f"{self._time}, {words}, {side_figures(side)}")

    def update_look(self) -> None:
        self.ground = "hover" if self.underMouse() else ""
        self.runs = (Run(self._time, "t3", weight=400, gap=10), Run(self._words, weight=400))
        told = [Run(one, "t2", weight=400, gap=10) for one in self._figures if one]
        self.end_runs = tuple(reversed(told))


class SideList(Fold):
    """A fold with the newest side questions; hidden where there are none."""

    def __init__(self, wishes: Wishes) -> None:
        super().__init__(tr("Side questions"))
        self.wishes = wishes
        self._shown: tuple[SideQuestion, ...] = ()
        self.lines: list[SideLine] = []

    def show_chat(self, chat: ChatState | None) -> bool:
        """Show the chat's own; whether there are any."""
        sides = chat.sides if chat is not None else ()
        if sides != self._shown:
            self._shown = sides
            body = QWidget()
            down = rows(body, (0, 0, 0, 0), 0)
            self.lines = [SideLine(one) for one in sides[:MOST_LINES]]
            for line, one in zip(self.lines, sides, strict=False):
                line.clicked.connect(partial(self._open, one.id))
                down.addWidget(line)
            self.set_body(body)
            for before, after in pairwise((self.head, *self.lines)):
                QWidget.setTabOrder(before, after)
            self.head.set_note(list_note(sides) if sides else "")
        return bool(sides)

    def _open(self, side: str, _checked: bool = False) -> None:
        self.wishes.run(ShowSide(side))
