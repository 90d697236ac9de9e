"""Texts about why two requests differ: a short one for a list, a title, and a sentence."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.domain.change import CauseName
from workbench.domain.files.file_names import short_path
from workbench.domain.recall import FOUND_KINDS
from workbench.domain.shown.diff_view import DiffCause
from workbench.domain.shown.envelope_view import EnvelopeView, RowKey
from workbench.ui import formatting
from workbench.ui.inspector.rows.row_words import row_name, turns_name
from workbench.ui.look.tones import layer_word, name_by_kind
from workbench.ui.translation import N_, tr
from workbench.ui.widgets.plain import shown

_TOOL = "tool:"
_SHORT: Mapping[CauseName, str] = {
    "settings": N_("settings"),
    "model": N_("other model"),
    "tools": N_("tools"),
    "memory": N_("memory"),
    "project": N_("project"),
    "attached": N_("attached"),
    "detached": N_("detached"),
    "file_changed": N_("file changed"),
    "promoted": N_("promoted"),
    "pruned": N_("shortened"),
    "priority": N_("priority"),
    "trimmed": N_("trimmed"),
    "excluded": N_("left out"),
    "history_edited": N_("edited"),
    "rebuilt": N_("rebuilt"),
    "turn_context": N_("turn context"),
    "renamed": N_("other name"),
    "resized": N_("other length"),
    "recut": N_("another part"),
}
_TITLES: Mapping[CauseName, str] = {
    "settings": N_("Settings changed"),
    "model": N_("Model changed to {name}"),
    "tools": N_("Tools changed: {name}"),
    "memory": N_("Memory changed"),
    "project": N_("Project instructions changed"),
    "attached": N_("{name} attached"),
    "detached": N_("{name} detached"),
    "file_changed": N_("{name} changed on disk"),
    "promoted": N_("{name} moved into the library"),
    "pruned": N_("{name} was shortened or dropped to fit"),
    "priority": N_("Priority of {name} changed"),
    "trimmed": N_("History trimmed"),
    "excluded": N_("A message was left out"),
    "history_edited": N_("An earlier message was edited"),
    "rebuilt": N_("Rebuilt: {name}"),
    "turn_context": N_("The last question’s context is no longer sent"),
    "renamed": N_("{name} is now labelled by name, not by path"),
    "resized": N_("You chose another length of {name}"),
    "recut": N_("Another part of {name} is sent"),
}
_NAMELESS: Mapping[CauseName, str] = {
    "model": N_("Model changed"),
    "tools": N_("Tools changed"),
    "attached": N_("A file was attached"),
    "detached": N_("A file was detached"),
    "file_changed": N_("A file changed on disk"),
    "promoted": N_("A file moved into the library"),
    "pruned": N_("A file was shortened or dropped to fit"),
    "priority": N_("A priority changed"),
    "renamed": N_("A file is now labelled by name, not by path"),
    "resized": N_("You chose another length of a file"),
    "recut": N_("Another part of a text is sent"),
    "rebuilt": N_("The request was rebuilt"),
}
_REBUILT: Mapping[str, str] = {
    "first": N_("there was nothing to go on from"),
    "asked": N_("you asked for it"),
    "cold": N_("the cache was cold, so it was free"),
    "model": N_("another model"),
    "tools": N_("other tools"),
    "instructions": N_("other instructions"),
    "settings": N_("other settings"),
    "history_edited": N_("an earlier message changed"),
    "excluded": N_("something was left out or put back"),
    "over_threshold": N_("it passed its threshold"),
    "over_budget": N_("it had grown over a budget"),
    "secret": N_("an old copy in it held a key or a password"),
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
    "recut": "compact",
    "history_edited": "edit",
    "rebuilt": "refresh",
    "turn_context": "clip",
}


def cause_kind(cause: CauseName) -> str:
    """What a cause is about, whatever it concerned."""
    return tr(_NAMELESS.get(cause) or _TITLES[cause])


def cause_icon(cause: DiffCause) -> str:
    """The icon of a cause."""
    if cause.cause is not None:
        return _ICONS[cause.cause]
    if cause.kind == "counts":
        return "sliders"
    return {"L4_STRIP": "chat", "L5_USER": "edit"}.get(cause.layer, "plus")


def cause_title(cause: DiffCause, name: str, changed_utc: str = "") -> str:
    """What happened, as a title; `name` is what it happened to, `changed_utc` when its file changed, if known."""
    if cause.cause is None or (cause.cause == "turn_context" and cause.layer == "L4_STRIP"):
        return _growth_title(cause, name)
    first, second = cause.numbers
    if cause.cause == "file_changed" and changed_utc:
        words = tr("{name} changed on disk at {time}")
        return words.format(name=name, time=formatting.clock(changed_utc))
    if cause.cause == "priority" and first != second:
        words = tr("Priority of {name} {a} → {b}")
        return words.format(name=name, a=formatting.tokens(first), b=formatting.tokens(second))
    if cause.cause == "trimmed":
        return cause_words("trimmed", str(second))
    if cause.cause == "recut" and cause.kind != "turn":
        words = tr("{name}: counts were corrected, so {a} instead of {b} tokens of it are sent")
        if not cause.recounted:
            words = tr("{name} has other room: {a} instead of {b} tokens of it are sent")
        sent = (formatting.tokens(cause.after_tokens), formatting.tokens(cause.before_tokens))
        return words.format(name=name, a=sent[0], b=sent[1])
    if cause.cause == "excluded":
        return _excluded_title(cause, name)
    return cause_words(cause.cause, name)


def cause_words(cause: CauseName, name: str = "") -> str:
    """What happened, for a cause without a comparison; of `trimmed`, `name` is the number of a message."""
    if cause == "trimmed" and name.isdecimal() and int(name):
        return tr("History trimmed up to message {n}").format(n=formatting.tokens(int(name)))
    if cause == "rebuilt" and name in _REBUILT:
        name = tr(_REBUILT[name])
    words = _TITLES[cause] if name else _NAMELESS.get(cause, _TITLES[cause])
    return tr(words).format(name=shown(name.removeprefix(_TOOL)))


def subject_name(cause: DiffCause, view: EnvelopeView | None, named: Mapping[str, str]) -> str:
    """Name of what a cause is about; `named` are the names of attachments by their ids."""
    first, last = cause.numbers
    if cause.kind == "turn" and cause.cause in (None, "turn_context") and first:
        return turns_name(first, max(first, last), watched=view is not None and view.watched)
    if cause.kind == "turn" and cause.cause is not None:
        return tr("history")
    if cause.kind == "question":
        return tr("question")
    if cause.kind in FOUND_KINDS:
        return _quote_name(cause)
    row = view.row(RowKey(cause.layer, cause.subject)) if view is not None else None
    if row is not None:
        return row_name(row)
    if cause.layer == "L1_SYSTEM" and (name := name_by_kind(cause.subject)):
        return name  # gone from the request, and called as it was
    return shown(short_path(named.get(cause.subject, cause.subject).removeprefix(_TOOL)))


def _quote_name(cause: DiffCause) -> str:
    """Name of what was quoted for the question: a message by its turn, a section by its path."""
    if cause.kind != "recalled":
        return tr("Section {name}").format(name=shown(short_path(cause.subject)))
    if cause.numbers[0]:
        return tr("Recalled {turn}").format(turn=turns_name(cause.numbers[0], cause.numbers[0]))
    return tr("A recalled message")


def cause_word(cause: CauseName) -> str:
    """Name of a cause in a word or two."""
    return tr(_SHORT[cause])


def cause_line(cause: DiffCause) -> str:
    """The layer of a cause, and how many tokens it had before and has now."""
    layer = tr("What both send") if cause.kind == "counts" else layer_word(cause.layer)
    if cause.before_tokens and cause.after_tokens:
        if cause.before_tokens == cause.after_tokens:
            return tr("{layer}, {n} tokens as before").format(
                layer=layer, n=formatting.tokens(cause.after_tokens)
            )
        return tr("{layer}, {a} → {b} tokens").format(
            layer=layer, a=formatting.tokens(cause.before_tokens), b=formatting.tokens(cause.after_tokens)
        )
    change = cause.after_tokens - cause.before_tokens
    return (
        tr("{layer}, {n} tokens").format(layer=layer, n=formatting.signed_tokens(change)) if change else layer
    )


def _excluded_title(cause: DiffCause, name: str) -> str:
    """Title for something that the user left out or put back."""
    back = cause.after_tokens > cause.before_tokens
    if cause.layer == "L4_STRIP" or not name:
        return tr("A message was put back") if back else cause_words("excluded")
    words = tr("{name} was put back") if back else tr("{name} was left out")
    return words.format(name=shown(name))


def _growth_title(cause: DiffCause, name: str) -> str:
    """Title for a change that the conversation itself made, such as a new question or a turn moved into history."""
    if cause.layer == "L4_STRIP":
        moved = tr("{turns} moved into history")
        if cause.cause is not None:
            moved = tr("{turns} moved into history, without what stood around it")
        return moved.format(turns=name[:1].upper() + name[1:])
    if cause.layer == "L5_USER":
        return tr("New question")
    if cause.kind == "tool":
        return tr("Tools were used in this turn")
    if cause.kind == "counts":
        return tr("Counts were corrected by what the server reported")
    if cause.before_tokens and not cause.after_tokens:
        return tr("{name} is no longer sent").format(name=name or cause.kind)
    return tr("{name} is new").format(name=name or cause.kind)
