"""The rows of what is offered behind an @: what each says, as a list model, and how it is painted."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter

from workbench.domain.shown.completion_view import Offer, Verdict, verdict_on
from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.ui import formatting
from workbench.ui.look.fonts import font, metrics
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import (
    after,
    elided,
    figure_width,
    paint_elided,
    paint_figure,
    placed,
    set_text_style,
)
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.translation import translator
from workbench.ui.widgets.items.delegate import Index, ItemOption, RowDelegate, paint_rule
from workbench.ui.widgets.items.list_model import ITEM, ListModel
from workbench.ui.widgets.plain import shown

_tr = translator("Offers")

ROW = 30
PADDING, ICON, GAP = 12, 16, 10
LEAST_NAME = 120
_TOKENS = 58
_COLUMN, _LEAST_WHERE = 0.42, 40
_ICONS = {
    "command": "chevron-right",
    "part": "hash",
    "chat": "chat",
    "file": "file",
    "whole": "file",
    "prompt": "book",
}
_KINDS = {"image": "image", "url": "globe", "clipboard": "copy", "note": "chat", "folder": "folder"}
_TONES = {
    "attached": ("ok", "check"),
    "past_trim": ("warn", "warn"),
    "over": ("err", "warn"),
    "problem": ("err", "file-x"),
}


class OfferWords(NamedTuple):
    """What a row says, from where reading begins to its end."""

    name: str
    where: str
    verdict: str
    tokens: str


def offer_words(offer: Offer, verdict: Verdict) -> OfferWords:
    """An offer in words; foreign names with what is hidden in them written out."""
    name = _tr("whole file") if offer.kind == "whole" else shown(offer.name)
    return OfferWords(name, where_words(offer), verdict_words(offer, verdict), token_words(offer))


def where_words(offer: Offer) -> str:
    """Where it is: pages, lines, a folder; of a command, what it does."""
    if offer.kind == "command":
        does = {
            "@read": _tr("a file"),
            "@search": _tr("words in all files"),
            "@ls": _tr("what is in a folder"),
        }
        return does.get(offer.name, "")
    if offer.kind == "chat":
        return _tr("chat")
    first, last = offer.pages
    if offer.kind == "whole" and last:
        return _tr("{n} pages").format(n=formatting.tokens(last)) if last > 1 else _tr("1 page")
    if first:
        return _tr("p. {n}").format(n=first) if first == last else _tr("p. {a}–{b}").format(a=first, b=last)
    top, end = offer.lines
    if offer.kind == "whole" and end:
        return _tr("{n} lines").format(n=formatting.tokens(end)) if end > 1 else _tr("1 line")
    if top:
        return _tr("line {n}").format(n=top) if top == end else _tr("lines {a}–{b}").format(a=top, b=end)
    return shown(offer.where)


def verdict_words(offer: Offer, verdict: Verdict) -> str:
    """What taking it would mean; nothing where it fits."""
    figure = formatting.tokens(verdict.tokens)
    match verdict.code:
        case "problem":
            return shown(offer.problem)
        case "attached":
            return _tr("chosen") if offer.kind in ("part", "whole") else _tr("attached")
        case "past_trim":
            words = _tr("rest is {n} past trim") if verdict.rest else _tr("{n} past trim")
            return words.format(n=figure)
        case "over":
            words = _tr("rest is over by {n}") if verdict.rest else _tr("over by {n}")
            return words.format(n=figure)
        case _:
            return ""


def token_words(offer: Offer) -> str:
    """What it costs: a figure, about so much, or not counted yet."""
    if offer.kind in ("command", "prompt") or offer.problem:
        return ""
    if offer.tokens is None:
        return "…"
    figure = formatting.tokens(offer.tokens)
    return f"≈ {figure}" if offer.estimated else figure


class OfferModel(ListModel[Offer]):
    """What is offered now, and the request that it is held against."""

    def __init__(self) -> None:
        super().__init__()
        self.view: EnvelopeView | None = None

    def show_offers(self, offers: tuple[Offer, ...], view: EnvelopeView | None) -> bool:
        """Show these; return whether they are others, and not the same with more figures."""
        same = [offer.text for offer in offers] == [offer.text for offer in self.items]
        self.view = view
        if not same:
            self.reset_items(offers)
        elif offers:
            self.items = list(offers)
            self.dataChanged.emit(self.index(0, 0), self.index(len(offers) - 1, 0))
        return not same

    def words_of(self, offer: Offer) -> OfferWords:
        return offer_words(offer, verdict_on(offer, self.view))

    def text_of(self, offer: Offer) -> str:
        return self.words_of(offer).name

    def spoken_of(self, offer: Offer) -> str:
        words = self.words_of(offer)
        tokens = _tr("{n} tokens").format(n=words.tokens) if words.tokens.strip("…") else ""
        return ", ".join(word for word in (words.name, words.where, words.verdict, tokens) if word)


class OfferDelegate(RowDelegate):
    """Paints an icon, the name with its typed letters marked, where it is, the verdict, and the tokens."""

    height = ROW

    def paint_row(self, painter: QPainter, row: ItemOption, index: Index) -> None:
        model, offer = index.model(), index.data(ITEM)
        assert isinstance(model, OfferModel)
        words, box, theme = model.words_of(offer), row.box, theme_of()
        if row.selected:
            painter.fillRect(box, colour("sel", theme))
        if offer.kind == "whole":
            paint_rule(painter, box, top=True)
        icon = _KINDS.get(offer.artifact) or _ICONS.get(offer.kind, "file")
        if offer.kind in ("command", "part", "prompt"):
            icon = _ICONS[offer.kind]
        paint_icon(painter, placed(box, PADDING, ICON), icon)
        trail = _paint_tokens(painter, box, words.tokens)
        trail += _paint_verdict(painter, box, trail, (words.verdict, model.view, offer))
        lead = PADDING + ICON + GAP
        # Where things are stands in one column, whatever else the rows say.
        column = max(lead + LEAST_NAME, _COLUMN * box.width())
        where = max(0.0, box.width() - trail - column) if words.where else 0.0
        name = after(box, lead, trail + where if where > _LEAST_WHERE else trail)
        _paint_name(
            painter, name.adjusted(0, 0, -GAP, 0), (words.name, _marks(offer, words.name), row.selected)
        )
        if where > _LEAST_WHERE:
            set_text_style(painter, font("small"), colour("t3", theme))
            end = after(box, column, trail).adjusted(0, 0, -GAP, 0)
            mode = Qt.TextElideMode.ElideMiddle
            paint_elided(painter, end, elided(font("small"), words.where, end.width(), mode))


def _marks(offer: Offer, name: str) -> frozenset[int]:
    return frozenset(offer.marks) if name == offer.name else frozenset()


def _paint_tokens(painter: QPainter, box: QRectF, tokens: str) -> float:
    """The figure at the end of the row; how much room it took."""
    set_text_style(painter, font("ui"), colour("t1" if tokens.strip("…") else "t3", theme_of()))
    width = max(_TOKENS, figure_width(font("ui"), tokens))
    spot = placed(box, box.width() - PADDING - width, width)
    paint_figure(painter, spot, tokens)
    return PADDING + width


def _paint_verdict(
    painter: QPainter, box: QRectF, trail: float, about: tuple[str, EnvelopeView | None, Offer]
) -> float:
    """The verdict before the figure; how much room it took."""
    words, view, offer = about
    if not words:
        return GAP
    tone, icon = _TONES[verdict_on(offer, view).code]
    most = max(0.0, box.width() - trail - LEAST_NAME - PADDING - ICON - 2 * GAP)
    painter.setFont(font("small"))
    said = elided(font("small"), words, max(0.0, most - 18))
    width = metrics("small").horizontalAdvance(said) + 18
    spot = placed(box, box.width() - trail - GAP - width, width)
    paint_icon(painter, placed(spot, 0, 14), icon, tone, 14)
    painter.setPen(colour(tone, theme_of()))
    paint_elided(painter, after(spot, 18, 0), said)
    return width + 2 * GAP


def _paint_name(painter: QPainter, box: QRectF, about: tuple[str, frozenset[int], bool]) -> None:
    """The name; letters that were typed stand out. Where it has to be shortened, it is painted in one piece."""
    name, marks, chosen = about
    theme = theme_of()
    plain = font("ui_heading") if chosen else font("ui")
    set_text_style(painter, plain, colour("t1", theme))
    fitting = elided(plain, name, box.width(), Qt.TextElideMode.ElideMiddle)
    paint_elided(painter, box, fitting)
    if fitting != name or not marks:
        return
    # Painted over in place, so that letters keep the distances and forms they have together.
    measure = metrics("ui_heading" if chosen else "ui")
    painter.setPen(colour("accent_text", theme))
    for place in sorted(marks):
        start = measure.horizontalAdvance(name[:place])
        width = measure.horizontalAdvance(name[: place + 1]) - start
        painter.save()
        painter.setClipRect(QRectF(box.left() + start, box.top(), width, box.height()))
        painter.fillRect(
            QRectF(box.left() + start, box.top() + 6, width, box.height() - 12),
            colour("sel" if chosen else "raised", theme),
        )
        paint_elided(painter, box, fitting)
        painter.restore()
