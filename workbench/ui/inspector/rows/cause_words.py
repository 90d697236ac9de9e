"""Why two requests differ, in words: a short one for a list, a title, and a sentence."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QT_TRANSLATE_NOOP

from workbench.domain.change import CauseName
from workbench.domain.files.file_names import short_path
from workbench.domain.shown.diff_view import DiffCause
from workbench.domain.shown.envelope_view import EnvelopeView, RowKey
from workbench.ui import formatting
from workbench.ui.inspector.rows.row_words import own_part_name, row_name, turns_name
from workbench.ui.look.layers import TAGS, layer_word
from workbench.ui.translation import translator
from workbench.ui.widgets.plain import shown

_tr = translator("Cause")

_TOOL = "tool:"
_SHORT: Mapping[CauseName, str] = {
    "settings": str(QT_TRANSLATE_NOOP("Cause", "settings")),
    "model": str(QT_TRANSLATE_NOOP("Cause", "other model")),
    "tools": str(QT_TRANSLATE_NOOP("Cause", "tools")),
    "memory": str(QT_TRANSLATE_NOOP("Cause", "memory")),
    "project": str(QT_TRANSLATE_NOOP("Cause", "project")),
    "attached": str(QT_TRANSLATE_NOOP("Cause", "attached")),
    "detached": str(QT_TRANSLATE_NOOP("Cause", "detached")),
    "file_changed": str(QT_TRANSLATE_NOOP("Cause", "file changed")),
    "promoted": str(QT_TRANSLATE_NOOP("Cause", "promoted")),
    "pruned": str(QT_TRANSLATE_NOOP("Cause", "shortened")),
    "priority": str(QT_TRANSLATE_NOOP("Cause", "priority")),
    "trimmed": str(QT_TRANSLATE_NOOP("Cause", "trimmed")),
    "excluded": str(QT_TRANSLATE_NOOP("Cause", "left out")),
    "history_edited": str(QT_TRANSLATE_NOOP("Cause", "edited")),
    "rebuilt": str(QT_TRANSLATE_NOOP("Cause", "rebuilt")),
    "turn_context": str(QT_TRANSLATE_NOOP("Cause", "turn context")),
    "renamed": str(QT_TRANSLATE_NOOP("Cause", "other name")),
    "resized": str(QT_TRANSLATE_NOOP("Cause", "other length")),
}
_TITLES: Mapping[CauseName, str] = {
    "settings": str(QT_TRANSLATE_NOOP("Cause", "Settings changed")),
    "model": str(QT_TRANSLATE_NOOP("Cause", "Model changed to {name}")),
    "tools": str(QT_TRANSLATE_NOOP("Cause", "Tools changed: {name}")),
    "memory": str(QT_TRANSLATE_NOOP("Cause", "Memory changed")),
    "project": str(QT_TRANSLATE_NOOP("Cause", "Project instructions changed")),
    "attached": str(QT_TRANSLATE_NOOP("Cause", "{name} attached")),
    "detached": str(QT_TRANSLATE_NOOP("Cause", "{name} detached")),
    "file_changed": str(QT_TRANSLATE_NOOP("Cause", "{name} changed on disk")),
    "promoted": str(QT_TRANSLATE_NOOP("Cause", "{name} moved into the library")),
    "pruned": str(QT_TRANSLATE_NOOP("Cause", "{name} was shortened or dropped to fit")),
    "priority": str(QT_TRANSLATE_NOOP("Cause", "Priority of {name} changed")),
    "trimmed": str(QT_TRANSLATE_NOOP("Cause", "History trimmed")),
    "excluded": str(QT_TRANSLATE_NOOP("Cause", "A message was left out")),
    "history_edited": str(QT_TRANSLATE_NOOP("Cause", "An earlier message was edited")),
    "rebuilt": str(QT_TRANSLATE_NOOP("Cause", "Rebuilt: {name}")),
    "turn_context": str(QT_TRANSLATE_NOOP("Cause", "What stood around the last question is no longer sent")),
    "renamed": str(QT_TRANSLATE_NOOP("Cause", "{name} is told by its name, no longer by its path")),
    "resized": str(QT_TRANSLATE_NOOP("Cause", "You chose another length of {name}")),
}
_NAMELESS: Mapping[CauseName, str] = {
    "model": str(QT_TRANSLATE_NOOP("Cause", "Model changed")),
    "tools": str(QT_TRANSLATE_NOOP("Cause", "Tools changed")),
    "attached": str(QT_TRANSLATE_NOOP("Cause", "A file was attached")),
    "detached": str(QT_TRANSLATE_NOOP("Cause", "A file was detached")),
    "file_changed": str(QT_TRANSLATE_NOOP("Cause", "A file changed on disk")),
    "promoted": str(QT_TRANSLATE_NOOP("Cause", "A file moved into the library")),
    "pruned": str(QT_TRANSLATE_NOOP("Cause", "A file was shortened or dropped to fit")),
    "priority": str(QT_TRANSLATE_NOOP("Cause", "A priority changed")),
    "renamed": str(QT_TRANSLATE_NOOP("Cause", "A file is told by its name, no longer by its path")),
    "resized": str(QT_TRANSLATE_NOOP("Cause", "You chose another length of a file")),
    "rebuilt": str(QT_TRANSLATE_NOOP("Cause", "The request was rebuilt")),
}
_REBUILT: Mapping[str, str] = {
    "first": str(QT_TRANSLATE_NOOP("Cause", "there was nothing to go on from")),
    "asked": str(QT_TRANSLATE_NOOP("Cause", "you asked for it")),
    "cold": str(QT_TRANSLATE_NOOP("Cause", "the cache was cold, so it was free")),
    "model": str(QT_TRANSLATE_NOOP("Cause", "another model")),
    "tools": str(QT_TRANSLATE_NOOP("Cause", "other tools")),
    "instructions": str(QT_TRANSLATE_NOOP("Cause", "other instructions")),
    "settings": str(QT_TRANSLATE_NOOP("Cause", "other settings")),
    "history_edited": str(QT_TRANSLATE_NOOP("Cause", "an earlier message changed")),
    "excluded": str(QT_TRANSLATE_NOOP("Cause", "something was left out or put back")),
    "over_threshold": str(QT_TRANSLATE_NOOP("Cause", "it had grown over its threshold")),
    "over_budget": str(QT_TRANSLATE_NOOP("Cause", "it had grown over a budget")),
    "secret": str(QT_TRANSLATE_NOOP("Cause", "an old copy in it held a key or a password")),
}
_ICONS: Mapping[CauseName, str] = {
    "settings": "sliders",
    "model": "chip",
    "tools": "tool",
    "memory": "bulb",
    "project": "book",
    "attached": "plus",
    "detached": "minus",
    "file_changed": "clock",
    "promoted": "book",
    "pruned": "compact",
    "priority": "sliders",
    "trimmed": "cut",
    "excluded": "eye-off",
    "renamed": "edit",
    "resized": "compact",
    "history_edited": "edit",
    "rebuilt": "refresh",
    "turn_context": "clip",
}


def cause_icon(cause: DiffCause) -> str:
    """The icon of a cause."""
    if cause.cause is not None:
        return _ICONS[cause.cause]
    return {"L4_STRIP": "chat", "L5_USER": "edit"}.get(cause.layer, "plus")


def cause_title(cause: DiffCause, name: str, changed_utc: str = "") -> str:
    """What happened to what is called so; `changed_utc` is when the file changed, where that is known."""
    if cause.cause is None or (cause.cause == "turn_context" and cause.layer == "L4_STRIP"):
        return _grown(cause, name)
    first, second = cause.numbers
    if cause.cause == "file_changed" and changed_utc:
        words = _tr("{name} changed on disk at {time}")
        return words.format(name=name, time=formatting.clock(changed_utc))
    if cause.cause == "priority" and first != second:
        words = _tr("Priority of {name} {a} → {b}")
        return words.format(name=name, a=formatting.tokens(first), b=formatting.tokens(second))
    if cause.cause == "trimmed":
        return cause_words("trimmed", str(second))
    return cause_words(cause.cause, name)


def cause_words(cause: CauseName, name: str = "") -> str:
    """What happened, without the request it happened to; for trimming, the name is a message's number."""
    if cause == "trimmed" and name.isdecimal() and int(name):
        return _tr("History trimmed up to message {n}").format(n=formatting.tokens(int(name)))
    if cause == "rebuilt" and name in _REBUILT:
        name = _tr(_REBUILT[name])
    words = _TITLES[cause] if name else _NAMELESS.get(cause, _TITLES[cause])
    return _tr(words).format(name=shown(name.removeprefix(_TOOL)))


