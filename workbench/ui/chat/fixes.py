"""Ways to make a request fit, one below the other, each with its result and a button that applies it."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.domain.files.file_names import short_path
from workbench.engine.state import Fix, FixKind
from workbench.ui import formatting
from workbench.ui.look.painting import Run
from workbench.ui.look.space import S2, columns, fill, rows
from workbench.ui.model_button import model_name, short_name
from workbench.ui.translation import N_, tr
from workbench.ui.widgets.buttons import Button, button
from workbench.ui.widgets.card import LeadingIcon, Panel
from workbench.ui.widgets.labels import ElidedLabel
from workbench.ui.widgets.plain import shown

# The words of fixes: what each does to a request that does not fit, and what comes of it.


_ICONS: dict[FixKind, str] = {
    "shorten": "compact", "unpin": "pin", "detach": "out", "larger_window": "chip",
    "other_model": "chip", "summarise": "compact", "leave": "cut",
}  # fmt: skip


_TITLES: dict[FixKind, str] = {
    "shorten": N_("Shorten {name} to {n} tokens"),
    "unpin": N_("Unpin {name}"),
    "detach": N_("Detach {name}"),
    "leave": N_("Leave the oldest turns out"),
    "summarise": N_("Summarise the oldest {n} turns"),
    "larger_window": N_("Raise the budget to {n}"),
    "other_model": N_("Switch to {name}"),
}
_TITLES_FOR_ONE: dict[FixKind, str] = {
    "summarise": N_("Summarise the oldest turn"),
}
_EFFECTS: dict[FixKind, str] = {
    "shorten": N_("keeps its key parts, {saved}"),
    "unpin": N_("priority {p}, then dropped, {saved}"),
    "detach": N_("priority {p}, {saved}"),
    "leave": N_("from now on, whenever this chat is full, {saved}"),
    "summarise": N_("keeps every fact you wrote, {saved}"),
    "larger_window": N_("{model} takes that much"),
    "other_model": N_("takes up to {n}"),
}
_THE_MODEL = N_("the model takes that much")


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
    return tr(words).format(name=shown(name), n=formatting.tokens(fix.number))


def _effect(fix: Fix) -> str:
    words = _EFFECTS[fix.kind]
    if fix.kind in ("unpin", "detach") and fix.priority is None:
        words = "{saved}"
    if fix.kind == "larger_window" and not fix.subject:
        words = _THE_MODEL
    return tr(words).format(
        p=fix.priority,
        saved=formatting.signed_tokens(-fix.saved_tokens),
        model=model_name(fix.subject),
        n=formatting.tokens(fix.number),
    )


def _result(fix: Fix) -> str:
    if not fix.fits:
        return tr("doesn’t fit, {n}").format(n=formatting.tokens(fix.over_tokens))
    if fix.kind in ("larger_window", "other_model") and fix.cost_usd:
        return tr("fits, {price}").format(price=formatting.usd(fix.cost_usd, about=True))
    return tr("fits, {n}").format(n=formatting.tokens(fix.total_tokens))


MOST = 4
ROW_HEIGHT = 44


class FixList(QWidget):
    """At most four fixes; the first that fits is the one that stands out."""

    applied = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._fixes: tuple[Fix, ...] = ()
        self._rows: list[FixRow] = []
        self._down = rows(self)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def show_fixes(self, fixes: tuple[Fix, ...]) -> None:
        if fixes is self._fixes or fixes == self._fixes:
            return
        self._fixes = fixes
        for row in self._rows:
            row.hide()
            self._down.removeWidget(row)
            row.deleteLater()
        best = next((fix for fix in fixes[:MOST] if fix.fits), None)
        self._rows = [FixRow(fix, fix is best) for fix in fixes[:MOST]]
        for row in self._rows:
            row.applied.connect(self.applied)
            self._down.addWidget(row)

    def fix_rows(self) -> tuple[FixRow, ...]:
        return tuple(self._rows)

    def best(self) -> Button | None:
        return next((row.apply for row in self._rows if row.apply.kind == "primary"), None)


class FixRow(Panel):
    """One fix: what it does, its effect, its result, and the button."""

    line_below = True

    applied = Signal(object)

    def __init__(self, fix: Fix, best: bool) -> None:
        super().__init__()
        self.fix = fix
        words = fix_words(fix)
        self.leading = LeadingIcon(words.icon, box=(10, 0, 16, ROW_HEIGHT - 1))
        self.setFixedHeight(ROW_HEIGHT)
        self.title = ElidedLabel(words.title, "ui")
        self.effect = ElidedLabel(words.effect, "small", "t3")
        self.result = Result(words.result, fix.fits)
        self.apply = button(tr("Apply"), "primary" if best else "secondary", size="small")
        self.apply.setMinimumWidth(64)
        self.apply.setAccessibleName(tr("Apply: {what}").format(what=words.title))
        self.apply.setAccessibleDescription(f"{words.effect}; {words.result}")
        self.apply.clicked.connect(lambda: self.applied.emit(self.fix))
        across = columns(self)
        across.addSpacing(34)
        texts = fill(rows(None, (0, 5, 0, 5)), self.title, self.effect)
        fill(across, (texts, 1), S2, self.result, S2, self.apply, S2)


class Result(Panel):
    """Whether a request then fits: a sign and a word, so that colour does not stand alone."""

    def __init__(self, words: str, fits: bool) -> None:
        super().__init__()
        self._words, token = words, "ok" if fits else "err"
        self.runs = (Run(icon="check" if fits else "x", token=token, gap=4), Run(words, token))
        self.setAccessibleName(words)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def words(self) -> str:
        return self._words

    def sizeHint(self) -> QSize:
        return self.runs_size(18)
