"""Why a row is as it is, in a few words."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from workbench.domain.files.file_names import short_path
from workbench.domain.shown.envelope_view import Reason, ReasonCode
from workbench.ui import formatting
from workbench.ui.widgets.plain import shown

_WORDS: Mapping[ReasonCode, str] = {
    "": "",
    "unchanged": str(QT_TRANSLATE_NOOP("Reason", "unchanged since turn {n}")),
    "changed": str(QT_TRANSLATE_NOOP("Reason", "changed in turn {n}")),
    "always_first": str(QT_TRANSLATE_NOOP("Reason", "always first")),
    "promoted": str(QT_TRANSLATE_NOOP("Reason", "from turn {n}")),
    "in_every_chat": str(QT_TRANSLATE_NOOP("Reason", "in every chat of the workspace")),
    "grew": str(QT_TRANSLATE_NOOP("Reason", "grew by turn {n}")),
    "boundary": str(QT_TRANSLATE_NOOP("Reason", "trimmed up to message {n}")),
    "first_time": str(QT_TRANSLATE_NOOP("Reason", "first time in history")),
    "rebuilt": str(QT_TRANSLATE_NOOP("Reason", "rebuilt every turn")),
    "in_library": str(QT_TRANSLATE_NOOP("Reason", "already in Library")),
    "attached_now": str(QT_TRANSLATE_NOOP("Reason", "attached this turn")),
    "over_budget": str(QT_TRANSLATE_NOOP("Reason", "over budget, priority {n}")),
    "over_window": str(QT_TRANSLATE_NOOP("Reason", "over the window, priority {n}")),
    "pinned": str(QT_TRANSLATE_NOOP("Reason", "pinned, never dropped")),
    "draft": str(QT_TRANSLATE_NOOP("Reason", "your draft")),
    "left": str(QT_TRANSLATE_NOOP("Reason", "dropped: the request was over {n}")),
    "left_out": str(QT_TRANSLATE_NOOP("Reason", "left out by you")),
    "changed_on_disk": str(QT_TRANSLATE_NOOP("Reason", "changed on disk")),
    "estimated": str(QT_TRANSLATE_NOOP("Reason", "count not exact yet")),
    "newer_copy": str(QT_TRANSLATE_NOOP("Reason", "newer than the copy in Library")),
    "older_copy": str(QT_TRANSLATE_NOOP("Reason", "older copy, kept for the cache")),
    "until_rebuild": str(QT_TRANSLATE_NOOP("Reason", "detached: stays until a rebuild")),
    "shortened": str(QT_TRANSLATE_NOOP("Reason", "shortened to fit")),
    "kept_short": str(QT_TRANSLATE_NOOP("Reason", "kept short: the cache holds this part")),
    "shortened_by_you": str(QT_TRANSLATE_NOOP("Reason", "shortened by you, up to {n}")),
    "preview": str(QT_TRANSLATE_NOOP("Reason", "old tool results shortened")),
    "tool_call": str(QT_TRANSLATE_NOOP("Reason", "calls {subject}")),
    "tool_result": str(QT_TRANSLATE_NOOP("Reason", "result of {subject}")),
    "repaired": str(QT_TRANSLATE_NOOP("Reason", "repaired before sending")),
    "cannot_see": str(
        QT_TRANSLATE_NOOP("Reason", "{subject} has no vision: choose another model, or detach it")
    ),
    "recalled": str(QT_TRANSLATE_NOOP("Reason", "fits the question: {subject}")),
    "summary": str(QT_TRANSLATE_NOOP("Reason", "in place of {n} messages")),
    "as_summary": str(QT_TRANSLATE_NOOP("Reason", "sent as a summary")),
    "in_summary": str(QT_TRANSLATE_NOOP("Reason", "in the summary; the messages are kept")),
    "marked": str(QT_TRANSLATE_NOOP("Reason", "a cache mark ends here")),
    "no_longer_attached": str(QT_TRANSLATE_NOOP("Reason", "no longer attached")),
}
_WITHOUT_NUMBER: Mapping[ReasonCode, str] = {
    "unchanged": str(QT_TRANSLATE_NOOP("Reason", "unchanged")),
    "changed": str(QT_TRANSLATE_NOOP("Reason", "changed")),
    "promoted": str(QT_TRANSLATE_NOOP("Reason", "promoted from an earlier turn")),
    "grew": str(QT_TRANSLATE_NOOP("Reason", "grew")),
    "boundary": str(QT_TRANSLATE_NOOP("Reason", "trimmed up to here")),
    "left": str(QT_TRANSLATE_NOOP("Reason", "dropped: the request was over its limit")),
}
_WITHOUT_SUBJECT: Mapping[ReasonCode, str] = {
    "cannot_see": str(
        QT_TRANSLATE_NOOP("Reason", "the model has no vision: choose another one, or detach it")
    ),
    "tool_call": str(QT_TRANSLATE_NOOP("Reason", "calls a tool")),
    "tool_result": str(QT_TRANSLATE_NOOP("Reason", "result of a tool")),
    "recalled": str(QT_TRANSLATE_NOOP("Reason", "always recalled")),
}


def reason_words(reason: Reason) -> str:
    """The reason in words; empty where there is nothing to say."""
    words = _WORDS[reason.code]
    if not reason.number:
        words = _WITHOUT_NUMBER.get(reason.code, words)
    if not reason.subject:
        words = _WITHOUT_SUBJECT.get(reason.code, words)
    if not words:
        return ""
    told = QCoreApplication.translate("Reason", words)
    return told.format(n=formatting.tokens(reason.number), subject=shown(short_path(reason.subject)))