def subject_name(cause: DiffCause, view: EnvelopeView | None, named: Mapping[str, str]) -> str:
    """What a cause is about, as it is called elsewhere; `named` are the names of attachments by their ids."""
    first, last = cause.numbers
    if cause.kind == "turn" and cause.cause in (None, "turn_context") and first:
        return turns_name(first, max(first, last))
    if cause.kind == "turn" and cause.cause is not None:
        return _tr("history")
    if cause.kind == "question":
        return _tr("question")
    row = view.row(RowKey(cause.layer, cause.subject)) if view is not None else None
    if row is not None:
        return row_name(row)
    if cause.layer == "L1_SYSTEM" and (name := own_part_name(cause.subject)):
        return name  # gone from the request, and called as it was
    return shown(short_path(named.get(cause.subject, cause.subject).removeprefix(_TOOL)))


def cause_word(cause: CauseName) -> str:
    """What happened, in a word or two."""
    return _tr(_SHORT[cause])


def cause_line(cause: DiffCause) -> str:
    """Where it happened, and what it did to the request's size."""
    layer = f"{TAGS[cause.layer]} {layer_word(cause.layer)}"
    if cause.before_tokens and cause.after_tokens:
        if cause.before_tokens == cause.after_tokens:
            return _tr("{layer}, {n} tokens as before").format(
                layer=layer, n=formatting.tokens(cause.after_tokens)
            )
        return _tr("{layer}, {a} → {b} tokens").format(
            layer=layer, a=formatting.tokens(cause.before_tokens), b=formatting.tokens(cause.after_tokens)
        )
    change = cause.after_tokens - cause.before_tokens
    return (
        _tr("{layer}, {n} tokens").format(layer=layer, n=formatting.signed_tokens(change))
        if change
        else layer
    )


def _grown(cause: DiffCause, name: str) -> str:
    """What simply came: a turn that is history now, the new question."""
    if cause.layer == "L4_STRIP":
        moved = _tr("{turns} moved into history")
        if cause.cause is not None:
            moved = _tr("{turns} moved into history, without what stood around it")
        return moved.format(turns=name[:1].upper() + name[1:])
    if cause.layer == "L5_USER":
        return _tr("New question")
    if cause.kind == "tool":
        return _tr("Tools were used in this turn")
    return _tr("{name} is new").format(name=name or cause.kind)
