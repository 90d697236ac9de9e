"""Commands about watching other programs: the dialogs, the switch, a pause, and continuing a watched chat."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication

from workbench.engine.program_intents import HoldRequests, LookElsewhere, PauseWatching, WatchPrograms
from workbench.ui.dialogs.sessions import SessionsDialog
from workbench.ui.dialogs.watch import WatchDialog
from workbench.ui.translation import tr
from workbench.ui.widgets.plain import shown
from workbench.ui.window.session import Session
from workbench.ui.wishes import CommandId

ELSEWHERE_MS = 2_000
"""How often to check whether another program has written to the history, which takes a moment."""


def look_elsewhere(session: Session) -> QTimer:
    """Start a timer that picks up what a watch in a terminal writes to the same history."""
    timer = QTimer(session)
    timer.timeout.connect(lambda: session.bridge.send(LookElsewhere()))
    timer.start(ELSEWHERE_MS)
    return timer


def watch_table(session: Session) -> dict[CommandId, Callable[[], None]]:
    """The functions of these commands, by name."""
    return {
        "watch": lambda: _open(session),
        "watch-sessions": lambda: _open_sessions(session),
        "watch-switch": lambda: session.send(WatchPrograms(not session.state.watch.on)),
        "watch-pause": lambda: session.send(PauseWatching(not session.state.watch.paused)),
        "watch-hold": lambda: session.send(HoldRequests(not session.state.watch.holding)),
        "watch-rule": lambda: _add_rule(session),
        "go-on-watched": lambda: _go_on(session),
        "copy-mend": lambda: _copy_mend(session),
        "copy-write": lambda: _copy_write(session),
    }


def open_watch(session: Session) -> WatchDialog:
    """Open the dialog about watching, which follows the state while it is open."""
    dialog = WatchDialog(session.window.wishes, session.window)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.show_state(session.state)
    following = session.rendered.connect(lambda: dialog.show_state(session.state))
    dialog.finished.connect(lambda _result: session.rendered.disconnect(following))
    dialog.open()
    return dialog


def _open(session: Session) -> None:
    open_watch(session)


def open_sessions(session: Session) -> SessionsDialog:
    """Open the list of sessions on this computer, which follows the state while it is open."""
    dialog = SessionsDialog(session.given.utc_now(), session.window.wishes, session.window)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    following = session.rendered.connect(lambda: dialog.show_state(session.state))
    dialog.finished.connect(lambda _result: session.rendered.disconnect(following))
    dialog.open()
    return dialog


def _open_sessions(session: Session) -> None:
    open_sessions(session)


def _add_rule(session: Session) -> None:
    chat = session.chat
    if chat is None or chat.chat.filed.watched is None:
        session.tell(tr("Open a watched chat first."))
        return
    session.window.columns.show_right()
    session.window.inspector.show_page("layers")
    session.window.inspector.layers.rules.write()


def _go_on(session: Session) -> None:
    chat = session.chat
    if chat is None or chat.chat.filed.watched is None:
        session.tell(tr("Open a watched chat first."))
        return
    session.go_on_from(chat.chat.id, None if chat.opened is None else chat.opened.turn)


def _copy_mend(session: Session) -> None:
    """Copy the first line by which the program mends a finding of the request in view."""
    view = None if session.chat is None else session.chat.opened
    lines = [mend.line for one in (() if view is None else view.findings) for mend in one.mends]
    if not lines:
        session.tell(tr("No finding here has a line for its program."))
        return
    QGuiApplication.clipboard().setText(lines[0])
    session.tell(tr("Copied: {line}").format(line=shown(lines[0], 80)))


def _copy_write(session: Session) -> None:
    chat = session.chat
    if chat is None or chat.chat.filed.watched is None:
        session.tell(tr("Open a watched chat first."))
        return
    QGuiApplication.clipboard().setText(f"workbench watch write {chat.chat.id} --dry-run")
    session.tell(tr("Copied. In a terminal, it shows what would be written before anything is."))
