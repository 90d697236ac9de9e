"""Leave for one server in one's own network: to be asked without encryption, and to get its key that way."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QWidget

from workbench.domain.settings.app_preferences import Preferences
from workbench.net.rules import Target, may_be_private, target_of
from workbench.ui.look.space import fill, rows
from workbench.ui.translation import translator
from workbench.ui.widgets.choice import Check
from workbench.ui.widgets.plain import tip

_tr = translator("PlainTicks")


class PlainTicks(QWidget):
    """Two ticks; the second can be set only while the first is.

    Signals:
        changed: the preferences as they should be.
    """

    changed = Signal(object)

    def __init__(self, url: str, preferences: Preferences) -> None:
        super().__init__()
        self._origin, self._preferences = target_of(url).origin, preferences
        self.plain = Check(_tr("Ask without encryption"))
        self.plain.setToolTip(tip(_tr("Others in your network can read what you send, and what it answers.")))
        self.key = Check(_tr("Send its key as well"))
        self.key.setToolTip(tip(_tr("Others in your network can read the key, and use it.")))
        for check, allowed in (
            (self.plain, preferences.plain_http),
            (self.key, preferences.plain_http_with_key),
        ):
            with QSignalBlocker(check):
                check.setChecked(self._origin in origins(allowed))
            check.toggled.connect(self._ticked)
        self.key.setEnabled(self.plain.isChecked())
        fill(rows(self, spacing=4), self.plain, self.key)

    def _ticked(self) -> None:
        plain = self.plain.isChecked()
        wanted = without_leave(self._preferences, self._origin)
        if plain:
            wanted = replace(wanted, plain_http=(*wanted.plain_http, self._origin))
        if plain and self.key.isChecked():
            wanted = replace(wanted, plain_http_with_key=(*wanted.plain_http_with_key, self._origin))
        self.changed.emit(wanted)


def can_be_plain(url: str) -> bool:
    """Whether a server is in one's own network and would be asked without encryption."""
    target = _target(url)
    return (
        target is not None and target.scheme == "http" and not target.is_here and may_be_private(target.host)
    )


def without_leave(preferences: Preferences, url: str) -> Preferences:
    """The preferences without any leave for that address."""
    gone = origins((url,))
    return replace(
        preferences,
        plain_http=tuple(one for one in preferences.plain_http if not origins((one,)) & gone),
        plain_http_with_key=tuple(
            one for one in preferences.plain_http_with_key if not origins((one,)) & gone
        ),
    )


def origins(urls: tuple[str, ...]) -> set[str]:
    """What addresses belong to; those that cannot be read belong to nothing."""
    return {target.origin for target in map(_target, urls) if target is not None}


def _target(url: str) -> Target | None:
    try:
        return target_of(url)
    except (ValueError, KeyError):
        return None
