"""What a row's state and its cache mark mean, in words for a tooltip."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from workbench.domain.shown.envelope_view import CacheMark, RowState

_STATES: Mapping[RowState, str] = {
    "sent": str(QT_TRANSLATE_NOOP("StateTip", "Goes out in full.")),
    "reference": str(
        QT_TRANSLATE_NOOP("StateTip", "The same text stands in the library: only a reference goes out.")
    ),
    "compacted": str(
        QT_TRANSLATE_NOOP("StateTip", "Goes out shortened; the model can ask for the whole text.")
    ),
    "trimmed": str(
        QT_TRANSLATE_NOOP("StateTip", "Earlier messages are shortened to a placeholder to save room.")
    ),
    "dropped": str(QT_TRANSLATE_NOOP("StateTip", "Does not go out: there is no room for it.")),
    "excluded": str(QT_TRANSLATE_NOOP("StateTip", "Does not go out: you left it out. Del puts it back.")),
    "stale": str(
        QT_TRANSLATE_NOOP("StateTip", "The file has changed on disk since; this is the older copy.")
    ),
    "locked": str(QT_TRANSLATE_NOOP("StateTip", "Always goes out; it cannot fall.")),
    "unreadable": str(QT_TRANSLATE_NOOP("StateTip", "The file cannot be read any more.")),
    "estimated": str(QT_TRANSLATE_NOOP("StateTip", "Goes out; its tokens are an estimate.")),
}
_CACHE: Mapping[CacheMark, str] = {
    "hit": str(QT_TRANSLATE_NOOP("StateTip", "The provider's cache is expected to serve all of it.")),
    "part": str(QT_TRANSLATE_NOOP("StateTip", "The provider's cache is expected to serve its beginning.")),
    "new": str(QT_TRANSLATE_NOOP("StateTip", "Is read for the first time, or again.")),
    "none": str(QT_TRANSLATE_NOOP("StateTip", "Nothing can be said about a cache.")),
}
_MARKS: Mapping[CacheMark, str] = {
    "hit": str(QT_TRANSLATE_NOOP("CacheMark", "hit")),
    "part": str(QT_TRANSLATE_NOOP("CacheMark", "part")),
    "new": str(QT_TRANSLATE_NOOP("CacheMark", "new")),
    "none": "—",
}


def state_sentence(state: RowState) -> str:
    """What the state means."""
    return QCoreApplication.translate("StateTip", _STATES[state])


def cache_sentence(mark: CacheMark) -> str:
    """What the cache mark means."""
    return QCoreApplication.translate("StateTip", _CACHE[mark])


def cache_word(mark: CacheMark) -> str:
    """The mark itself, as it stands in its column."""
    return QCoreApplication.translate("CacheMark", _MARKS[mark]) if mark != "none" else _MARKS[mark]
