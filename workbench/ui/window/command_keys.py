"""The keys of commands at work: what they press, and the hints all over the window that name them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QApplication, QWidget

from workbench.ui.commands import Spec, specs
from workbench.ui.widgets.guided import set_keys
from workbench.ui.widgets.labels import KeyCap
from workbench.ui.wishes import CommandId

_IN_BRACKETS = re.compile(r" ?\(([^()]+)\)")
OWN_TIP, SHOWN_TIP = "own_tip", "shown_tip"


class CommandKeys(QObject):
    """Puts keys on a window, and others in their place when a person has chosen some."""

    def __init__(self, window: QWidget, press: Callable[[CommandId], None]) -> None:
        super().__init__(window)
        self._window, self._press = window, press
        self._made: list[QShortcut] = []

    def put_on(self, wanted: Sequence[Spec]) -> None:
        for old in self._made:
            old.setEnabled(False)
            old.deleteLater()
        self._made = [
            self._shortcut(keys, spec.id) for spec in wanted for keys in (spec.shortcut, spec.also) if keys
        ]
        set_keys({spec.id: spec.shortcut for spec in wanted})
        self._tell_hints(wanted)

    def _shortcut(self, keys: str, command: CommandId) -> QShortcut:
        made = QShortcut(QKeySequence(keys), self._window)
        # The inspector may be in a window of its own.
        made.setContext(Qt.ShortcutContext.ApplicationShortcut)
        made.activated.connect(lambda: self._press(command))
        return made

    def _tell_hints(self, wanted: Sequence[Spec]) -> None:
        """Tips and keys that stand beside a control say the keys there are now."""
        usual = {spec.id: spec.shortcut for spec in specs() if spec.shortcut}
        now = {usual[spec.id]: spec.shortcut for spec in wanted if spec.id in usual}
        children: list[QWidget] = list(self._window.findChildren(QWidget))
        for widget in children:
            if isinstance(widget, KeyCap):
                _show_key(widget, now)
            elif widget.toolTip():
                _show_tip(widget, now)


def _show_key(cap: KeyCap, now: dict[str, str]) -> None:
    if cap.own in now and cap.text() != now[cap.own]:
        cap.show_key(now[cap.own])
        holder = cap.parentWidget()
        if holder is not None:  # a field puts its key in place when it gets a size
            QApplication.sendEvent(holder, QResizeEvent(holder.size(), holder.size()))


def _show_tip(widget: QWidget, now: dict[str, str]) -> None:
    shown = widget.toolTip()
    # What somebody else has said since is what it says by itself.
    own = str(widget.property(OWN_TIP)) if shown == widget.property(SHOWN_TIP) else shown
    words = _IN_BRACKETS.sub(lambda found: _key_in(found, now), own)
    if words != shown:
        widget.setProperty(OWN_TIP, own)
        widget.setProperty(SHOWN_TIP, words)
        widget.setToolTip(words)


def _key_in(found: re.Match[str], now: dict[str, str]) -> str:
    if found[1] not in now:
        return found[0]
    return f" ({now[found[1]]})" if now[found[1]] else ""
