"""The words of fixes: what each does to a request that does not fit, and what comes of it."""

from __future__ import annotations

from typing import NamedTuple, assert_never

from workbench.domain.files.file_names import short_path
from workbench.engine.state import Fix, FixKind
from workbench.ui import formatting
from workbench.ui.model_button import short_name
from workbench.ui.translation import translator
from workbench.ui.widgets.plain import shown

_tr = translator("Fix")

_ICONS: dict[FixKind, str] = {
    "shorten": "compact", "unpin": "pin", "detach": "out", "keep_last": "cut", "larger_window": "chip",
    "other_model": "chip", "summarise": "compact",
}  # fmt: skip


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
    match fix.kind:
        case "shorten":
            words = _tr("Shorten {name} to {n} tokens")
            return words.format(name=shown(short_path(fix.subject)), n=formatting.tokens(fix.number))
        case "unpin":
            return _tr("Unpin {name}").format(name=shown(short_path(fix.subject)))
        case "detach":
            return _tr("Detach {name}").format(name=shown(short_path(fix.subject)))
        case "summarise" if fix.number == 1:
            return _tr("Put the oldest turn in a summary")
        case "summarise":
            return _tr("Put the oldest {n} turns in a summary").format(n=formatting.tokens(fix.number))
        case "keep_last" if fix.number == 1:
            return _tr("Keep only the last turn")
        case "keep_last":
            return _tr("Keep only the last {n} turns").format(n=formatting.tokens(fix.number))
        case "larger_window":
            return _tr("Raise the budget to {n}").format(n=formatting.tokens(fix.number))
        case "other_model":
            return _tr("Answer with {model}").format(model=shown(short_name(fix.subject)))
        case _:
            assert_never(fix.kind)


def _effect(fix: Fix) -> str:
    saved = formatting.signed_tokens(-fix.saved_tokens)
    match fix.kind:
        case "unpin" if fix.priority is not None:
            return _tr("priority {p}, then falls, {saved}").format(p=fix.priority, saved=saved)
        case "detach" if fix.priority is not None:
            return _tr("priority {p}, {saved}").format(p=fix.priority, saved=saved)
        case "shorten":
            return _tr("its most telling parts stay, {saved}").format(saved=saved)
        case "unpin" | "detach":
            return saved
        case "summarise":
            return _tr("every fact you wrote stays, {saved}").format(saved=saved)
        case "keep_last":
            return _tr("older turns leave, {saved}").format(saved=saved)
        case "larger_window" if fix.subject:
            return _tr("{model} takes that much").format(model=shown(short_name(fix.subject)))
        case "larger_window":
            return _tr("the model takes that much")
        case "other_model":
            return _tr("takes up to {n}").format(n=formatting.tokens(fix.number))
        case _:
            assert_never(fix.kind)


def _result(fix: Fix) -> str:
    if not fix.fits:
        return _tr("{n} still over").format(n=formatting.tokens(fix.total_tokens))
    if fix.kind in ("larger_window", "other_model") and fix.cost_usd:
        return _tr("fits, {price}").format(price=formatting.usd(fix.cost_usd, about=True))
    return _tr("fits, {n}").format(n=formatting.tokens(fix.total_tokens))
