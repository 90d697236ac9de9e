"""The scenes: what state each shows, and what is opened over it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget

from workbench.domain.secret import KeyStatus, ProtectorStatus, StoreIdentity
from workbench.domain.shown.attachment_view import AttachmentRow
from workbench.domain.shown.envelope_view import RowKey
from workbench.engine.intents import DetachArtifacts
from workbench.engine.state import ChatState, Fix, RunningTurn, WorkbenchState
from workbench.ui.commands import bind, specs
from workbench.ui.memory import WindowMemory
from workbench.ui.scenes import sample_texts as texts
from workbench.ui.scenes.sample_envelope import over_view, sample_view, turn_7_view
from workbench.ui.scenes.sample_state import (
    CHAT,
    NOW,
    sample_state,
    sample_trial,
    waiting_tool,
)
from workbench.ui.window.main_window import MainWindow

Theme = Literal["light", "dark"]


class Stage:
    """The real window, without an engine.

    Attributes:
        window: what is photographed. state: what it shows. over: dialogs that lie over it.
    """

    def __init__(self, size: QSize) -> None:
        self.window = MainWindow(WindowMemory(None))
        self.window.resize(size)
        self.window.show()
        self.state = WorkbenchState()
        self.over: list[QWidget] = []

    def show(self, state: WorkbenchState, chat: str = CHAT) -> None:
        """Draw a state."""
        self.state = state
        self.window.show_state(state, chat, NOW)

    def open(self, dialog: QWidget) -> None:
        """Put a dialog over the window."""
        self.over.append(dialog)
        dialog.show()

    def close(self) -> None:
        """Take everything down."""
        for dialog in self.over:
            dialog.close()
            dialog.deleteLater()
        self.window.let_go()
        self.window.deleteLater()


@dataclass(frozen=True, slots=True)
class Scene:
    """One picture: what is played, and in which theme."""

    play: Callable[[Stage], None]
    theme: Theme = "light"


def in_chat(state: WorkbenchState, change: Callable[[ChatState], ChatState]) -> WorkbenchState:
    """A state with its one open chat changed."""
    return replace(state, open={**state.open, CHAT: change(state.open[CHAT])})


def _main(stage: Stage) -> None:
    state = in_chat(sample_state(), lambda chat: replace(waiting_tool(chat), trial=sample_trial()))
    stage.show(state)
    stage.window.select(RowKey("L3_TURN", "src/auth.py"))


def _dark(stage: Stage) -> None:
    def in_flight(chat: ChatState) -> ChatState:
        sent = replace(sample_view(), standing="in_flight", sent_utc="2026-11-12T14:06:00Z")
        running = RunningTurn(9, "m17", text=texts.STREAMING_9, thinking=texts.THOUGHT_9)
        return replace(chat, draft="", running=running, in_flight=sent)

    stage.show(in_chat(sample_state(), in_flight))
    stage.window.select(RowKey("L3_TURN", "src/auth.py"))


def _inspector(stage: Stage) -> None:
    stage.show(in_chat(sample_state(), waiting_tool))
    stage.window.select(RowKey("L3_TURN", "src/auth.py"))
    stage.window.inspector.show_page("payload")


def _diff(stage: Stage) -> None:
    stage.show(in_chat(sample_state(), waiting_tool))
    stage.window.inspector.show_page("diff")


def _history(stage: Stage) -> None:
    state = in_chat(sample_state(), lambda chat: replace(waiting_tool(chat), opened=turn_7_view()))
    stage.show(state)
    stage.window.inspector.show_page("history")


def _attachments(stage: Stage) -> None:
    stage.show(sample_state())
    stage.window.left.attachments.open_preview("src/auth.py")
    preview = stage.window.left.attachments.preview()
    if preview is not None:
        stage.over.append(preview)


def _over_limit(stage: Stage) -> None:
    def over(chat: ChatState) -> ChatState:
        rows = tuple(_pinned(row) for row in chat.attachments)
        return replace(chat, view=over_view(), attachments=rows, fixes=_fixes())

    stage.show(in_chat(sample_state(), over))
    stage.window.select(RowKey("L3_TURN", "logs/big.log"))


def _pinned(row: AttachmentRow) -> AttachmentRow:
    return replace(row, pinned=True, state="sent" if row.state == "dropped" else row.state)


def _fixes() -> tuple[Fix, ...]:
    nothing = (DetachArtifacts(CHAT, ()),)
    return (
        Fix("unpin", "logs/big.log", 11_686, True, 18_800, priority=10, do=nothing, undo=nothing),
        Fix("detach", "logs/big.log", 11_686, True, 18_800, priority=10, do=nothing, undo=nothing),
        Fix("keep_last", "", 29_006, False, 1_480, number=2, do=nothing, undo=nothing),
        Fix(
            "larger_window",
            "gpt-4.1-mini",
            30_486,
            True,
            number=32_000,
            cost_usd=0.0116,
            do=nothing,
            undo=nothing,
        ),
    )


def _settings(stage: Stage) -> None:
    from workbench.ui.dialogs.settings_dialog import HEIGHT, WIDTH, SettingsDialog

    _main(stage)
    dialog = SettingsDialog(WindowMemory(None), "~/.local/share/context-workbench", parent=stage.window)
    dialog.show_state(stage.state)
    dialog.show_keys(_KEYS)
    stage.open(dialog)
    dialog.resize(WIDTH + 48, HEIGHT + 48)


def _first_run(stage: Stage) -> None:
    from workbench.ui.scenes.first_run import first_run_state

    stage.show(first_run_state(), "sample")
    stage.window.welcome("Opens with the system keyring (Secret Service)")
    stage.show(first_run_state(), "sample")


def _palette(stage: Stage) -> None:
    from workbench.ui.dialogs.palette import Palette

    _main(stage)
    palette = Palette(stage.window)
    palette.open_with(bind(specs(), lambda _name: None, lambda _name: True), stage.state)
    palette.field.setText("tu")


_KEYS = KeyStatus(
    StoreIdentity("sample", 1),
    "2026-11-03",
    "2026-11-03",
    (ProtectorStatus("keyring", "2026-11-03"), ProtectorStatus("recovery", "2026-11-03")),
    False,
)

SCENES: Mapping[str, Scene] = {
    "main": Scene(_main),
    "inspector": Scene(_inspector),
    "diff": Scene(_diff),
    "attachments": Scene(_attachments),
    "settings": Scene(_settings),
    "first-run": Scene(_first_run),
    "over-limit": Scene(_over_limit),
    "dark": Scene(_dark, "dark"),
    "history": Scene(_history),
    "palette": Scene(_palette),
}
