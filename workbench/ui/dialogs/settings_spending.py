"""Caps on spending in the settings: by day, by month and by chat."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QSignalBlocker

from workbench.engine.state import WorkbenchState
from workbench.ui.dialogs.settings_parts import Page, SettingRow
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.choice import Field, NumberField
from workbench.ui.wishes import Wishes

_MOST = 1_000_000


class SpendingPage(Page):
    """The caps, in dollars; an empty field is no cap."""

    def __init__(self, wishes: Wishes) -> None:
        super().__init__(
            tr("Spending"),
            tr(
                "A request that would pass a cap isn’t sent; you can allow it once. Your own models cost nothing."
            ),
            wishes,
        )
        self.day, self.month, self.chat = (Field(tr("No cap")) for _ in range(3))
        for field in self.fields.values():
            field.setFixedWidth(120)
        self.add_heading(tr("Caps, in dollars"))
        self.add_card(
            SettingRow(
                tr("A day"), tr("From midnight to midnight, all chats and watched programs."), self.day
            ),
            SettingRow(tr("A month"), tr("From the first of the month."), self.month),
            SettingRow(tr("A chat"), tr("Each chat, as long as it lasts."), self.chat),
        )
        show = on_click(button(tr("Show Money")), lambda: self.wishes.run("spend"))
        self.add_card(SettingRow(tr("What was spent"), tr("By day, model, workspace and program."), show))
        self.refreshes = NumberField(1, 100)
        self.add_heading(tr("Keep warm"))
        self.add_card(
            SettingRow(
                tr("Most refreshes in a pause"),
                tr("How often a chat you keep warm is refreshed after its last turn; never more than pays."),
                self.refreshes,
            )
        )
        self.refreshes.valueChanged.connect(lambda times: self._save(keep_warm_most=times))
        self.end()
        for name, field in self.fields.items():
            field.editingFinished.connect(lambda name=name, field=field: self._set(name, field))

    @property
    def fields(self) -> dict[str, Field]:
        """The fields by the names of their settings."""
        return {"day_usd": self.day, "month_usd": self.month, "chat_usd": self.chat}

    def show_state(self, state: WorkbenchState) -> None:
        self._preferences = state.preferences
        with QSignalBlocker(self.refreshes):
            self.refreshes.setValue(state.preferences.keep_warm_most)
        for name, field in self.fields.items():
            if not field.hasFocus():
                field.setText(_written(getattr(state.preferences.spend, name)))

    def _set(self, name: str, field: Field) -> None:
        """Save a cap; what is no amount goes back to what it was."""
        caps = self._preferences.spend
        typed = field.text().strip().lstrip("$").replace(",", ".")
        try:
            usd = float(typed) if typed else None
        except ValueError:
            usd = -1.0
        if usd is not None and not 0 <= usd <= _MOST:
            field.setText(_written(getattr(caps, name)))
            return
        self._save(spend=replace(caps, **{name: usd}))
        field.setText(_written(usd))


def _written(usd: float | None) -> str:
    return "" if usd is None else f"{usd:.2f}" if usd == round(usd, 2) else f"{usd:g}"
