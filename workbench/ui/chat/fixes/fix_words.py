"""The words of fixes: what each does to a request that does not fit, and what comes of it."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QT_TRANSLATE_NOOP

from workbench.domain.files.file_names import short_path
from workbench.engine.state import Fix, FixKind
from workbench.ui import formatting
from workbench.ui.model_button import model_name, short_name
from workbench.ui.translation import translator
from workbench.ui.widgets.plain import shown

_tr = translator("Fix")

_ICONS: dict[FixKind, str] = {
    "shorten": "compact", "unpin": "pin", "detach": "out", "larger_window": "chip",
    "other_model": "chip", "summarise": "compact", "leave": "cut",
}  # fmt: skip


_TITLES: dict[FixKind, str] = {
    "shorten": str(QT_TRANSLATE_NOOP("Fix", "Shorten {name} to {n} tokens")),
    "unpin": str(QT_TRANSLATE_NOOP("Fix", "Unpin {name}")),
    "detach": str(QT_TRANSLATE_NOOP("Fix", "Detach {name}")),
    "leave": str(QT_TRANSLATE_NOOP("Fix", "Leave the oldest turns out")),
    "summarise": str(QT_TRANSLATE_NOOP("Fix", "Summarise the oldest {n} turns")),
    "larger_window": str(QT_TRANSLATE_NOOP("Fix", "Raise the budget to {n}")),
    "other_model": str(QT_TRANSLATE_NOOP("Fix", "Switch to {name}")),
}
_TITLES_FOR_ONE: dict[FixKind, str] = {
    "summarise": str(QT_TRANSLATE_NOOP("Fix", "Summarise the oldest turn")),
}
_EFFECTS: dict[FixKind, str] = {
    "shorten": str(QT_TRANSLATE_NOOP("Fix", "keeps its key parts, {saved}")),
    "unpin": str(QT_TRANSLATE_NOOP("Fix", "priority {p}, then dropped, {saved}")),
    "detach": str(QT_TRANSLATE_NOOP("Fix", "priority {p}, {saved}")),
    "leave": str(QT_TRANSLATE_NOOP("Fix", "from now on, whenever this chat is full, {saved}")),
    "summarise": str(QT_TRANSLATE_NOOP("Fix", "keeps every fact you wrote, {saved}")),
    "larger_window": str(QT_TRANSLATE_NOOP("Fix", "{model} takes that much")),
    "other_model": str(QT_TRANSLATE_NOOP("Fix", "takes up to {n}")),
}
_THE_MODEL = str(QT_TRANSLATE_NOOP("Fix", "the model takes that much"))


class FixWords(NamedTuple):
    """A fix in words: what it does, its effect, and whether the request then fits."""

    icon: str
    title: str
    effect: str
    result: str


def fix_words(fix: Fix) -> FixWords:
    """What a fix says."""
    return FixWords(_ICONS[fix.kind], _title(fix), _effect(fix), _result(fix))


def _title(fix: Fix) -> str:
    words = _TITLES[fix.kind]
    if fix.number == 1:
        words = _TITLES_FOR_ONE.get(fix.kind, words)
    name = short_name(fix.subject) if fix.kind == "other_model" else short_path(fix.subject)
    return _tr(words).format(name=shown(name), n=formatting.tokens(fix.number))


def _effect(fix: Fix) -> str:
    words = _EFFECTS[fix.kind]
    if fix.kind in ("unpin", "detach") and fix.priority is None:
        words = "{saved}"
    if fix.kind == "larger_window" and not fix.subject:
        words = _THE_MODEL
    return _tr(words).format(
        p=fix.priority,
        saved=formatting.signed_tokens(-fix.saved_tokens),
        model=model_name(fix.subject),
        n=formatting.tokens(fix.number),
    )


def _result(fix: Fix) -> str:
    if not fix.fits:
        return _tr("doesn’t fit, {n}").format(n=formatting.tokens(fix.over_tokens))
    if fix.kind in ("larger_window", "other_model") and fix.cost_usd:
        return _tr("fits, {price}").format(price=formatting.usd(fix.cost_usd, about=True))
    return _tr("fits, {n}").format(n=formatting.tokens(fix.total_tokens))
