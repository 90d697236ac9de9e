"""The cheaper way, where a changed file broke the prefix: keep the copy that the cache knows."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QCoreApplication

from workbench.domain.shown.diff_view import DiffCause, DiffView
from workbench.engine.state import ChatState
from workbench.ui import formatting
from workbench.ui.steps import Step, apply_settings
from workbench.ui.widgets.plain import shown


def breaking_file(diff: DiffView) -> DiffCause | None:
    """The file of the library whose change broke the prefix of the next request; None where nothing did."""
    if diff.after.sent_utc or diff.change != "diverged":
        return None
    first = next((cause for cause in diff.causes if cause.breaks), None)
    is_file = first is not None and first.cause == "file_changed" and first.layer == "L2_PREVIOUS"
    return first if is_file else None


def freezing(chat: ChatState, diff: DiffView) -> Step | None:
    """Keep the library's copies as they were sent; None where that is so already, or would not help."""
    cause = breaking_file(diff)
    if cause is None or chat.chat.settings.freshness == "freeze":
        return None
    title = _tr("Freeze {name}").format(name=shown(cause.subject))
    return apply_settings(chat, replace(chat.chat.settings, freshness="freeze"), title)


def freezing_words(diff: DiffView) -> str:
    """What freezing would do."""
    kept = formatting.tokens(diff.reused_tokens + diff.lost_tokens)
    words = _tr(
        "The library keeps its old copy: {n} tokens stay cached. The new text goes behind the history."
    )
    return words.format(n=kept)


def _tr(words: str) -> str:
    return QCoreApplication.translate("Diff", words)
